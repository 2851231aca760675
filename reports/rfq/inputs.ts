import { type NumberSetting, SETTING_TEXT } from '../../src/compare/decision/setting-text.js'
import { RULE_TEXT } from '../../src/compare/decision/what-if.js'
import { CRITERION_NAMES, CRITERION_RULES } from '../../src/compare/offer/criterion-text.js'
import {
  AWARD_RULES,
  CRITERIA,
  HAIRCUT_KINDS,
  type HaircutKind,
  PRICE_BASES,
  type PriceBasis,
  REQUIREMENT_LEVELS,
  SETTING_LIMITS,
} from '../../src/core/decision/settings.js'
import { codeLabel, codeList } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, date, formula, moment, number, text } from '../xlsx/cells.js'
import { type DataValidation, numberAboveZero, numberBetween, oneOf, optional } from '../xlsx/validations.js'
import type { RfqLayout } from './layout.js'

/** One row of `Inputs`: a value with its explanation. */
export interface Entry {
  label: string
  value: Cell
  unit: string
  explanation?: string | undefined
  /** Defined name of the cell, for formulas. */
  name?: string | undefined
  /** Set for cells the reader may change. */
  input?: Input
}

/** What the reader may change. */
export interface Input {
  /** Key of the setting, for `report --set`. */
  setting: string
  rule: DataValidation
  /** Whether a cell has an accepted value, as a formula that is TRUE, FALSE or an error. */
  accepts: (cell: string) => string
}
type Accepted = Omit<Input, 'setting'>

const numberInput = ([min, max]: readonly [number, number]): Accepted => ({
  rule: numberBetween([min, max]),
  accepts: (cell) => `IF(ISNUMBER(${cell}),IF(${cell}>=${min},${cell}<=${max},FALSE),FALSE)`,
})

const choiceInput = (choices: readonly string[]): Accepted => ({
  rule: oneOf(choices),
  accepts: (cell) => `OR(${choices.map((choice) => `EXACT(${cell},"${choice}")`).join(',')})`,
})

/** As `numberInput`, or empty. */
function optionalInput(limits: readonly [number, number]): Accepted {
  const { rule, accepts } = numberInput(limits)
  return { rule: optional(rule), accepts: (cell) => `IF(ISBLANK(${cell}),TRUE,${accepts(cell)})` }
}

/** A rate above 0; empty only if none was known. */
const rateInput = (rate: number | null): Accepted => {
  const [, max] = SETTING_LIMITS.rate
  const known = (cell: string) => `IF(ISNUMBER(${cell}),IF(${cell}>0,${cell}<=${max},FALSE),FALSE)`
  return {
    rule: numberAboveZero(max),
    accepts: (cell) => (rate === null ? `IF(ISBLANK(${cell}),TRUE,${known(cell)})` : known(cell)),
  }
}

/** As `numberInput`; not all weights are 0. */
const weightInput: Accepted = (() => {
  const { rule, accepts } = numberInput(SETTING_LIMITS.weight)
  const sum = CRITERIA.map((criterion) => `N(Weight_${criterion})`).join('+')
  return { rule, accepts: (cell) => `IF(${accepts(cell)},${sum}>0,FALSE)` }
})()

const toRight = style.asRight(style.body)
const dateToRight = style.asRight(style.calendarDate)

export type Section = ReturnType<typeof inputSections>[number]

/** The inputs and the limits as received, in the order of the sheet. */
export const inputSections = (layout: RfqLayout) => [
  { title: 'Award rule and requirements', entries: decisionEntries(layout) },
  { title: 'Weights', entries: weightEntries(layout) },
  { title: 'Price and time', entries: valueEntries(layout) },
  { title: 'Tolerances and warning limits', entries: toleranceEntries(layout) },
  { title: 'Delivery-risk haircuts', entries: haircutEntries(layout) },
  { title: `Exchange rates${layout.currency === null ? '' : ` to ${layout.currency}`}`, entries: rateEntries(layout) },
  { title: 'RFQ limits, as received', entries: [timeLimits, volumeLimits, priceLimits].flatMap((of) => of(layout)) },
]

/** The defined name of the cell, by kind of contract. */
export const haircutCell = (kind: HaircutKind) => `Haircut${codeLabel(kind)}`

const choice = (
  setting: string,
  { name, ...entry }: Pick<Entry, 'label' | 'unit' | 'explanation'> & { name: string },
  chosen: string,
  choices: readonly string[],
): Entry => ({ ...entry, name, value: text(chosen, toRight), input: { setting, ...choiceInput(choices) } })

const LEVELS_EXPLAINED =
  'Hard: offers that do not meet it are not awarded. Advisory: they may be awarded, and the recommendation says so. Off: not considered.'

const BASIS_TEXT: Record<PriceBasis, string> = {
  quoted: 'total payable',
  'present-value': 'present value of the payments',
  'risk-adjusted': 'present value ÷ (1 − haircut)',
}
const explained = <Of extends string>(all: readonly Of[], texts: Record<Of, string>) =>
  `${all.map((each) => `${each}: ${texts[each]}`).join('; ')}.`

function decisionEntries({ report, numbers }: RfqLayout): Entry[] {
  const { settings, decision, offers, rfq } = report
  const open = offers.filter(({ exclusions }) => exclusions.length === 0).length
  const rule = { name: 'AwardRule', label: 'Award rule', unit: '', explanation: explained(AWARD_RULES, RULE_TEXT) }
  const basis = { name: 'PriceBasis', label: 'Price basis', unit: '', explanation: explained(PRICE_BASES, BASIS_TEXT) }
  const { label, unit, message } = SETTING_TEXT.volume
  return [
    choice('awardRule', rule, settings.awardRule, AWARD_RULES),
    choice('priceBasis', basis, settings.priceBasis, PRICE_BASES),
    {
      name: 'VolumeSet',
      label,
      unit,
      value: number(settings.volume, numbers.volume),
      input: { setting: 'volume', ...optionalInput(SETTING_LIMITS.volume) },
      explanation: `${message} With the inputs of this report: ${rfq.window.message}`,
    },
    ...decision.requirements.map(({ name, title, level, setting, offersNotMeeting }, at) => {
      const unit = `not met by ${offersNotMeeting} of ${open}`
      const explanation = at === 0 ? LEVELS_EXPLAINED : 'Hard, advisory or off.'
      return choice(setting, { name: `Require_${name}`, label: title, unit, explanation }, level, REQUIREMENT_LEVELS)
    }),
  ]
}

const weightEntries = ({ report }: RfqLayout): Entry[] =>
  CRITERIA.map((criterion) => ({
    name: `Weight_${criterion}`,
    label: `${CRITERION_NAMES[criterion]}: ${CRITERION_RULES[criterion]}`,
    value: number(report.settings.weights[criterion], style.oneDecimal),
    unit: SETTING_TEXT.weights.unit,
    input: { setting: `weights.${criterion}`, ...weightInput },
    explanation: SETTING_TEXT.weights.message,
  }))

/** Makes the entry of a setting that is one number. */
const numberEntry =
  ({ report: { settings } }: RfqLayout) =>
  (setting: NumberSetting, name: string, cellStyle: style.Style): Entry => {
    const { label, unit, message } = SETTING_TEXT[setting]
    const input = { setting, ...numberInput(SETTING_LIMITS[setting]) }
    return { name, label, unit, value: number(settings[setting], cellStyle), input, explanation: message }
  }

function valueEntries(layout: RfqLayout): Entry[] {
  const entry = numberEntry(layout)
  return [
    entry('discountRate', 'DiscountRate', style.percent),
    entry('waitDays', 'WaitDays', style.plainNumber),
    entry('vintagePointsPerYear', 'VintagePoints', style.oneDecimal),
  ]
}

function toleranceEntries(layout: RfqLayout): Entry[] {
  const entry = numberEntry(layout)
  return [
    entry('volumeTolerance', 'VolumeTolerance', style.withNumberFormat(layout.numbers.volume, '#,##0.0##')),
    entry('totalTolerance', 'TotalTolerance', style.withNumberFormat(style.percent, '0.00%')),
    entry('expiryWindowDays', 'ExpiryWindowDays', style.plainNumber),
    entry('prepaymentShareLimit', 'PrepaymentLimit', style.percent),
  ]
}

const haircutEntries = ({ report: { settings } }: RfqLayout): Entry[] =>
  HAIRCUT_KINDS.map((contract) => ({
    name: haircutCell(contract),
    label: contract === 'other' ? 'Other or unknown contract type' : codeLabel(contract),
    value: number(settings.haircuts[contract], style.percent),
    unit: SETTING_TEXT.haircuts.unit,
    input: { setting: `haircuts.${contract}`, ...numberInput(SETTING_LIMITS.haircut) },
    explanation: SETTING_TEXT.haircuts.message,
  }))

const rateEntries = ({ report, currency }: RfqLayout): Entry[] =>
  report.currency.rates.map(({ currency: code, rate, message, offers }) => ({
    name: `Rate_${code}`,
    label: `1 ${code}`,
    value: number(rate, style.exchangeRate),
    unit: currency ?? '',
    explanation: `${message} Offers in this currency: ${offers}.`,
    ...(code !== currency && { input: { setting: `exchangeRates.${code}`, ...rateInput(rate) } }),
  }))

const fact = (label: string, value: Cell, unit = '', name?: string, explanation?: string): Entry => ({
  label,
  value,
  unit,
  name,
  explanation,
})

function timeLimits({ report: { context, rfq } }: RfqLayout): Entry[] {
  const vintage = (year: number | null) => number(year, style.plainNumber, 'Any')
  const asOf = 'Later observations are excluded. The time the report was generated is the date of the file itself.'
  const zone = `Days are counted from this date, in the time zone ${context.timeZone}.`
  const days = number(rfq.daysToFulfilment, style.plainNumber)
  return [
    fact('As of', moment(context.asOf, style.asRight(style.timestamp)), '', undefined, asOf),
    fact('As-of date', date(context.asOfDate, dateToRight), '', 'AsOfDate', zone),
    fact('Response due date', date(rfq.responseDueDate, dateToRight)),
    fact('Fulfilment due date', date(rfq.fulfilmentDueDate, dateToRight)),
    fact('Days to fulfilment', days, 'days', 'FulfilmentDays', 'Lines due later are not on time.'),
    fact('Oldest vintage requested', vintage(rfq.minVintageYear), 'year'),
    fact('Newest vintage requested', vintage(rfq.maxVintageYear), 'year'),
    fact('Contract types', text(codeList(rfq.contractTypes), toRight)),
  ]
}

function volumeLimits({ report: { rfq }, numbers }: RfqLayout): Entry[] {
  const volume = (value: number | null) => number(value, numbers.volume)
  const set = 'AND(N(VolumeSet)>0,N(VolumeSet)>N(MinVolume))'
  const tonnes = `IF(${set},VolumeSet,IF(N(MinVolume)>0,MinVolume,NA()))`
  const message = 'The RFQ’s minimum, or the tonnes entered above if they are more. Coverage is measured by it.'
  return [
    fact('Minimum volume', volume(rfq.minVolume), 't', 'MinVolume'),
    fact('Maximum volume', volume(rfq.maxVolume), 't'),
    fact('Tonnes asked for', formula(tonnes, rfq.window.lower, numbers.volume), 't', 'TonnesAskedFor', message),
  ]
}

function priceLimits({ report, numbers, price, currency }: RfqLayout): Entry[] {
  const { rfq } = report
  const code = report.currency.rfq
  const rate = report.currency.rates.some((known) => known.currency === code) ? `Rate_${code}` : 'NA()'
  const limits = [
    { title: 'Minimum', name: 'MinPriceSent', sent: rfq.minUnitPrice, compared: rfq.comparedMinUnitPrice },
    { title: 'Maximum', name: 'MaxPriceSent', sent: rfq.maxUnitPrice, compared: rfq.comparedMaxUnitPrice },
  ]
  return limits.flatMap(({ title, name, sent, compared }) => {
    const converted = `IF(AND(ISNUMBER(${name}),ISNUMBER(${rate})),${name}*${rate},NA())`
    return [
      fact(`${title} price per tonne`, number(sent, numbers.price(code)), rfq.currency ?? '', name),
      ...(code === currency
        ? []
        : [fact(`${title} price in the comparison currency`, formula(converted, compared, price), currency ?? '')]),
    ]
  })
}
