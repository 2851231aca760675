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

/**
 * Parses a text without loss. Slower than `JSON.parse`.
 * @param text valid JSON, not nested so deeply that recursion would overflow the stack
 * @param value its value by `JSON.parse`
 * @returns `value` itself if it has lost nothing
 */
export function exactValue(text: string, value: unknown): unknown {
  const parser = new ExactParser(text)
  const exact = parser.parse()
  return parser.isLossy ? exact : value
}

const [QUOTE, BACKSLASH, COMMA, MINUS, POINT, PLUS] = [0x22, 0x5c, 0x2c, 0x2d, 0x2e, 0x2b]
const [OPENING, CLOSING, OPENING_ARRAY, CLOSING_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const [DIGIT_0, DIGIT_9, LOWER_E, LOWER_T, LOWER_F, LOWER_N] = [0x30, 0x39, 0x65, 0x74, 0x66, 0x6e]
const LAST_WHITE_SPACE = 0x20

class ExactParser {
  isLossy = false
  readonly #text: string
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
    const object = Object.create(null) as Record<string, unknown>
    this.#at++
    while (this.#peek() !== CLOSING) {
      if (this.#peek() === COMMA) this.#at++
      this.#peek()
      const name = this.#string()
      this.#peek()
      this.#at++ // The colon.
      const value = this.parse()
      if (!Object.hasOwn(object, name)) object[name] = value
      else {
        const known = object[name]
        if (known instanceof RepeatedMember) known.values.push(value)
        else object[name] = new RepeatedMember([known, value])
        this.isLossy = true
      }
    }
    this.#at++
    return object
  }

  #array(): unknown {
    const array: unknown[] = []
    this.#at++
    while (this.#peek() !== CLOSING_ARRAY) {
      if (this.#peek() === COMMA) this.#at++
      array.push(this.parse())
    }
    this.#at++
    return array
  }

  #string(): string {
    const end = stringEnd(this.#text, this.#at)
    const value = JSON.parse(this.#text.slice(this.#at, end + 1)) as string
    this.#at = end + 1
    return value
  }

  #number(): unknown {
    const end = numberEnd(this.#text, this.#at)
    const source = this.#text.slice(this.#at, end)
    this.#at = end
    if (!mayLosePrecision(source) || survivesParsing(source)) return Number(source)
    this.isLossy = true
    return new ExactNumber(source)
  }

  #literal<T>(source: string, value: T): T {
    this.#at += source.length
    return value
  }
}

/** What parsing JSON text loses without an error: the text says something else than the value. */
export interface ParseLoss {
  /** Where, from the root of the document. */
  path: readonly (string | number)[]
  code: 'duplicate-key' | 'precision'
  message: string
}

/** Finds what `JSON.parse` loses of an exact value. */
export function* findParseLosses(exact: unknown, path: (string | number)[] = []): Generator<ParseLoss> {
  if (exact instanceof ExactNumber) yield precisionLoss(path, exact.source)
  if (!Array.isArray(exact) && !isPlainObject(exact)) return
  for (const [name, member] of Object.entries(exact)) {
    path.push(Array.isArray(exact) ? Number(name) : name)
    const values = member instanceof RepeatedMember ? member.values : [member]
    for (const [index, value] of values.entries()) {
      if (index > 0) yield duplicateKey(path)
      // Most values are scalars; a generator for each would be slow.
      if (value !== null && typeof value === 'object') yield* findParseLosses(value, path)
    }
    path.pop()
  }
}

const duplicateKey = (path: ParseLoss['path']): ParseLoss => ({
  path: [...path],
  code: 'duplicate-key',
  message: 'the same key occurs more than once; the last value is used',
})

const precisionLoss = (path: ParseLoss['path'], number: string): ParseLoss => ({
  path: [...path],
  code: 'precision',
  message: `${number.length > 80 ? `${number.slice(0, 79)}…` : number} is used as ${Number(number)}`,
})

/** A decimal with at most 15 digits survives parsing into a double. */
const MAX_EXACT_LENGTH = 15

/** Whether a number in JSON text has so many characters, or an exponent, that a double may not hold it. */
export const mayLosePrecision = (source: string): boolean => source.length > MAX_EXACT_LENGTH || /e/i.test(source)

/** Whether a number in JSON text is the same number after parsing and serializing. */
export function survivesParsing(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  const [received, parsed] = [decimalOf(text), decimalOf(String(value))]
  return received !== null && parsed !== null && isSameDecimal(received, parsed)
}

/** A decimal number: `digits`, without zeros at either end, times ten to the `exponent`. */
interface Decimal {
  isNegative: boolean
  digits: string
  exponent: bigint
}

/** Converting a longer exponent would take seconds. */
const MAX_EXPONENT_LENGTH = 100

/** Null if the exponent is too long to be converted. */
function decimalOf(text: string): Decimal | null {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  const isNegative = mantissa.startsWith('-')
  if (start === end) return { isNegative, digits: '', exponent: 0n }
  if (power.length > MAX_EXPONENT_LENGTH) return null
  return {
    isNegative,
    digits: all.slice(start, end),
    exponent: BigInt(power) + BigInt(all.length - end - fraction.length),
  }
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
