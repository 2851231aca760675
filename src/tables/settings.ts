import { DEFAULT_SETTINGS, type Settings, settingsSchema } from '../core/decision/settings.js'

/** Set rate by rate, or by whoever configures where rates come from. */
const NO_PARAMETERS: readonly string[] = ['exchangeRates', 'ratesFrom'] satisfies (keyof Settings)[]

/** The names of all settings that a request can replace: `requirements.priceMax`, `discountRate`, … */
export const SETTING_NAMES: readonly string[] = [
  ...Object.entries(DEFAULT_SETTINGS).flatMap(([name, value]) =>
    NO_PARAMETERS.includes(name)
      ? []
      : typeof value === 'object' && value !== null
        ? Object.keys(value).map((key) => `${name}.${key}`)
        : [name],
  ),
]

/** The same for messages, with an example of a rate. */
export const KNOWN_SETTINGS: readonly string[] = [...SETTING_NAMES, 'exchangeRates.USD']

const RATE = /^exchangeRates\.([A-Z]{3})$/

/** Whether a parameter replaces a setting: one of `SETTING_NAMES`, or the rate of a currency. */
export const isSettingName = (name: string): boolean => SETTING_NAMES.includes(name) || RATE.test(name)

/**
 * The settings of the configuration with some replaced, for one comparison.
 * @param replaced value by name, as text
 */
export function whatIfSettings(
  settings: Settings,
  replaced: Readonly<Record<string, string>>,
): { settings: Settings } | { errors: { name: string; detail: string }[] } {
  const changed = structuredClone(settings) as unknown as Record<string, unknown>
  for (const [name, text] of Object.entries(replaced)) setValue(changed, name, text)
  const parsed = settingsSchema.safeParse(changed)
  if (parsed.success) return { settings: parsed.data }
  return {
    errors: parsed.error.issues.map(({ path, message }) => {
      const at = path.join('.')
      const name = Object.keys(replaced).find((each) => at.startsWith(each) || each.startsWith(at)) ?? at
      return { name, detail: `found ${JSON.stringify(replaced[name] ?? '')}. ${message}` }
    }),
  }
}

function setValue(settings: Record<string, unknown>, name: string, text: string): void {
  const [first = '', ...rest] = name.split('.')
  if (RATE.test(name)) {
    const rates = settings.exchangeRates as Record<string, unknown>
    settings.exchangeRates = { ...rates, [rest[0] ?? '']: { rate: toNumber(text) } }
  } else if (rest.length === 0) settings[first] = settingOfText(text)
  else {
    const section = settings[first] as Record<string, unknown>
    settings[first] = { ...section, [rest[0] ?? '']: settingOfText(text) }
  }
}

/** A text as the value of a setting; one that cannot be converted stays a text, which validation may reject. */
export const settingOfText = (text: string): unknown => (text === 'null' || text === '' ? null : toNumber(text))

const toNumber = (text: string): number | string =>
  /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text.trim()) ? Number(text) : text

/** The settings of a comparison that a reader changed. */
export interface WhatIf {
  settings: Settings
  /** What differs from the configuration, with the names and values of `report --set KEY=VALUE`. */
  changes: Readonly<Record<string, string>>
  /** Names of settings that the address repeats as they are configured. */
  unchanged: string[]
}

/**
 * The settings of the configuration with the changes of an address.
 * @returns what is wrong: a value that is not allowed, or an unknown setting
 */
export function parseWhatIf(
  query: Readonly<Record<string, string>>,
  base: Settings,
): WhatIf | { errors: { name: string; detail: string }[] } {
  const unknown = Object.keys(query).filter((name) => SECTION.test(name) && !isSettingName(name))
  if (unknown.length > 0)
    return { errors: unknown.map((name) => ({ name, detail: `unknown setting; known: ${KNOWN_SETTINGS.join(', ')}` })) }
  const named = Object.entries(query).filter(([name]) => isSettingName(name))
  const changes = Object.fromEntries(named.filter(([name, text]) => !isSame(text, settingValue(base, name))))
  const found = whatIfSettings(base, changes)
  const unchanged = named.flatMap(([name]) => (name in changes ? [] : [name]))
  return 'errors' in found ? found : { settings: found.settings, changes, unchanged }
}

const SECTION = /^(requirements|exchangeRates)\./

/** The value of a setting that a parameter can replace; of a rate without its date and source. Undefined for a currency without a rate. */
function settingValue(settings: Settings, name: string): unknown {
  const value = name.split('.').reduce<unknown>((section, key) => Object(section)[key], settings)
  return RATE.test(name) ? Object(value).rate : value
}

const isSame = (text: string, value: unknown) =>
  text === String(value) ||
  (value === null && text === '') ||
  (typeof value === 'number' && text.trim() !== '' && Number(text) === value)
