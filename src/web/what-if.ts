import type { Settings } from '../core/decision/settings.js'
import { isSettingName, KNOWN_SETTINGS, whatIfSettings } from './api/what-if.js'
import { HttpError } from './http/errors.js'

/** The settings of a comparison that a reader changed. */
export interface WhatIf {
  settings: Settings
  /** What differs from the configuration, with the names and values of `report --set KEY=VALUE`. */
  changes: Readonly<Record<string, string>>
  /** Names of settings that the address repeats as they are configured. */
  unchanged: string[]
}

export { isSettingName }

/**
 * The settings of the configuration with the changes of an address.
 * @throws HttpError 400 for a value that is not allowed, or an unknown setting
 */
export function parseWhatIf(query: Readonly<Record<string, string>>, base: Settings): WhatIf {
  for (const name of Object.keys(query)) {
    if (SECTION.test(name) && !isSettingName(name))
      throw new HttpError(400, `${name}: unknown setting; known: ${KNOWN_SETTINGS.join(', ')}`)
  }
  const named = Object.entries(query).filter(([name]) => isSettingName(name))
  const changes = Object.fromEntries(named.filter(([name, text]) => !isSame(text, configuredValue(base, name))))
  const found = whatIfSettings(base, changes)
  const unchanged = named.flatMap(([name]) => (name in changes ? [] : [name]))
  if ('settings' in found) return { settings: found.settings, changes, unchanged }
  throw new HttpError(400, found.errors.map(({ name, detail }) => `${name}: ${detail}`).join('; '))
}

const SECTION = /^(weights|haircuts|requirements|exchangeRates)\./

const configuredValue = (settings: Settings, name: string): unknown =>
  name.split('.').reduce<unknown>((value, key) => Object(value)[key], settings)

const isSame = (text: string, value: unknown) =>
  text === String(value) ||
  (value === null && text === '') ||
  (typeof value === 'number' && text.trim() !== '' && Number(text) === value)
