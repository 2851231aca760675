import type { FlagValue } from './model.js'

/** A value that was compared: what it is, and its unit (model.ts, `FlagValue`). */
export function flagValue<T extends FlagValue['value']>(
  what: string,
  value: T,
  unit: string | null = null,
): FlagValue & { value: T } {
  return { what, value, unit }
}
