import { RULE_TEXT } from '../../src/domain/comparison/decision/recommendation-input.js'
import { CRITERION_NAMES, CRITERION_RULES } from '../../src/domain/comparison/offer/criterion-text.js'
import {
  AWARD_RULES,
  CRITERIA,
  REQUIREMENT_LEVELS,
  type RequirementName,
  SETTING_LIMITS,
  WANTED_BASES,
} from '../../src/domain/comparison/settings.js'
import { codeList } from '../layout/codes.js'
import { guardCell } from '../layout/guard.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, date, formula, moment, number, stringLiteral, text } from '../xlsx/cells.js'
import { type DataValidation, numberAboveZero, numberBetween, oneOf } from '../xlsx/validations.js'
import { INVALID_INPUT } from './input-guard.js'
import { TARGET_LABELS } from './label-tables.js'
import type { RfqLayout } from './layout.js'

/** One row of `Inputs`: a value with its explanation. */
export interface Entry {
  label: string
  value: Cell
  unit: string | Cell
  /** Where it depends on the report; otherwise that of the label in EXPLANATIONS. */
  explanation?: string
  /** Defined name of the cell, for formulas. */
  name?: string
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

export interface Section {
  title: string
  entries: readonly Entry[]
}

const numberInput = ([min, max]: readonly [number, number]): Accepted => ({
  rule: numberBetween([min, max]),
  accepts: (cell) => `IF(ISNUMBER(${cell}),IF(${cell}>=${min},${cell}<=${max},FALSE),FALSE)`,
})

const choiceInput = (choices: readonly string[]): Accepted => ({
  rule: oneOf(choices),
  accepts: (cell) => `OR(${choices.map((choice) => `EXACT(${cell},"${choice}")`).join(',')})`,
})

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

/** What a value affects and where it comes from, by label. */
export const EXPLANATIONS: Readonly<Record<string, string>> = {
  'Discount rate':
    'Payments due before the as-of date or without a date are not discounted. Affects present values, risk-adjusted prices and ranks.',
  'Rank expired offers':
    'Offers past their expiry date are ranked only if set to yes. Accepted offers are always ranked.',
  'Mean wait that halves the promptness score': 'Affects the promptness score.',
  'Vintage points lost per year of age':
    'Age: year of the as-of date minus the volume-weighted mean vintage year. Affects the vintage score.',
  'Volume tolerance':
    'Allowed difference between a stated volume and the sum of its lines. Affects Checks and the column “Volume check” of Offers.',
  'Total tolerance':
    'Allowed difference between a stated total and the sum of its lines, at least 0.01. Differences above 0.01 within the tolerance count as rounding. Affects Checks and the column “Total check” of Offers.',
  'Expiry warning period': 'Affects the column “Expiry check” of Offers. Flags keep their original text.',
  'Pre-payment limit': 'Affects the column “Pre-payment check” of Offers. Flags keep their original text.',
  'As of': 'Later observations are excluded. The time the report was generated is the date of the file itself.',
  'Days to fulfilment': 'Lines due later are not on time.',
  [TARGET_LABELS.min]: 'The RFQ’s minimum, or its maximum if it states no minimum.',
  [TARGET_LABELS.mid]: 'Midpoint of the two.',
  [TARGET_LABELS.max]: 'The RFQ’s maximum, or its minimum if it states no maximum.',
  'Wanted volume in tonnes': 'The target chosen under “Wanted volume” above.',
  'Minimum price in the comparison currency': 'The price limit, converted.',
  'Maximum price in the comparison currency': 'The price limit, converted. Budget = maximum price × awarded tonnes.',
}

const toRight = style.asRight(style.body)
const dateToRight = style.asRight(style.calendarDate)

/** The inputs and the limits as received, in the order of the sheet. */
export const inputSections = (layout: RfqLayout): Section[] => [
  { title: 'Award rule and requirements', entries: decisionEntries(layout) },
  { title: 'Weights', entries: weightEntries(layout) },
  { title: 'Price, time and volume', entries: valueEntries(layout) },
  { title: 'Tolerances and warning limits', entries: toleranceEntries(layout) },
  { title: 'Delivery-risk haircuts', entries: haircutEntries(layout) },
  {
    title: layout.currency === null ? 'Exchange rates' : `Exchange rates to ${layout.currency}`,
    entries: rateEntries(layout),
  },
  {
    title: 'RFQ limits, as received',
    entries: [...timeLimits(layout), ...volumeLimits(layout), ...priceLimits(layout)],
  },
]

/** The defined name of the cell with the level of a requirement. */
export const requirementCell = (name: RequirementName) => `Require_${name}`

const choice = (
  setting: string,
  { name, ...entry }: Pick<Entry, 'label' | 'unit' | 'explanation'> & { name: string },
  [chosen, ...choices]: readonly [chosen: string, ...choices: string[]],
): Entry => ({ ...entry, name, value: text(chosen, toRight), input: { setting, ...choiceInput(choices) } })

const LEVELS_EXPLAINED =
  'Hard: offers that do not meet it are not awarded. Advisory: they may be awarded, and the recommendation says so. Off: not considered.'

/** Whether offers meet a price limit depends on exchange rates. */
const offersNotMeetingCell = (words: string): Cell =>
  formula(`IF(AwardRatesChanged>0,"outdated",${stringLiteral(words)})`, words, style.wrapped)

function decisionEntries({ report, failures }: RfqLayout): Entry[] {
  const { rule, requirements } = report.decision
  const { length } = failures.candidates
  const rules = `${AWARD_RULES.map((each) => `${each}: ${RULE_TEXT[each].words}`).join('. ')}.`
  return [
    choice('awardRule', { name: 'AwardRule', label: 'Award rule', unit: '', explanation: rules }, [
      rule,
      ...AWARD_RULES,
    ]),
    ...requirements.map(({ name, title, level, setting, offersNotMeeting }, at) => {
      const unit = offersNotMeetingCell(`not met by ${offersNotMeeting} of ${length}`)
      const explanation = at === 0 ? LEVELS_EXPLAINED : 'Hard, advisory or off.'
      return choice(setting, { name: requirementCell(name), label: title, unit, explanation }, [
        level,
        ...REQUIREMENT_LEVELS,
      ])
    }),
  ]
}

const weightEntries = ({ report }: RfqLayout): Entry[] =>
  CRITERIA.map((criterion) => ({
    name: `Weight_${criterion}`,
    label: `${CRITERION_NAMES[criterion]}: ${CRITERION_RULES[criterion]}`,
    value: number(report.settings.weights[criterion], style.oneDecimal),
    unit: 'points',
    input: { setting: `weights.${criterion}`, ...weightInput },
    explanation: 'Weight in the total score, relative to the sum of all weights.',
  }))

/** The settings that are one number. */
type NumberSetting = Exclude<keyof typeof SETTING_LIMITS, 'weight' | 'haircut' | 'rate'>

/** Makes the entry of a setting that is one number. */
const numberEntry =
  ({ report: { settings } }: RfqLayout) =>
  (setting: NumberSetting, name: string, label: string, look: style.Style, unit: string): Entry => ({
    ...{ name, label, unit, value: number(settings[setting], look) },
    input: { setting, ...numberInput(SETTING_LIMITS[setting]) },
  })

function valueEntries(layout: RfqLayout): Entry[] {
  const { settings, rfq } = layout.report
  const entry = numberEntry(layout)
  const wanted = `The RFQ’s volume that coverage and awards aim at: minimum, midpoint or maximum. Original value: ${rfq.wanted.words}`
  return [
    entry('discountRate', 'DiscountRate', 'Discount rate', style.percent, 'per year'),
    choice(
      'wantedVolume',
      { name: 'WantedBasis', label: 'Wanted volume', unit: 'min, mid or max', explanation: wanted },
      [settings.wantedVolume, ...WANTED_BASES],
    ),
    choice('rankExpired', { name: 'RankExpired', label: 'Rank expired offers', unit: 'yes or no' }, [
      settings.rankExpired ? 'yes' : 'no',
      ...['yes', 'no'],
    ]),
    entry('waitDays', 'WaitDays', 'Mean wait that halves the promptness score', style.plainNumber, 'days'),
    entry(
      'vintagePointsPerYear',
      'VintagePoints',
      'Vintage points lost per year of age',
      style.oneDecimal,
      'points per year',
    ),
  ]
}

function toleranceEntries(layout: RfqLayout): Entry[] {
  const entry = numberEntry(layout)
  const tonnes = style.withNumberFormat(layout.numbers.volume, '#,##0.0##')
  const share = style.withNumberFormat(style.percent, '0.00%')
  return [
    entry('volumeTolerance', 'VolumeTolerance', 'Volume tolerance', tonnes, 't'),
    entry('totalTolerance', 'TotalTolerance', 'Total tolerance', share, 'of the total'),
    entry('expiryWindowDays', 'ExpiryWindowDays', 'Expiry warning period', style.plainNumber, 'days'),
    entry('prepaymentShareLimit', 'PrepaymentLimit', 'Pre-payment limit', style.percent, 'of the total'),
  ]
}

function haircutEntries({ report }: RfqLayout): Entry[] {
  const { haircuts } = report.settings
  const entry = (contract: keyof typeof haircuts, label: string): Entry => ({
    name: `Haircut${contract[0]?.toUpperCase()}${contract.slice(1)}`,
    label,
    value: number(haircuts[contract], style.percent),
    unit: 'of the volume',
    input: { setting: `haircuts.${contract}`, ...numberInput(SETTING_LIMITS.haircut) },
    explanation:
      'Share of the volume not expected to be delivered. The price per tonne is divided by the remaining share.',
  })
  return [entry('spot', 'Spot'), entry('forward', 'Forward'), entry('other', 'Other or unknown contract type')]
}

const rateEntries = ({ report, currency }: RfqLayout): Entry[] =>
  report.currency.rates.map(({ currency: code, rate, words, offers }) => ({
    name: `Rate_${code}`,
    label: `1 ${code}`,
    value: number(rate, style.exchangeRate),
    unit: currency ?? '',
    explanation: `${words} Offers in this currency: ${offers}.`,
    ...(code !== currency && { input: { setting: `exchangeRates.${code}`, ...rateInput(rate) } }),
  }))

const fact = (label: string, value: Cell, unit = '', name?: string): Entry => ({
  ...{ label, value, unit },
  ...(name !== undefined && { name }),
})

function timeLimits({ report: { context, rfq } }: RfqLayout): Entry[] {
  const vintage = (year: number | null) => number(year, style.plainNumber, 'Any')
  const zone = `Days are counted from this date, in the time zone ${context.timeZone}.`
  return [
    fact('As of', moment(context.asOf, style.asRight(style.timestamp))),
    { ...fact('As-of date', date(context.asOfDate, dateToRight), '', 'AsOfDate'), explanation: zone },
    fact('Response due date', date(rfq.responseDueDate, dateToRight)),
    fact('Fulfilment due date', date(rfq.fulfilmentDueDate, dateToRight)),
    fact('Days to fulfilment', number(rfq.daysToFulfilment, style.plainNumber), 'days', 'FulfilmentDays'),
    fact('Oldest vintage requested', vintage(rfq.minVintageYear), 'year'),
    fact('Newest vintage requested', vintage(rfq.maxVintageYear), 'year'),
    fact('Contract types', text(codeList(rfq.contractTypes), toRight)),
  ]
}

function volumeLimits({ report: { rfq }, numbers }: RfqLayout): Entry[] {
  const { wanted } = rfq
  const volume = (value: number | null) => number(value, numbers.volume)
  const chosen = 'IF(WantedBasis="min",WantedMin,IF(WantedBasis="max",WantedMax,WantedMid))'
  const tonnes = formula(`IF(N(${chosen})>0,${chosen},NA())`, wanted.volume, numbers.volume)
  return [
    fact('Minimum volume', volume(rfq.minVolume), 't'),
    fact('Maximum volume', volume(rfq.maxVolume), 't', 'MaxVolume'),
    fact(TARGET_LABELS.min, volume(wanted.min), 't', 'WantedMin'),
    fact(TARGET_LABELS.mid, volume(wanted.mid), 't', 'WantedMid'),
    fact(TARGET_LABELS.max, volume(wanted.max), 't', 'WantedMax'),
    fact('Wanted volume in tonnes', guardCell(tonnes, INVALID_INPUT), 't', 'WantedVolume'),
  ]
}

function priceLimits({ report, numbers, currency }: RfqLayout): Entry[] {
  const { rfq } = report
  const code = report.currency.rfq
  const rate = report.currency.rates.some((known) => known.currency === code) ? `Rate_${code}` : 'NA()'
  const limits = [
    { title: 'Minimum', name: 'MinPrice', sent: rfq.minUnitPrice, compared: rfq.comparedMinUnitPrice },
    { title: 'Maximum', name: 'MaxPrice', sent: rfq.maxUnitPrice, compared: rfq.comparedMaxUnitPrice },
  ]
  const converted = (name: string, compared: number | null) => {
    const expression = `IF(AND(ISNUMBER(${name}Sent),ISNUMBER(${rate})),${name}Sent*${rate},NA())`
    return guardCell(formula(expression, compared, numbers.price(currency)), INVALID_INPUT)
  }
  return [
    ...limits.map(({ title, name, sent }) =>
      fact(`${title} price per tonne`, number(sent, numbers.price(code)), rfq.currency ?? '', `${name}Sent`),
    ),
    ...limits.map(({ title, name, compared }) =>
      fact(`${title} price in the comparison currency`, converted(name, compared), currency ?? '', name),
    ),
  ]
}
