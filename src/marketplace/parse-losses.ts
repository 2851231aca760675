import type { ParseLoss } from '../domain/observation.js'
import { numberEnd, stringEnd } from './json-scanner.js'

/** An open array or object. */
interface Frame {
  /** Names of the members so far; null for an array. */
  names: Set<string> | null
  name: string
  index: number
  awaitsName: boolean
}

/**
 * Finds what `JSON.parse` loses of a text without an error: members that a later one of the same name replaces, and digits of
 * numbers that a double cannot hold. Slower than parsing; `countMembers` and the scan (json-scanner.ts) tell which texts need it.
 * @param text valid JSON
 */
export function* findParseLosses(text: string): Generator<ParseLoss> {
  const frames: Frame[] = []
  for (let at = 0; at < text.length; at++) {
    const frame = frames.at(-1)
    switch (text[at]) {
      case '{':
        frames.push({ names: new Set(), name: '', index: 0, awaitsName: true })
        break
      case '[':
        frames.push({ names: null, name: '', index: 0, awaitsName: false })
        break
      case '}':
      case ']':
        frames.pop()
        break
      case ',':
        if (frame?.names) frame.awaitsName = true
        else if (frame) frame.index++
        break
      case '"': {
        const end = stringEnd(text, at)
        if (frame?.names && frame.awaitsName) {
          frame.name = JSON.parse(text.slice(at, end + 1)) as string
          frame.awaitsName = false
          if (frame.names.has(frame.name)) yield duplicateKey(pathOf(frames))
          frame.names.add(frame.name)
        }
        at = end
        break
      }
      default:
        if (/[-\d]/.test(text[at] ?? '')) {
          const end = numberEnd(text, at)
          const number = text.slice(at, end)
          if (!survivesParsing(number)) yield precisionLoss(pathOf(frames), number)
          at = end - 1
        }
    }
  }
}

const pathOf = (frames: readonly Frame[]) => frames.map(({ names, name, index }) => (names ? name : index))

const duplicateKey = (path: ParseLoss['path']): ParseLoss => ({
  path,
  code: 'duplicate-key',
  message: 'the same key occurs more than once; the last value is stored',
})

const precisionLoss = (path: ParseLoss['path'], number: string): ParseLoss => ({
  path,
  code: 'precision',
  message: `${number.length > 80 ? `${number.slice(0, 79)}…` : number} is stored as ${Number(number)}`,
})

/** The members of all objects within a parsed value. Text with more colons has duplicate keys. */
export function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const element of value) count += countMembers(element)
    return count
  }
  for (const member of Object.values(value)) count += 1 + countMembers(member)
  return count
}

/** Whether a number in JSON text is the same number after parsing and serializing. */
export function survivesParsing(text: string): boolean {
  const value = Number(text)
  return Number.isFinite(value) && isSameDecimal(decimalOf(text), decimalOf(String(value)))
}

/** A decimal number: `digits`, without zeros at either end, times ten to the `exponent`. */
interface Decimal {
  isNegative: boolean
  digits: string
  exponent: number
}

function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  let start = 0
  while (all[start] === '0') start++
  let end = all.length
  while (end > start && all[end - 1] === '0') end--
  const exponent = Number(power) - fraction.length + (all.length - end)
  return { isNegative: mantissa.startsWith('-'), digits: all.slice(start, end), exponent }
}

function isSameDecimal(a: Decimal, b: Decimal): boolean {
  if (a.digits === '' || b.digits === '') return a.digits === b.digits
  return a.digits === b.digits && a.exponent === b.exponent && a.isNegative === b.isNegative
}
