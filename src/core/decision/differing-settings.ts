import { truncate } from '../text/number-format.js'

/** A setting that has another value than before. */
export interface DifferingSetting {
  /** `weights.price` */
  path: string
  before: string
  after: string
}

/** The settings that differ, with their values as texts. */
export function differingSettings(before: object, after: object, parent = ''): DifferingSetting[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) => {
    const [one, other] = [(before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name]]
    const path = `${parent}${name}`
    if (isObject(one) && isObject(other)) return differingSettings(one, other, `${path}.`)
    return one === other ? [] : [{ path, before: textOf(one), after: textOf(other) }]
  })
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const textOf = (value: unknown): string =>
  value === undefined || value === null ? 'none' : truncate(isObject(value) ? JSON.stringify(value) : String(value), 40)
