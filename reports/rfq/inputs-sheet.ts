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
import { columnIndex } from '../layout/grid.js'
import { guardCell } from '../layout/guard.js'
import { here, is, mark } from '../layout/marks.js'
import { bodyRow, emptyRows, headingRows, headRow, right, sectionRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan, Validation } from '../layout/sheet-plan.js'
import { rowSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, blank, type Cell, date, formula, moment, number, stringLiteral, text } from '../xlsx/cells.js'
import type { DataValidation } from '../xlsx/validations.js'
import { numberAboveZero, numberBetween, oneOf } from '../xlsx/validations.js'
import { INVALID_INPUT } from './input-guard.js'
import { TARGET_LABELS } from './label-tables.js'
import { type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'Change the yellow cells, and Offers, Scoring, Award, Sensitivity, Comparison and Summary are recalculated. All other cells show values as received.'
const WIDTHS = [40, 22, 20, 22, 12, 78, 30, 8]
const VALUE = 'B'
const ORIGINAL = 'D'
const STATE = 'E'
const COMMAND = 'F'
/** The state of an input that has a value it does not accept. */
const INVALID = 'invalid'
/** Working columns: options of the command, and the number of changes that solved awards do not follow. */
const OPTION = 'G'
const COUNT = 'H'

/** One row: a value with its explanation. */
interface Entry {
  /** Defined name of the cell, for formulas. */
  name?: string
  /** Key of the setting, for `report --set`. */
  setting?: string
  label: string
  value: Cell
  unit: string | Cell
  /** Set for cells the reader may change. */
  input?: Input
  explanation: string
}
/** The values that an input accepts. */
interface Input {
  rule: DataValidation
  /** Whether a cell has such a value, as a formula that is TRUE, FALSE or an error. */
  accepts: (cell: string) => string
}

const numberInput = ([min, max]: readonly [number, number]): Input => ({
  rule: numberBetween([min, max]),
  accepts: (cell) => `IF(ISNUMBER(${cell}),IF(${cell}>=${min},${cell}<=${max},FALSE),FALSE)`,
})

const choiceInput = (choices: readonly string[]): Input => ({
  rule: oneOf(choices),
  accepts: (cell) => `OR(${choices.map((choice) => `EXACT(${cell},"${choice}")`).join(',')})`,
})

/** A rate above 0; empty only if none was known. */
const rateInput = (rate: number | null): Input => {
  const [, max] = SETTING_LIMITS.rate
  const known = (cell: string) => `IF(ISNUMBER(${cell}),IF(${cell}>0,${cell}<=${max},FALSE),FALSE)`
  return {
    rule: numberAboveZero(max),
    accepts: (cell) => (rate === null ? `IF(ISBLANK(${cell}),TRUE,${known(cell)})` : known(cell)),
  }
}

/** As `numberInput`; not all weights are 0. */
const weightInput: Input = (() => {
  const { rule, accepts } = numberInput(SETTING_LIMITS.weight)
  const sum = CRITERIA.map((criterion) => `N(Weight_${criterion})`).join('+')
  return { rule, accepts: (cell) => `IF(${accepts(cell)},${sum}>0,FALSE)` }
})()

interface Section {
  title: string
  entries: readonly Entry[]
}

/** `Inputs`: values that the reader can change, and the RFQ's limits as received. Formulas refer to them by defined names. */
export function inputsSheet(layout: RfqLayout): SheetPlan {
  const all = sections(layout)
  const placed = withRows(all)
  const rows = [...inputRows(layout, all)]
  const last = placed.at(-1)?.row ?? 0
  return rowSheet({
    name: 'Inputs',
    widths: WIDTHS,
    rows: () => rows,
    frozen: { rows: HEADER_ROWS },
    names: [
      ...placed.flatMap(({ entry, row }) =>
        entry.name === undefined ? [] : [{ name: entry.name, address: `$${VALUE}$${row}` }],
      ),
      { name: 'InputsChanged', address: '$B$4' },
      { name: 'RatesChanged', address: '$D$4' },
      { name: 'ReportCommand', address: `$${COMMAND}$4` },
      ...ERROR_CELLS.map((name, at) => ({ name, address: `$${COUNT}$${at + 1}` })),
      { name: 'AwardRatesChanged', address: `$${COUNT}$4` },
    ],
    workingColumns: [OPTION, COUNT].map(columnIndex),
    validations: placed.flatMap(({ entry, row }): Validation[] =>
      entry.input === undefined ? [] : [{ address: `${VALUE}${row}`, rule: entry.input.rule }],
    ),
    marks: [
      mark(`${STATE}${HEADER_ROWS + 1}:${STATE}${last}`, is(here, '=', 'changed'), 'warn'),
      mark(`${STATE}${HEADER_ROWS + 1}:${STATE}${last}`, is(here, '=', INVALID), 'bad'),
    ],
    tab: 'FFE0B400',
    print: { titleRows: [HEADER_ROWS, HEADER_ROWS] },
  })
}

/** Heading, number of changed inputs, table header. */
const HEADER_ROWS = 5

function* inputRows(layout: RfqLayout, all: readonly Section[]): Generator<RowPlan> {
  const errors = errorCells(withRows(all), layout)
  for (const [at, row] of headingRows(rfqHeading(layout, 'Inputs', NOTE)).entries()) {
    yield {
      ...row,
      cells: Object.assign(Array.from({ length: WIDTHS.length }), row.cells, { [columnIndex(COUNT)]: errors[at] }),
    }
  }
  yield changesRow(withRows(all), layout)
  yield headRow('Input', right('Value'), 'Unit', right('Original value'), 'State', 'Effect and source')
  let row = HEADER_ROWS
  for (const { title, entries } of all) {
    yield* emptyRows(1)
    yield sectionRow(title)
    row += 2
    for (const entry of entries) yield entryRow(entry, ++row)
  }
}

/** Reasons for not ranking an offer that a changed input can remove. */
const REVERSIBLE = ['expired', 'no-exchange-rate', 'no-price']

/**
 * Names of the inputs that searched awards depend on: the rates of offers that are ranked or could become so, the rate of
 * the RFQ's price limits, and whether expired offers are ranked, if there are any.
 */
function awardInputs(layout: RfqLayout): ReadonlySet<string> {
  const expired = offersExcludedBy(layout, REVERSIBLE).some(({ terms }) => (terms.daysToExpiry ?? 0) < 0)
  return new Set([...ratesOf(layout, REVERSIBLE), ...(expired ? ['RankExpired'] : [])])
}

/** The offers that these reasons, and no others, exclude; all ranked ones among them. */
const offersExcludedBy = ({ report }: RfqLayout, codes: readonly string[]) =>
  report.offers.filter(({ eligibility }) => eligibility.exclusions.every(({ code }) => codes.includes(code)))

function ratesOf(layout: RfqLayout, codes: readonly string[]): string[] {
  const { rfq, currency } = layout.report
  const limited = rfq.minUnitPrice !== null || rfq.maxUnitPrice !== null
  const currencies = offersExcludedBy(layout, codes).map(({ terms }) => terms.currencyCode)
  return [...currencies, limited ? currency.rfq : null].map((code) => `Rate_${code}`)
}

/** Names of the inputs that awards solved ahead do not follow: they include rejected and withdrawn offers. */
const solvedAwardInputs = (layout: RfqLayout): ReadonlySet<string> =>
  new Set(ratesOf(layout, [...REVERSIBLE, 'rejected', 'withdrawn']))

function changesRow(placed: readonly Placed[], layout: RfqLayout): RowPlan {
  const inputs = placed.filter(({ entry }) => entry.input !== undefined)
  const last = placed.at(-1)?.row ?? HEADER_ROWS + 1
  const column = (letter: string) => `${letter}${HEADER_ROWS + 1}:${letter}${last}`
  const changed = (names: ReadonlySet<string>) => {
    const states = inputs
      .filter(({ entry }) => names.has(entry.name ?? ''))
      .map(({ row }) => `(${STATE}${row}="changed")`)
    return formula(states.length === 0 ? '0+0' : `0+${states.join('+')}`, 0, style.integer)
  }
  const { command } = layout.report.decision.switches
  return {
    workbookOnly: true,
    cells: [
      text('Inputs changed since the report was generated', style.body),
      formula(`COUNTIF(${column(STATE)},"changed")`, 0, style.integer),
      text('affecting awards', style.body),
      changed(awardInputs(layout)),
      text('Command:', style.body),
      formula(`${OPTION}4&_xlfn.TEXTJOIN("",TRUE,${column(OPTION)})`, command, style.body),
      text(command, style.body),
      changed(solvedAwardInputs(layout)),
    ],
  }
}

/** Names of the cells that say which inputs are invalid. */
const ERROR_CELLS = ['InputErrors', 'OwnAwardErrors', 'InvalidInputs']

/** The number of invalid inputs, of invalid tonnes on Award, and the addresses of both. */
function errorCells(placed: readonly Placed[], { award }: RfqLayout): Cell[] {
  const states = `${STATE}${HEADER_ROWS + 1}:${STATE}${placed.at(-1)?.row ?? HEADER_ROWS + 1}`
  const own = award.range('own')
  const isWrong = (cells: string) =>
    `IFERROR(IF(${cells}="",FALSE,IF(ISNUMBER(${cells}),IF(${cells}<0,TRUE,${cells}>${MAX_TONNES}),TRUE)),TRUE)`
  const list = (sheet: string, wrong: string, column: string, cells: string) =>
    `"${sheet}!"&_xlfn.TEXTJOIN(", ${sheet}!",TRUE,IF(${wrong},"${column}"&ROW(${cells}),""))`
  const onInputs = `IF(InputErrors>0,${list('Inputs', `${states}="${INVALID}"`, VALUE, states)},"")`
  const onAward = `IF(OwnAwardErrors>0,${list('Award', isWrong(own), award.letter('own'), own)},"")`
  return [
    formula(`COUNTIF(${states},"${INVALID}")`, 0, style.integer),
    formula(`COUNTA(${own})-COUNTIFS(${own},">=0",${own},"<=${MAX_TONNES}")`, 0, style.integer),
    arrayFormula(`${onInputs}&IF(AND(InputErrors>0,OwnAwardErrors>0),", ","")&${onAward}`, '', style.body),
  ]
}

const MAX_TONNES = '1E+12'

function entryRow(entry: Entry, row: number): RowPlan {
  const label = text(entry.label, style.wrapped)
  const unit = typeof entry.unit === 'string' ? text(entry.unit, style.wrapped) : entry.unit
  const explanation = text(entry.explanation, style.wrapped)
  if (entry.input === undefined)
    return bodyRow(label, entry.value, unit, blank(style.body), blank(style.body), explanation)
  const value = { ...entry.value, style: style.asInput(entry.value.style) }
  const [cell, original] = [`${VALUE}${row}`, `${ORIGINAL}${row}`]
  const isValid = `IFERROR(${entry.input.accepts(cell)},FALSE)`
  const state = formula(`IF(${isValid},IF(${cell}=${original},"","changed"),"${INVALID}")`, '', style.body)
  return bodyRow(label, value, unit, entry.value, state, explanation, optionCell(entry, row))
}

/** The option of `quotekeeper report` for a changed input. */
function optionCell({ setting, name }: Entry, row: number): Cell {
  const written = `SUBSTITUTE(${VALUE}${row}&"",",",".")`
  const value = name === 'RankExpired' ? `IF(${VALUE}${row}="yes","true","false")` : written
  return formula(`IF(${STATE}${row}="changed"," --set ${setting}="&${value},"")`, '', style.body)
}

interface Placed {
  entry: Entry
  row: number
}

function withRows(all: readonly Section[]): Placed[] {
  let row = HEADER_ROWS
  return all.flatMap(({ entries }) => {
    row += 2
    return entries.map((entry) => ({ entry, row: ++row }))
  })
}

function sections(layout: RfqLayout): Section[] {
  return [
    { title: 'Award rule and requirements', entries: decisionEntries(layout) },
    { title: 'Weights', entries: weightEntries(layout) },
    { title: 'Price, time and volume', entries: valueEntries(layout) },
    { title: 'Tolerances and warning limits', entries: toleranceEntries(layout) },
    { title: 'Delivery-risk haircuts', entries: haircutEntries(layout) },
    {
      title: layout.currency === null ? 'Exchange rates' : `Exchange rates to ${layout.currency}`,
      entries: rateEntries(layout),
    },
    { title: 'RFQ limits, as received', entries: limitEntries(layout) },
  ]
}

/** The defined name of the cell with the level of a requirement. */
export const requirementCell = (name: RequirementName) => `Require_${name}`

const LEVELS_EXPLAINED =
  'Hard: offers that do not meet it are not awarded. Advisory: they may be awarded, and the recommendation says so. Off: not considered.'

/** Whether offers meet a price limit depends on exchange rates. */
const offersNotMeetingCell = (words: string): Cell =>
  formula(`IF(AwardRatesChanged>0,"outdated",${stringLiteral(words)})`, words, style.wrapped)

function decisionEntries({ report, failures }: RfqLayout): Entry[] {
  const { rule, requirements } = report.decision
  const { length } = failures.candidates
  return [
    {
      name: 'AwardRule',
      setting: 'awardRule',
      label: 'Award rule',
      value: text(rule, toRight),
      unit: '',
      input: choiceInput(AWARD_RULES),
      explanation: `${AWARD_RULES.map((each) => `${each}: ${RULE_TEXT[each].words}`).join('. ')}.`,
    },
    ...requirements.map(({ name, title, level, setting, offersNotMeeting }, at) => ({
      name: requirementCell(name),
      setting,
      label: title,
      value: text(level, toRight),
      unit: offersNotMeetingCell(`not met by ${offersNotMeeting} of ${length}`),
      input: choiceInput(REQUIREMENT_LEVELS),
      explanation: at === 0 ? LEVELS_EXPLAINED : 'Hard, advisory or off.',
    })),
  ]
}

function weightEntries({ report }: RfqLayout): Entry[] {
  return CRITERIA.map(
    (criterion): Entry => ({
      name: `Weight_${criterion}`,
      setting: `weights.${criterion}`,
      label: `${CRITERION_NAMES[criterion]}: ${CRITERION_RULES[criterion]}`,
      value: number(report.settings.weights[criterion], style.oneDecimal),
      unit: 'points',
      input: weightInput,
      explanation: 'Weight in the total score, relative to the sum of all weights.',
    }),
  )
}

function valueEntries({ report }: RfqLayout): Entry[] {
  const { settings, rfq } = report
  return [
    {
      name: 'DiscountRate',
      setting: 'discountRate',
      label: 'Discount rate',
      value: number(settings.discountRate, style.percent),
      unit: 'per year',
      input: numberInput(SETTING_LIMITS.discountRate),
      explanation:
        'Payments due before the as-of date or without a date are not discounted. Affects present values, risk-adjusted prices and ranks.',
    },
    {
      name: 'WantedBasis',
      setting: 'wantedVolume',
      label: 'Wanted volume',
      value: text(settings.wantedVolume, toRight),
      unit: 'min, mid or max',
      input: choiceInput(WANTED_BASES),
      explanation: `The RFQ’s volume that coverage and awards aim at: minimum, midpoint or maximum. Original value: ${rfq.wanted.words}`,
    },
    {
      name: 'RankExpired',
      setting: 'rankExpired',
      label: 'Rank expired offers',
      value: text(settings.rankExpired ? 'yes' : 'no', toRight),
      unit: 'yes or no',
      input: choiceInput(['yes', 'no']),
      explanation: 'Offers past their expiry date are ranked only if set to yes. Accepted offers are always ranked.',
    },
    {
      name: 'WaitDays',
      setting: 'waitDays',
      label: 'Mean wait that halves the promptness score',
      value: number(settings.waitDays, style.plainNumber),
      unit: 'days',
      input: numberInput(SETTING_LIMITS.waitDays),
      explanation: 'Affects the promptness score.',
    },
    {
      name: 'VintagePoints',
      setting: 'vintagePointsPerYear',
      label: 'Vintage points lost per year of age',
      value: number(settings.vintagePointsPerYear, style.oneDecimal),
      unit: 'points per year',
      input: numberInput(SETTING_LIMITS.vintagePointsPerYear),
      explanation:
        'Age: year of the as-of date minus the volume-weighted mean vintage year. Affects the vintage score.',
    },
  ]
}

function toleranceEntries({ report, numbers }: RfqLayout): Entry[] {
  const { settings } = report
  return [
    {
      name: 'VolumeTolerance',
      setting: 'volumeTolerance',
      label: 'Volume tolerance',
      value: number(settings.volumeTolerance, style.withNumberFormat(numbers.volume, '#,##0.0##')),
      unit: 't',
      input: numberInput(SETTING_LIMITS.volumeTolerance),
      explanation:
        'Allowed difference between a stated volume and the sum of its lines. Affects Checks and the column “Volume check” of Offers.',
    },
    {
      name: 'TotalTolerance',
      setting: 'totalTolerance',
      label: 'Total tolerance',
      value: number(settings.totalTolerance, style.withNumberFormat(style.percent, '0.00%')),
      unit: 'of the total',
      input: numberInput(SETTING_LIMITS.totalTolerance),
      explanation:
        'Allowed difference between a stated total and the sum of its lines, at least 0.01. Differences above 0.01 within the tolerance count as rounding. Affects Checks and the column “Total check” of Offers.',
    },
    {
      name: 'ExpiryWindowDays',
      setting: 'expiryWindowDays',
      label: 'Expiry warning period',
      value: number(settings.expiryWindowDays, style.plainNumber),
      unit: 'days',
      input: numberInput(SETTING_LIMITS.expiryWindowDays),
      explanation: 'Affects the column “Expiry check” of Offers. Flags keep their original text.',
    },
    {
      name: 'PrepaymentLimit',
      setting: 'prepaymentShareLimit',
      label: 'Pre-payment limit',
      value: number(settings.prepaymentShareLimit, style.percent),
      unit: 'of the total',
      input: numberInput(SETTING_LIMITS.prepaymentShareLimit),
      explanation: 'Affects the column “Pre-payment check” of Offers. Flags keep their original text.',
    },
  ]
}

function haircutEntries({ report }: RfqLayout): Entry[] {
  const { haircuts } = report.settings
  const entry = (contract: keyof typeof haircuts, label: string): Entry => ({
    name: `Haircut${contract[0]?.toUpperCase()}${contract.slice(1)}`,
    setting: `haircuts.${contract}`,
    label,
    value: number(haircuts[contract], style.percent),
    unit: 'of the volume',
    input: numberInput(SETTING_LIMITS.haircut),
    explanation:
      'Share of the volume not expected to be delivered. The price per tonne is divided by the remaining share.',
  })
  return [entry('spot', 'Spot'), entry('forward', 'Forward'), entry('other', 'Other or unknown contract type')]
}

function rateEntries({ report, currency }: RfqLayout): Entry[] {
  const rate = style.withNumberFormat(style.plainNumber, '0.0000##')
  return report.currency.rates.map((known): Entry => {
    const entry = {
      name: `Rate_${known.currency}`,
      setting: `exchangeRates.${known.currency}`,
      label: `1 ${known.currency}`,
      value: number(known.rate, rate),
      unit: currency ?? '',
      explanation: `${known.words} Offers in this currency: ${known.offers}.`,
    }
    return known.currency === currency ? entry : { ...entry, input: rateInput(known.rate) }
  })
}

function limitEntries(layout: RfqLayout): Entry[] {
  return [...timeLimits(layout), ...volumeLimits(layout), ...priceLimits(layout)]
}

const fact = (label: string, value: Cell, unit = '', explanation = '', name?: string): Entry => ({
  label,
  value,
  unit,
  explanation,
  ...(name !== undefined && { name }),
})

function timeLimits({ report }: RfqLayout): Entry[] {
  const { context, rfq } = report
  const vintage = (year: number | null) => number(year, style.plainNumber, 'Any')
  return [
    fact(
      'As of',
      moment(context.asOf, style.asRight(style.timestamp)),
      '',
      'Later observations are excluded. The time the report was generated is the date of the file itself.',
    ),
    fact(
      'As-of date',
      date(context.asOfDate, style.asRight(style.calendarDate)),
      '',
      `Days are counted from this date, in the time zone ${context.timeZone}.`,
      'AsOfDate',
    ),
    fact('Response due date', date(rfq.responseDueDate, style.asRight(style.calendarDate))),
    fact('Fulfilment due date', date(rfq.fulfilmentDueDate, style.asRight(style.calendarDate))),
    fact(
      'Days to fulfilment',
      number(rfq.daysToFulfilment, style.plainNumber),
      'days',
      'Lines due later are not on time.',
      'FulfilmentDays',
    ),
    fact('Oldest vintage requested', vintage(rfq.minVintageYear), 'year'),
    fact('Newest vintage requested', vintage(rfq.maxVintageYear), 'year'),
    fact('Contract types', text(codeList(rfq.contractTypes), toRight)),
  ]
}

function volumeLimits({ report, numbers }: RfqLayout): Entry[] {
  const { rfq } = report
  const { wanted } = rfq
  const volume = (value: number | null) => number(value, numbers.volume)
  const chosen = 'IF(WantedBasis="min",WantedMin,IF(WantedBasis="max",WantedMax,WantedMid))'
  return [
    fact('Minimum volume', volume(rfq.minVolume), 't'),
    fact('Maximum volume', volume(rfq.maxVolume), 't', '', 'MaxVolume'),
    fact(
      TARGET_LABELS.min,
      volume(wanted.min),
      't',
      'The RFQ’s minimum, or its maximum if it states no minimum.',
      'WantedMin',
    ),
    fact(TARGET_LABELS.mid, volume(wanted.mid), 't', 'Midpoint of the two.', 'WantedMid'),
    fact(
      TARGET_LABELS.max,
      volume(wanted.max),
      't',
      'The RFQ’s maximum, or its minimum if it states no maximum.',
      'WantedMax',
    ),
    fact(
      'Wanted volume in tonnes',
      guardCell(formula(`IF(N(${chosen})>0,${chosen},NA())`, wanted.volume, numbers.volume), INVALID_INPUT),
      't',
      'The target chosen under “Wanted volume” above.',
      'WantedVolume',
    ),
  ]
}

function priceLimits({ report, numbers, currency }: RfqLayout): Entry[] {
  const { rfq } = report
  const code = report.currency.rfq
  const own = numbers.price(code)
  const known = report.currency.rates.some((rate) => rate.currency === code)
  const compared = (limit: string, value: number | null): Cell => {
    const rate = known ? `Rate_${code}` : 'NA()'
    const converted = `IF(AND(ISNUMBER(${limit}),ISNUMBER(${rate})),${limit}*${rate},NA())`
    return guardCell(formula(converted, value, numbers.price(currency)), INVALID_INPUT)
  }
  return [
    fact('Minimum price per tonne', number(rfq.minUnitPrice, own), rfq.currency ?? '', '', 'MinPriceSent'),
    fact('Maximum price per tonne', number(rfq.maxUnitPrice, own), rfq.currency ?? '', '', 'MaxPriceSent'),
    fact(
      'Minimum price in the comparison currency',
      compared('MinPriceSent', rfq.comparedMinUnitPrice),
      currency ?? '',
      'The price limit, converted.',
      'MinPrice',
    ),
    fact(
      'Maximum price in the comparison currency',
      compared('MaxPriceSent', rfq.comparedMaxUnitPrice),
      currency ?? '',
      'The price limit, converted. Budget = maximum price × awarded tonnes.',
      'MaxPrice',
    ),
  ]
}

const toRight = style.asRight(style.body)
