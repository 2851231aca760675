/**
 * JSON values without loss. `JSON.parse` loses some of a text without an error: digits of numbers that a double cannot hold,
 * and members that a later one of the same name replaces. Exact values keep both, as an `ExactNumber` and a `RepeatedMember`.
 */
import { randomUUID } from 'node:crypto'

/** Marks what `exactJsonText` writes verbatim; no document can contain it. */
const VERBATIM = `${randomUUID()}:`
const MARKED = `"${VERBATIM}`

/** JSON text that `exactJsonText` writes as it is. */
export class VerbatimJson {
  constructor(readonly source: string) {}

  toJSON(): string {
    return VERBATIM + this.source
  }
}

/** A number that a double cannot hold. */
export class ExactNumber extends VerbatimJson {
  /** Equal for equal numbers, however they are written, and never equal to the text of a double. */
  get normalForm(): string {
    const decimal = decimalOf(this.source)
    if (decimal === null) return this.source.toLowerCase()
    return `${decimal.isNegative ? '-' : ''}${decimal.digits}e${decimal.exponent}`
  }
}

/** The values of a member that occurs more than once in its object, in the order of the text. */
export class RepeatedMember {
  constructor(readonly values: unknown[]) {}

  toJSON(name: string): string {
    return VERBATIM + this.values.map((value) => exactJsonText(value)).join(`,${JSON.stringify(name)}:`)
  }
}

/** Applies a function to a value, or to each value of a repeated member. */
export const mapRepeated = (value: unknown, map: (value: unknown) => unknown): unknown =>
  value instanceof RepeatedMember ? new RepeatedMember(value.values.map(map)) : map(value)

/** Whether a part of an exact value is an object with members. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof ExactNumber)

/** `JSON.stringify`, which also writes exact values: numbers as in their text, and repeated members repeatedly. */
export function exactJsonText(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent) ?? 'null'
  const parts: string[] = []
  let from = 0
  for (let at = text.indexOf(MARKED); at !== -1; at = text.indexOf(MARKED, from)) {
    const end = stringEnd(text, at) + 1
    parts.push(text.slice(from, at), (JSON.parse(text.slice(at, end)) as string).slice(VERBATIM.length))
    from = end
  }
  return from === 0 ? text : [...parts, text.slice(from)].join('')
}

/** What parsing JSON text loses without an error: the text says something else than the value. */
export interface ParseLoss {
  /** Where, from the root of the document. */
  path: readonly (string | number)[]
  code: 'duplicate-key' | 'precision'
  message: string
}

/** Maximum number of losses recorded per text. */
export const MAX_LOSSES = 10_001

/**
 * Parses a text without loss. Slower than `JSON.parse`.
 * @param text valid JSON, not nested so deeply that recursion would overflow the stack
 * @param value its value by `JSON.parse`
 * @returns the exact value, which is `value` itself if it has lost nothing, and its first losses
 */
export function parseExactly(text: string, value: unknown): { exact: unknown; losses: ParseLoss[] } {
  const parser = new ExactParser(text)
  const exact = parser.parse()
  return { exact: parser.losses.length > 0 ? exact : value, losses: parser.losses }
}

const [QUOTE, BACKSLASH, COMMA, MINUS, POINT, PLUS] = [0x22, 0x5c, 0x2c, 0x2d, 0x2e, 0x2b]
const [OPENING, CLOSING, OPENING_ARRAY, CLOSING_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const [DIGIT_0, DIGIT_9, LOWER_E, LOWER_T, LOWER_F, LOWER_N] = [0x30, 0x39, 0x65, 0x74, 0x66, 0x6e]
const LAST_WHITE_SPACE = 0x20
const ORDINARY_MEMBER = { enumerable: true, configurable: true, writable: true }

class ExactParser {
  readonly losses: ParseLoss[] = []
  readonly #text: string
  readonly #path: (string | number)[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  parse(): unknown {
    switch (this.#peek()) {
      case OPENING:
        return this.#object()
      case OPENING_ARRAY:
        return this.#array()
      case QUOTE:
        return this.#string()
      case LOWER_T:
        return this.#literal('true', true)
      case LOWER_F:
        return this.#literal('false', false)
      case LOWER_N:
        return this.#literal('null', null)
      default:
        return this.#number()
    }
  }

  /** The next character that is not white space, not consumed. */
  #peek(): number {
    while (this.#text.charCodeAt(this.#at) <= LAST_WHITE_SPACE) this.#at++
    return this.#text.charCodeAt(this.#at)
  }

  #object(): unknown {
    const object: Record<string, unknown> = {}
    this.#at++
    while (this.#peek() !== CLOSING) {
      if (this.#peek() === COMMA) this.#at++
      this.#peek()
      const name = this.#string()
      this.#peek()
      this.#at++ // The colon.
      this.#path.push(name)
      this.#addMember(object, name)
      this.#path.pop()
    }
    this.#at++
    return object
  }

  #addMember(object: Record<string, unknown>, name: string): void {
    if (!Object.hasOwn(object, name)) {
      const value = this.parse()
      // Assigning would set the prototype.
      if (name === '__proto__') Object.defineProperty(object, name, { value, ...ORDINARY_MEMBER })
      else object[name] = value
      return
    }
    this.#addLoss('duplicate-key', () => 'the same key occurs more than once; the last value is used')
    const known = object[name]
    const value = this.parse()
    if (known instanceof RepeatedMember) known.values.push(value)
    else Object.defineProperty(object, name, { value: new RepeatedMember([known, value]), ...ORDINARY_MEMBER })
  }

  #array(): unknown {
    const array: unknown[] = []
    this.#at++
    while (this.#peek() !== CLOSING_ARRAY) {
      if (this.#peek() === COMMA) this.#at++
      this.#path.push(array.length)
      array.push(this.parse())
      this.#path.pop()
    }
    this.#at++
    return array
  }

  #string(): string {
    const end = stringEnd(this.#text, this.#at)
    const value = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return value.includes('\\') ? (JSON.parse(`"${value}"`) as string) : value
  }

  #number(): unknown {
    const end = numberEnd(this.#text, this.#at)
    const source = this.#text.slice(this.#at, end)
    this.#at = end
    if (!mayLosePrecision(source) || survivesParsing(source)) return Number(source)
    this.#addLoss('precision', () => `${truncate(source)} is used as ${Number(source)}`)
    return new ExactNumber(source)
  }

  #addLoss(code: ParseLoss['code'], message: () => string): void {
    if (this.losses.length < MAX_LOSSES) this.losses.push({ path: [...this.#path], code, message: message() })
  }

  #literal<T>(source: string, value: T): T {
    this.#at += source.length
    return value
  }
}

const truncate = (source: string) => (source.length > 80 ? `${source.slice(0, 79)}…` : source)

/** A decimal with at most 15 digits survives parsing into a double. */
const MAX_EXACT_LENGTH = 15

/** Whether a number in JSON text may exceed the precision of a double, by its length or exponent. */
export const mayLosePrecision = (source: string): boolean => source.length > MAX_EXACT_LENGTH || /e/i.test(source)

/** Whether a number in JSON text is the same number after parsing and serializing. */
export function survivesParsing(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  const serialized = String(value)
  if (serialized === text) return true
  // Two plain decimals that do not end in zeros are equal only if their texts are.
  if (isPlainDecimal(text) && isPlainDecimal(serialized)) return false
  const [received, parsed] = [decimalOf(text), decimalOf(serialized)]
  return received !== null && parsed !== null && isSameDecimal(received, parsed)
}

const isPlainDecimal = (text: string) => !text.endsWith('0') && !text.includes('e') && !text.includes('E')

/** A decimal number: `digits`, without zeros at either end, times ten to the `exponent`. */
interface Decimal {
  isNegative: boolean
  digits: string
  exponent: number
}

const MAX_EXPONENT = 1e15

/** Null if the exponent is too large to be calculated with. */
function decimalOf(text: string): Decimal | null {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  const isNegative = mantissa.startsWith('-')
  if (start === end) return { isNegative, digits: '', exponent: 0 }
  if (Math.abs(Number(power)) > MAX_EXPONENT) return null
  return { isNegative, digits: all.slice(start, end), exponent: Number(power) + all.length - end - fraction.length }
}

function isSameDecimal(a: Decimal, b: Decimal): boolean {
  if (a.digits === '' || b.digits === '') return a.digits === b.digits
  return a.digits === b.digits && a.exponent === b.exponent && a.isNegative === b.isNegative
}

/** Index after the number that starts at `start`. */
export function numberEnd(text: string, start: number): number {
  let end = start + 1
  while (end < text.length && isNumberPart(text.charCodeAt(end))) end++
  return end
}

/** A digit, `.`, `+`, `-`, `e` or `E`. */
const isNumberPart = (code: number) =>
  (code >= DIGIT_0 && code <= DIGIT_9) || code === POINT || code === PLUS || code === MINUS || (code | 0x20) === LOWER_E

/** Index of the closing quote of the string that starts at `start`; the length of the text if there is none. */
export function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end === -1 ? text.length : end
}

function isEscaped(text: string, at: number): boolean {
  let before = at
  while (text.charCodeAt(before - 1) === BACKSLASH) before--
  return (at - before) % 2 === 1
}
