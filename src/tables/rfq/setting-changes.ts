import { PRICED_BY, SETTING_TEXT } from '../../compare/decision/setting-text.js'
import { REQUIREMENT_TITLES } from '../../compare/offer/requirements.js'
import type { PriceBasis, RequirementName, Settings } from '../../core/decision/settings.js'
import { formatDecimal, formatPercent, formatTonnes } from '../../core/text/number-format.js'
import { SETTING_NAMES, settingValue } from '../settings.js'

/** A setting that has another value, in words. */
export interface SettingChange {
  /** As a parameter has it: `requirements.priceMax`. */
  setting: string
  /** `Price at most the maximum: hard → advisory`. */
  message: string
}

/**
 * The settings that differ between two comparisons, in words.
 * @param named parameters that a person gave. If the comparison currency differs, all rates do, and only those named are listed
 */
export function settingChanges(
  before: Settings,
  after: Settings,
  named: Readonly<Record<string, string>> = {},
): SettingChange[] {
  const currencies = new Set([before, after].flatMap(({ exchangeRates }) => Object.keys(exchangeRates)))
  const rates = [...currencies].sort().map((currency) => `${RATES}${currency}`)
  const isListed = (name: string) => before.currency === after.currency || !name.startsWith(RATES) || name in named
  return [...ORDERED_NAMES, ...rates].filter(isListed).flatMap((setting) => {
    if (settingValue(before, setting) === settingValue(after, setting)) return []
    const [was, is] = [before, after].map((settings) => valueText(settings, setting))
    return [{ setting, message: `${settingTitle(setting)}: ${was} → ${is}` }]
  })
}

const RATES = 'exchangeRates.'
/** Those that decide most come first. */
const FIRST: readonly string[] = ['without', 'awardTolerance', 'priceBasis', 'volume', 'discountRate', 'currency']
const ORDERED_NAMES = [...FIRST, ...SETTING_NAMES.filter((name) => !FIRST.includes(name))]

const TITLES: Readonly<Record<string, string>> = {
  priceBasis: 'Compared by',
  currency: 'Compared in',
  without: 'Offers left out',
}

/** What a setting is called. @param name a parameter: `requirements.priceMax` */
export function settingTitle(name: string): string {
  const [section = '', key = ''] = name.split('.')
  if (section === 'requirements') return REQUIREMENT_TITLES[key as RequirementName]
  if (section === 'exchangeRates') return `Value of 1 ${key}`
  return TITLES[name] ?? SETTING_TEXT[name as keyof typeof SETTING_TEXT].label
}

function valueText(settings: Settings, name: string): string {
  const value = settingValue(settings, name)
  if (name.startsWith(RATES))
    return value === undefined ? 'not known' : `${formatDecimal(Number(value))} ${settings.currency ?? ''}`.trimEnd()
  switch (name) {
    case 'priceBasis':
      return PRICED_BY[value as PriceBasis]
    case 'without':
      return value === null ? 'none' : `no. ${value}`
    case 'currency':
      return value === null ? 'the currency of the RFQ' : String(value)
    case 'volume':
      return value === null ? 'the minimum of the RFQ' : formatTonnes(Number(value))
    default:
      return typeof value === 'number' ? formatPercent(value) : String(value)
  }
}
