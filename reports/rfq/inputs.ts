import { RULE_TEXT } from '../../src/compare/decision/recommendation-input.js'
import { CRITERION_NAMES, CRITERION_RULES } from '../../src/compare/offer/criterion-text.js'
import { type NumberSetting, SETTING_TEXT, TARGET_TEXT } from '../../src/compare/setting-text.js'
import {
  AWARD_RULES,
  CRITERIA,
  HAIRCUT_KINDS,
  type HaircutKind,
  REQUIREMENT_LEVELS,
  type RequirementName,
  SETTING_LIMITS,
  WANTED_BASES,
  type WantedBasis,
} from '../../src/core/settings.js'
import { guardCell, type Withheld } from '../layout/guard.js'
import { codeList, codeWords, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, date, formula, moment, number, stringLiteral, text } from '../xlsx/cells.js'
import { type DataValidation, numberAboveZero, numberBetween, oneOf } from '../xlsx/validations.js'
import type { RfqLayout } from './layout.js'
import { SAME, sameCell } from './scoring-sheet.js'

/** Results that depend on an invalid input are withheld. */
export const INVALID_INPUT: Withheld = { when: 'InputErrors>0', words: 'check Inputs' }

/** One row of `Inputs`: a value with its explanation. */
export interface Entry {
  label: string
  value: Cell
  unit: string | Cell
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
  { title: 'Price, time and volume', entries: valueEntries(layout) },
  { title: 'Tolerances and warning limits', entries: toleranceEntries(layout) },
  { title: 'Delivery-risk haircuts', entries: haircutEntries(layout) },
  { title: `Exchange rates${layout.currency === null ? '' : ` to ${layout.currency}`}`, entries: rateEntries(layout) },
  { title: 'RFQ limits, as received', entries: [timeLimits, volumeLimits, priceLimits].flatMap((of) => of(layout)) },
]

/** The defined names of cells, by requirement and kind of contract. */
export const requirementCell = (name: RequirementName) => `Require_${name}`
export const haircutCell = (kind: HaircutKind) => `Haircut${codeWords(kind)}`

const choice = (
  setting: string,
  { name, ...entry }: Pick<Entry, 'label' | 'unit' | 'explanation'> & { name: string },
  chosen: string,
  choices: readonly string[],
): Entry => ({ ...entry, name, value: text(chosen, toRight), input: { setting, ...choiceInput(choices) } })

const LEVELS_EXPLAINED =
  'Hard: offers that do not meet it are not awarded. Advisory: they may be awarded, and the recommendation says so. Off: not considered.'

function decisionEntries({ report, failures }: RfqLayout): Entry[] {
  const { rule, requirements } = report.decision
  const { length } = failures.candidates
  const rules = `${AWARD_RULES.map((each) => `${each}: ${RULE_TEXT[each].words}`).join('. ')}.`
  return [
    choice('awardRule', { name: 'AwardRule', label: 'Award rule', unit: '', explanation: rules }, rule, AWARD_RULES),
    ...requirements.map(({ name, title, level, setting, offersNotMeeting }, at) => {
      const words = `not met by ${offersNotMeeting} of ${length}`
      // Whether offers meet a price limit depends on exchange rates.
      const unit = formula(`IF(AwardRatesChanged>0,"outdated",${stringLiteral(words)})`, words, style.wrapped)
      const explanation = at === 0 ? LEVELS_EXPLAINED : 'Hard, advisory or off.'
      const entry = { name: requirementCell(name), label: title, unit, explanation }
      return choice(setting, entry, level, REQUIREMENT_LEVELS)
    }),
  ]
}

const weightEntries = (layout: RfqLayout): Entry[] =>
  layout.report.decision.criteria.criteria.map(({ criterion, weight, distinguishes }) => ({
    name: `Weight_${criterion}`,
    label: `${CRITERION_NAMES[criterion]}: ${CRITERION_RULES[criterion]}`,
    value: number(weight, style.oneDecimal),
    unit: formula(
      `IF(${sameCell(layout, criterion)}="${SAME}","${SAME}","${SETTING_TEXT.weights.unit}")`,
      distinguishes === false ? SAME : SETTING_TEXT.weights.unit,
      style.wrapped,
    ),
    input: { setting: `weights.${criterion}`, ...weightInput },
    explanation: SETTING_TEXT.weights.words,
  }))

/** Makes the entry of a setting that is one number. */
const numberEntry =
  ({ report: { settings } }: RfqLayout) =>
  (setting: NumberSetting, name: string, cellStyle: style.Style): Entry => {
    const { label, unit, words } = SETTING_TEXT[setting]
    const input = { setting, ...numberInput(SETTING_LIMITS[setting]) }
    return { name, label, unit, value: number(settings[setting], cellStyle), input, explanation: words }
  }

function valueEntries(layout: RfqLayout): Entry[] {
  const { settings, rfq } = layout.report
  const entry = numberEntry(layout)
  const aim = `The RFQ’s volume that coverage and awards aim at: minimum, midpoint or maximum. Original value: ${rfq.wanted.words}`
  const wanted = { name: 'WantedBasis', label: 'Wanted volume', unit: 'min, mid or max', explanation: aim }
  const { words, ...others } = SETTING_TEXT.rankExpired
  const expired = { name: 'RankExpired', ...others, explanation: words }
  return [
    entry('discountRate', 'DiscountRate', style.percent),
    choice('wantedVolume', wanted, settings.wantedVolume, WANTED_BASES),
    choice('rankExpired', expired, yesNo(settings.rankExpired), ['yes', 'no']),
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
    label: contract === 'other' ? 'Other or unknown contract type' : codeWords(contract),
    value: number(settings.haircuts[contract], style.percent),
    unit: SETTING_TEXT.haircuts.unit,
    input: { setting: `haircuts.${contract}`, ...numberInput(SETTING_LIMITS.haircut) },
    explanation: SETTING_TEXT.haircuts.words,
  }))

const rateEntries = ({ report, currency }: RfqLayout): Entry[] =>
  report.currency.rates.map(({ currency: code, rate, words, offers }) => ({
    name: `Rate_${code}`,
    label: `1 ${code}`,
    value: number(rate, style.exchangeRate),
    unit: currency ?? '',
    explanation: `${words} Offers in this currency: ${offers}.`,
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
  const chosen = 'IF(WantedBasis="min",WantedMin,IF(WantedBasis="max",WantedMax,WantedMid))'
  const tonnes = formula(`IF(N(${chosen})>0,${chosen},NA())`, rfq.wanted.volume, numbers.volume)
  const which = 'The target chosen under “Wanted volume” above.'
  return [
    fact('Minimum volume', volume(rfq.minVolume), 't'),
    fact('Maximum volume', volume(rfq.maxVolume), 't', 'MaxVolume'),
    ...WANTED_BASES.map((basis) => {
      const { label, words } = TARGET_TEXT[basis]
      return fact(label, volume(rfq.wanted[basis]), 't', `Wanted${codeWords(basis)}`, words)
    }),
    fact('Wanted volume in tonnes', guardCell(tonnes, INVALID_INPUT), 't', 'WantedVolume', which),
  ]
}

function priceLimits({ report, numbers, price, currency }: RfqLayout): Entry[] {
  const { rfq } = report
  const code = report.currency.rfq
  const rate = report.currency.rates.some((known) => known.currency === code) ? `Rate_${code}` : 'NA()'
  const words = 'The price limit, converted.'
  const budget = `${words} Budget = maximum price × awarded tonnes.`
  const limits = [
    { title: 'Minimum', name: 'MinPrice', sent: rfq.minUnitPrice, compared: rfq.comparedMinUnitPrice, words },
    { title: 'Maximum', name: 'MaxPrice', sent: rfq.maxUnitPrice, compared: rfq.comparedMaxUnitPrice, words: budget },
  ]
  const converted = (name: string, compared: number | null) => {
    const expression = `IF(AND(ISNUMBER(${name}Sent),ISNUMBER(${rate})),${name}Sent*${rate},NA())`
    return guardCell(formula(expression, compared, price), INVALID_INPUT)
  }
  return [
    ...limits.map(({ title, name, sent }) =>
      fact(`${title} price per tonne`, number(sent, numbers.price(code)), rfq.currency ?? '', `${name}Sent`),
    ),
    ...limits.map(({ title, name, compared, words }) =>
      fact(`${title} price in the comparison currency`, converted(name, compared), currency ?? '', name, words),
    ),
  ]
}

/** A volume counts as reached if it is short by at most a billionth, the rounding error of sums. */
export const REACHED_FACTOR = '(1-1E-9)'
/** The fewest tonnes that count as reaching the wanted volume. */
export const REACHED_VOLUME = `WantedVolume*${REACHED_FACTOR}`

/** An expression that selects one of three by the wanted volume on Inputs. */
export function byWantedBasis(expression: (basis: WantedBasis) => string): string {
  const [min, mid, max] = [expression('min'), expression('mid'), expression('max')]
  return min === mid && mid === max ? min : `IF(WantedBasis="min",${min},IF(WantedBasis="max",${max},${mid}))`
}
