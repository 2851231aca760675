import { mayLosePrecision, numberEnd, stringEnd } from '../../core/documents/exact-json.js'
import type { TimeSlice } from '../../core/time/time-slice.js'

/** What a scan counts in a part of JSON text. */
export interface TextCounts {
  /** Colons outside strings: one per member, including those that a later one with the same name replaces. */
  members: number
  /** Values of arrays and objects, approximately: a sign of the memory that parsing takes. */
  values: number
  /** Whether a number has more than 15 characters or an exponent, and may therefore not survive parsing. */
  longNumbers: boolean
}

/** An element of a list, as a range of the text. */
export interface ItemRange extends TextCounts {
  start: number
  end: number
}

export interface ScanLimits {
  depth: number
  /** Elements of one array, or members of one object. */
  entries: number
}

/** The member whose elements a scan finds, by default. */
const LIST = 'items'

const [QUOTE, COMMA, COLON, MINUS] = [0x22, 0x2c, 0x3a, 0x2d]
/** The only bit in which `[` differs from `{`, and `]` from `}`. */
const CURLY_BIT = 0x20
const [OPENING, CLOSING, OPENING_ARRAY] = [0x7b, 0x7d, 0x5b]
const [DIGIT_0, DIGIT_9] = [0x30, 0x39]
const STEPS_PER_CHECK = 2 ** 15

/**
 * Scans JSON text in one pass: its depth, how many entries its lists have, and where the elements of one top-level member,
 * by default `items`, begin and end. It scans the text, because a parsed value that is too deep or too large cannot be handled safely.
 * Skips strings, which are most of a document. Text that is not valid JSON gives results of no meaning, and no error.
 */
export class JsonScanner {
  /** The text is nested deeper than the limit; the scan ended there. */
  tooDeep = false
  /** The most entries of any array or object with more entries than the limit, otherwise 0. */
  tooMany = 0
  /** Counts of everything outside the elements of `items`. */
  readonly rest: TextCounts = emptyCounts()
  /** Values of the whole text. */
  totalValues = 0
  /** The elements of `items`, as far as their number is within the limit; null if there is no such array. */
  items: ItemRange[] | null = null
  /** Where the elements of `items` begin and end. */
  itemsStart = 0
  itemsEnd = 0
  /** How often the text has a top-level member `items`. */
  itemsMembers = 0

  readonly #text: string
  readonly #limits: ScanLimits
  readonly #list: string
  /** Commas of the open arrays and objects, by depth. */
  readonly #commas: number[] = [0]
  #depth = 0
  #at = 0
  #key: [start: number, end: number] = [0, 0]
  #itemsFollow = false
  #inItems = false
  #itemStart = 0
  #counts: TextCounts = this.rest

  /** @param list name of the top-level member whose elements are found */
  constructor(text: string, limits: ScanLimits, list = LIST) {
    this.#text = text
    this.#limits = limits
    this.#list = list
  }

  /** Counts of the whole text. Meaningful only if there were not too many entries. */
  get total(): TextCounts {
    const total = { ...this.rest, values: this.totalValues }
    for (const item of this.items ?? []) {
      total.members += item.members
      total.longNumbers ||= item.longNumbers
    }
    return total
  }

  /** Scans the whole text, in slices. */
  async scan(slice: TimeSlice): Promise<this> {
    while (!this.#scanPart(STEPS_PER_CHECK)) if (slice.isOver) await slice.next()
    this.totalValues += this.rest.values
    return this
  }

  /** Scans a part; true at the end of the text. */
  #scanPart(steps: number): boolean {
    const text = this.#text
    let at = this.#at
    for (let step = 0; step < steps && at < text.length && !this.tooDeep; step++, at++) {
      const code = text.charCodeAt(at)
      if (code === QUOTE) {
        const end = stringEnd(text, at)
        if (this.#depth === 1) this.#key = [at, end]
        at = end
      } else if (code === COMMA) this.#comma(at)
      else if (code === COLON) this.#colon()
      else if ((code | CURLY_BIT) === OPENING) this.#open(code, at)
      else if ((code | CURLY_BIT) === CLOSING) this.#close(at)
      else if ((code >= DIGIT_0 && code <= DIGIT_9) || code === MINUS) at = this.#number(at) - 1
    }
    this.#at = at
    return at >= text.length || this.tooDeep
  }

  #comma(at: number): void {
    const commas = (this.#commas[this.#depth] ?? 0) + 1
    this.#commas[this.#depth] = commas
    if (commas >= this.#limits.entries && commas >= this.tooMany) this.tooMany = commas + 1
    if (this.#inItems && this.#depth === 2) this.#endItem(at)
    else this.#counts.values++
    if (this.#depth === 1) this.#itemsFollow = false
  }

  #colon(): void {
    this.#counts.members++
    if (this.#depth !== 1) return
    this.#itemsFollow = isName(this.#text.slice(this.#key[0], this.#key[1] + 1), this.#list)
    if (this.#itemsFollow) this.itemsMembers++
  }

  #open(code: number, at: number): void {
    this.#counts.values++
    if (++this.#depth > this.#limits.depth) this.tooDeep = true
    this.#commas[this.#depth] = 0
    if (this.#depth !== 2 || !this.#itemsFollow || code !== OPENING_ARRAY) return
    this.items = []
    this.itemsStart = at + 1
    this.#itemsFollow = false
    this.#inItems = true
    this.#counts = emptyCounts()
    this.#beginItem(at + 1)
  }

  #close(at: number): void {
    if (this.#inItems && this.#depth === 2) this.#endItems(at)
    if (this.#depth > 0) this.#depth--
  }

  #beginItem(start: number): void {
    this.#itemStart = start
    this.#counts.members = 0
    this.#counts.values = 0
    this.#counts.longNumbers = false
  }

  #endItem(end: number): void {
    this.totalValues += this.#counts.values + 1
    // If there are more entries than the limit, none will be used.
    if (this.tooMany === 0) {
      const { members, values, longNumbers } = this.#counts
      this.items?.push({ start: this.#itemStart, end, members, values, longNumbers })
    } else if (this.items?.length) this.items = []
    this.#beginItem(end + 1)
  }

  #endItems(end: number): void {
    const isEmpty = this.#commas[2] === 0 && this.#text.slice(this.itemsStart, end).trim() === ''
    if (!isEmpty) this.#endItem(end)
    this.itemsEnd = end
    this.#inItems = false
    this.#counts = this.rest
  }

  /** Index after the number that starts at `start`. */
  #number(start: number): number {
    const end = numberEnd(this.#text, start)
    if (mayLosePrecision(this.#text.slice(start, end))) this.#counts.longNumbers = true
    return end
  }
}

const emptyCounts = (): TextCounts => ({ members: 0, values: 0, longNumbers: false })

/** Whether the text of a JSON string is a name, possibly with escapes. */
function isName(key: string, name: string): boolean {
  if (!key.includes('\\')) return key === `"${name}"`
  try {
    return JSON.parse(key) === name
  } catch {
    return false
  }
}
