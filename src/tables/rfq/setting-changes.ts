import { PRICED_BY, SETTING_TEXT } from '../../compare/decision/setting-text.js'
import { REQUIREMENT_TITLES } from '../../compare/offer/requirements.js'
import { DEFAULT_SETTINGS, type PriceBasis, type RequirementName, type Settings } from '../../core/decision/settings.js'
import { formatAmount, formatDecimal, formatPercent } from '../../core/text/number-format.js'
import { SETTING_NAMES, settingValue } from '../settings.js'

/** A setting that has another value, in words. */
export interface SettingChange {
  /** As a parameter has it: `requirements.priceMax`. */
  setting: string
  /** `Price at most the maximum`. */
  title: string
  before: string
  after: string
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
    const [was, is] = [before, after].map((settings) => valueText(settings, setting)) as [string, string]
    if (settingValue(before, setting) === settingValue(after, setting)) return []
    const title = settingTitle(setting)
    return [{ setting, title, before: was, after: is, message: `${title}: ${was} → ${is}` }]
  })
}

const RATES = 'exchangeRates.'
/** Those that decide most come first. */
const FIRST: readonly string[] = ['without', 'awardTolerance', 'priceBasis', 'volume', 'discountRate', 'currency']
const ORDERED_NAMES = [...FIRST, ...SETTING_NAMES.filter((name) => !FIRST.includes(name))]

/** What a setting is called. @param name a parameter: `requirements.priceMax` */
export function settingTitle(name: string): string {
  const [section = '', key = ''] = name.split('.')
  switch (section) {
    case 'requirements':
      return REQUIREMENT_TITLES[key as RequirementName]
    case 'exchangeRates':
      return `Value of 1 ${key}`
    case 'priceBasis':
      return 'Compared by'
    case 'currency':
      return 'Compared in'
    case 'without':
      return 'Offers left out'
    default:
      return SETTING_TEXT[section as keyof typeof SETTING_TEXT].label
  }
}

/** The names of settings that are shares of something. */
const SHARES: readonly string[] = ['awardTolerance', 'discountRate']

function valueText(settings: Settings, name: string): string {
  const value = settingValue(settings, name)
  const [section = ''] = name.split('.')
  if (name === 'priceBasis') return PRICED_BY[value as PriceBasis]
  if (name === 'without') return value === null ? 'none' : `no. ${value}`
  if (name === 'currency') return value === null ? 'the currency of the RFQ' : String(value)
  if (section === 'exchangeRates') return value === undefined ? 'not known' : rateText(Number(value), settings.currency)
  if (value === null) return 'the minimum of the RFQ'
  if (typeof value !== 'number') return String(value)
  if (SHARES.includes(name)) return formatPercent(value)
  const unit = name in DEFAULT_SETTINGS ? SETTING_TEXT[name as keyof typeof SETTING_TEXT].unit : ''
  return `${formatAmount(value)} ${unit}`.trimEnd()
}

const rateText = (rate: number, currency: string | null) => `${formatDecimal(rate)} ${currency ?? ''}`.trimEnd()
