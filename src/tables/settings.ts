import { DEFAULT_SETTINGS, type Settings, settingsSchema } from '../core/decision/settings.js'
import { FilterError } from './filter-error.js'

/** Set rate by rate, or by whoever configures where rates come from. */
const NO_PARAMETERS: readonly string[] = ['exchangeRates', 'ratesFrom'] satisfies (keyof Settings)[]

/** The names of all settings that a request can replace: `requirements.priceMax`, `discountRate`, … */
export const SETTING_NAMES: readonly string[] = [
  ...Object.keys(DEFAULT_SETTINGS).filter((name) => name !== 'requirements' && !NO_PARAMETERS.includes(name)),
  ...Object.keys(DEFAULT_SETTINGS.requirements).map((name) => `requirements.${name}`),
]

/** The same for messages, with an example of a rate. */
export const KNOWN_SETTINGS: readonly string[] = [...SETTING_NAMES, 'exchangeRates.USD']

const RATE = /^exchangeRates\.([A-Z]{3})$/

/** Whether a parameter replaces a setting: one of `SETTING_NAMES`, or the rate of a currency. */
export const isSettingName = (name: string): boolean => SETTING_NAMES.includes(name) || RATE.test(name)

/**
 * The settings of the configuration with some replaced, for one comparison.
 * @param replaced value by name, as text
 * @throws FilterError for a value that is not allowed
 */
export function whatIfSettings(settings: Settings, replaced: Readonly<Record<string, string>>): Settings {
  const changed = structuredClone(settings) as unknown as Record<string, unknown>
  for (const [name, text] of Object.entries(replaced)) setValue(changed, name, text)
  const parsed = settingsSchema.safeParse(changed)
  if (parsed.success) return parsed.data
  const [{ path, message } = { path: [], message: '' }] = parsed.error.issues
  const at = path.join('.')
  const name = Object.keys(replaced).find((each) => at.startsWith(each) || each.startsWith(at)) ?? at
  throw new FilterError(name, `${name}: found ${JSON.stringify(replaced[name] ?? '')}. ${message}`)
}

function setValue(settings: Record<string, unknown>, name: string, text: string): void {
  const [section = '', key] = name.split('.')
  const value = RATE.test(name) ? { rate: settingOfText(text) } : settingOfText(text)
  settings[section] = key === undefined ? value : { ...Object(settings[section]), [key]: value }
}

/** A text as the value of a setting; one that cannot be converted stays a text, which validation may reject. */
export const settingOfText = (text: string): unknown => {
  if (text === 'null' || text === '') return null
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : text
}

/** The settings of a comparison that a reader changed. */
export interface WhatIf {
  settings: Settings
  /** What differs from the configuration, with the names and values of `report --set KEY=VALUE`. */
  changes: Readonly<Record<string, string>>
  /** Names of settings that the address repeats as they are configured. */
  unchanged: string[]
}

/** The settings of the configuration with the changes of an address. @throws FilterError for a value that is not allowed */
export function parseWhatIf(query: Readonly<Record<string, string>>, base: Settings): WhatIf {
  const named = Object.entries(query).filter(([name]) => isSettingName(name))
  const changes = Object.fromEntries(named.filter(([name, text]) => !isSame(text, settingValue(base, name))))
  const unchanged = named.flatMap(([name]) => (name in changes ? [] : [name]))
  return { settings: whatIfSettings(base, changes), changes, unchanged }
}

/** The value of a setting that a parameter can replace; of a rate without its date and source. Undefined for a currency without a rate. */
function settingValue(settings: Settings, name: string): unknown {
  const value = name.split('.').reduce<unknown>((section, key) => Object(section)[key], settings)
  return RATE.test(name) ? Object(value).rate : value
}

const isSame = (text: string, value: unknown) =>
  text === String(value) ||
  (value === null && text === '') ||
  (typeof value === 'number' && text.trim() !== '' && Number(text) === value)
