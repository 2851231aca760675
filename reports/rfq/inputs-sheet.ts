import { CRITERION_NAMES, CRITERION_RULES } from '../../src/domain/comparison/offer/criterion-text.js'
import { CRITERIA, SETTING_LIMITS, WANTED_BASES } from '../../src/domain/comparison/settings.js'
import type { RowPlan, SheetPlan, Validation } from '../layout/sheet-plan.js'
import { emptyRows, fittedRow, fixedWidths, headingRows } from '../layout/table-sheet.js'
import { joinList } from '../layout/wording.js'
import {
  asInput,
  asRight,
  body,
  calendarDate,
  header,
  headerRight,
  highlights,
  integer,
  oneDecimal,
  percent,
  plainNumber,
  type Style,
  section,
  timestamp,
  withNumberFormat,
  wrapped,
} from '../xlsx/cell-styles.js'
import { blank, type Cell, date, formula, moment, number, text } from '../xlsx/cells.js'
import type { DataValidation } from '../xlsx/sheet-rules.js'
import { TARGET_LABELS } from './label-tables.js'
import { type RfqLayout, rfqHeading } from './layout.js'

const NOTE =
  'Yellow cells are yours to change: Offers, Scoring, Award, Sensitivity, Comparison and Summary follow. Everything else stands as it was sent.'
const WIDTHS = [40, 18, 16, 18, 12, 78]
const VALUE = 'B'
const WRITTEN = 'D'
const STATE = 'E'

/** One cell a formula can call by name. */
interface Entry {
  name?: string
  label: string
  value: Cell
  unit: string
  /** The reader may change it; holds what the file was written with. */
  input?: DataValidation
  words: string
}
interface Section {
  title: string
  entries: readonly Entry[]
}

/** `Inputs`: what the reader may change, and the RFQ's limits as sent. Formulas elsewhere call its cells by name. */
export function inputsSheet(layout: RfqLayout): SheetPlan {
  const all = sections(layout)
  const placed = place(all)
  const rows = [...inputRows(layout, all)]
  const last = placed.at(-1)?.row ?? 0
  return {
    name: 'Inputs',
    ...fixedWidths(WIDTHS, () => rows),
    rows: () => rows,
    frozen: { rows: HEADER_ROWS },
    names: [
      ...placed.flatMap(({ entry, row }) =>
        entry.name === undefined ? [] : [{ name: entry.name, address: `$${VALUE}$${row}` }],
      ),
      { name: 'InputsChanged', address: '$B$4' },
      { name: 'RatesChanged', address: '$D$4' },
    ],
    validations: placed.flatMap(({ entry, row }): Validation[] =>
      entry.input === undefined ? [] : [{ address: `${VALUE}${row}`, rule: entry.input }],
    ),
    rules: [
      {
        ref: `${STATE}${HEADER_ROWS + 1}:${STATE}${last}`,
        rules: [
          {
            type: 'expression',
            priority: 1,
            formulae: [`$${STATE}${HEADER_ROWS + 1}="changed"`],
            style: highlights.warn,
          },
        ],
      },
    ],
    tab: 'FFE0B400',
    print: { titleRows: [HEADER_ROWS, HEADER_ROWS] },
  }
}

/** Heading, counts of changes, table header. */
const HEADER_ROWS = 5

function* inputRows(layout: RfqLayout, all: readonly Section[]): Generator<RowPlan> {
  yield* headingRows(rfqHeading(layout, 'Inputs', NOTE))
  yield changesRow(place(all), touchingSets(layout))
  yield headerRow()
  let row = HEADER_ROWS
  for (const { title, entries } of all) {
    yield* emptyRows(1)
    yield { cells: [text(title, section)], height: 18 }
    row += 2
    for (const entry of entries) yield entryRow(entry, ++row)
  }
}

/**
 * Inputs the sets on `Award` rest on: rates of offers that are ranked, or would be but for a rate or their expiry, of the
 * RFQ's own price limits, and whether expired offers are ranked, if there is one.
 */
function touchingSets({ report }: RfqLayout): ReadonlySet<string> {
  const curable = ['expired', 'no-exchange-rate', 'no-price']
  const possible = report.offers.filter(({ eligibility }) =>
    eligibility.exclusions.every(({ code }) => curable.includes(code)),
  )
  const limited = report.rfq.minUnitPrice !== null || report.rfq.maxUnitPrice !== null
  const currencies = [...possible.map(({ terms }) => terms.currencyCode), limited ? report.currency.rfq : null]
  const expired = possible.some(({ terms }) => (terms.daysToExpiry ?? 0) < 0)
  return new Set([...currencies.map((code) => `Rate_${code}`), ...(expired ? ['RankExpired'] : [])])
}

function changesRow(placed: readonly Placed[], touching: ReadonlySet<string>): RowPlan {
  const inputs = placed.filter(({ entry }) => entry.input !== undefined)
  const states = `${STATE}${HEADER_ROWS + 1}:${STATE}${placed.at(-1)?.row ?? HEADER_ROWS + 1}`
  const changed = inputs
    .filter(({ entry }) => touching.has(entry.name ?? ''))
    .map(({ row }) => `(${STATE}${row}="changed")`)
    .join('+')
  return {
    workbookOnly: true,
    cells: [
      text('Inputs changed since the file was written', body),
      formula(`COUNTIF(${states},"changed")`, 0, integer),
      text('award sets rest on', body),
      formula(changed === '' ? '0+0' : `0+${changed}`, 0, integer),
    ],
  }
}

const headerRow = (): RowPlan =>
  fittedRow(
    [
      text('Input', header),
      text('Value', headerRight),
      text('Unit', header),
      text('As written', headerRight),
      text('State', header),
      text('What it does, and where it comes from', header),
    ],
    WIDTHS,
  )

function entryRow(entry: Entry, row: number): RowPlan {
  const input = entry.input !== undefined
  const value = input ? { ...entry.value, style: asInput(entry.value.style) } : entry.value
  const state = formula(`IF(${VALUE}${row}=${WRITTEN}${row},"","changed")`, '', body)
  return fittedRow(
    [
      text(entry.label, wrapped),
      value,
      text(entry.unit, body),
      input ? entry.value : blank(body),
      input ? state : blank(body),
      text(entry.words, wrapped),
    ],
    WIDTHS,
  )
}

interface Placed {
  entry: Entry
  row: number
}

function place(all: readonly Section[]): Placed[] {
  let row = HEADER_ROWS
  return all.flatMap(({ entries }) => {
    row += 2
    return entries.map((entry) => ({ entry, row: ++row }))
  })
}

function sections(layout: RfqLayout): Section[] {
  return [
    { title: 'Weights', entries: weightEntries(layout) },
    { title: 'Money, time and volume', entries: valueEntries(layout) },
    { title: 'Tolerances and warnings', entries: toleranceEntries(layout) },
    { title: 'Delivery-risk haircuts', entries: haircutEntries(layout) },
    { title: `Exchange rates into ${layout.currency ?? '—'}`, entries: rateEntries(layout) },
    { title: 'The RFQ’s limits, as sent', entries: limitEntries(layout) },
  ]
}

function weightEntries({ report }: RfqLayout): Entry[] {
  const entries = CRITERIA.map(
    (criterion): Entry => ({
      name: `Weight_${criterion}`,
      label: `${CRITERION_NAMES[criterion]}: ${CRITERION_RULES[criterion]}`,
      value: number(report.settings.weights[criterion], oneDecimal),
      unit: 'points',
      input: within(SETTING_LIMITS.weight),
      words: 'Share of the total score, relative to the sum of the weights.',
    }),
  )
  return entries
}

function valueEntries({ report }: RfqLayout): Entry[] {
  const { settings, rfq } = report
  return [
    {
      name: 'DiscountRate',
      label: 'Discount rate',
      value: number(settings.discountRate, percent),
      unit: 'a year',
      input: within(SETTING_LIMITS.discountRate),
      words:
        'Payments before the as-of date or without a date count at face value. Drives present values, risk-adjusted prices, ranks.',
    },
    {
      name: 'WantedBasis',
      label: 'Wanted volume',
      value: text(settings.wantedVolume, toRight),
      unit: 'min, mid or max',
      input: oneOf(WANTED_BASES),
      words: `Which of the RFQ’s volumes coverage and awards aim at. As written: ${rfq.wanted.words}`,
    },
    {
      name: 'RankExpired',
      label: 'Rank expired offers',
      value: text(settings.rankExpired ? 'yes' : 'no', toRight),
      unit: 'yes or no',
      input: oneOf(['yes', 'no']),
      words: 'An offer past its expiry date is ranked only if this says yes. Accepted offers are ranked in any case.',
    },
    {
      name: 'WaitDays',
      label: 'Mean wait that halves the promptness score',
      value: number(settings.waitDays, plainNumber),
      unit: 'days',
      input: within(SETTING_LIMITS.waitDays),
      words: 'Drives the promptness score.',
    },
    {
      name: 'VintagePoints',
      label: 'Points a year of vintage age costs',
      value: number(settings.vintagePointsPerYear, oneDecimal),
      unit: 'points a year',
      input: within(SETTING_LIMITS.vintagePointsPerYear),
      words: 'Age: year of the as-of date less the volume-weighted mean vintage year. Drives the vintage score.',
    },
  ]
}

function toleranceEntries({ report, numbers }: RfqLayout): Entry[] {
  const { settings } = report
  return [
    {
      name: 'VolumeTolerance',
      label: 'Volumes may differ by',
      value: number(settings.volumeTolerance, withNumberFormat(numbers.volume, '#,##0.0##')),
      unit: 't',
      input: within(SETTING_LIMITS.volumeTolerance),
      words: 'Between a stated volume and the sum of its lines. Drives Checks and the column “Volumes” of Offers.',
    },
    {
      name: 'TotalTolerance',
      label: 'Totals may differ by',
      value: number(settings.totalTolerance, withNumberFormat(percent, '0.00%')),
      unit: 'of the total',
      input: within(SETTING_LIMITS.totalTolerance),
      words:
        'Never less than 0.01; beyond 0.01 but within this it is called rounding. Drives Checks and “Totals” of Offers.',
    },
    {
      name: 'ExpiryWindowDays',
      label: 'An offer is expiring within',
      value: number(settings.expiryWindowDays, plainNumber),
      unit: 'days',
      input: within(SETTING_LIMITS.expiryWindowDays),
      words: 'Drives the column “Expiry” of Offers. Flags keep the words they were written with.',
    },
    {
      name: 'PrepaymentLimit',
      label: 'Pre-payment without a warning, up to',
      value: number(settings.prepaymentShareLimit, percent),
      unit: 'of the total',
      input: within(SETTING_LIMITS.prepaymentShareLimit),
      words: 'Drives the column “Pre-payment” of Offers. Flags keep the words they were written with.',
    },
  ]
}

function haircutEntries({ report }: RfqLayout): Entry[] {
  const { haircuts } = report.settings
  const entry = (name: string, label: string, value: number): Entry => ({
    name,
    label,
    value: number(value, percent),
    unit: 'of the volume',
    input: within(SETTING_LIMITS.haircut),
    words: 'Share of the volume thought not to arrive: the price per tonne is divided by what is left.',
  })
  return [
    entry('HaircutSpot', 'Spot', haircuts.spot),
    entry('HaircutForward', 'Forward', haircuts.forward),
    entry('HaircutOther', 'Other or unknown contract type', haircuts.other),
  ]
}

function rateEntries({ report, currency }: RfqLayout): Entry[] {
  const rate: Style = withNumberFormat(plainNumber, '0.0000##')
  return report.currency.rates.map((known): Entry => {
    const entry = {
      name: `Rate_${known.currency}`,
      label: `1 ${known.currency}`,
      value: number(known.rate, rate),
      unit: currency ?? '',
      words: `${known.words} Offers in it: ${known.offers}.`,
    }
    return known.currency === currency ? entry : { ...entry, input: within(SETTING_LIMITS.rate) }
  })
}

function limitEntries(layout: RfqLayout): Entry[] {
  return [...timeLimits(layout), ...volumeLimits(layout), ...priceLimits(layout)]
}

const fact = (label: string, value: Cell, unit = '', words = '', name?: string): Entry => ({
  label,
  value,
  unit,
  words,
  ...(name !== undefined && { name }),
})

function timeLimits({ report }: RfqLayout): Entry[] {
  const { context, rfq } = report
  const vintage = (year: number | null) => number(year, plainNumber, 'Any')
  return [
    fact(
      'As of',
      moment(context.asOf, asRight(timestamp)),
      '',
      'Everything observed later is left out. Not the moment the file was made: that is the file’s own date.',
    ),
    fact(
      'As-of date',
      date(context.asOfDate, asRight(calendarDate)),
      '',
      `All days are counted from it, in the calendar of ${context.timeZone}.`,
      'AsOfDate',
    ),
    fact('Responses due', date(rfq.responseDueDate, asRight(calendarDate))),
    fact('Fulfilment due', date(rfq.fulfilmentDueDate, asRight(calendarDate))),
    fact(
      'Days to fulfilment',
      number(rfq.daysToFulfilment, plainNumber),
      'days',
      'A line due later is not on time.',
      'FulfilmentDays',
    ),
    fact('Oldest vintage wanted', vintage(rfq.minVintageYear), 'year'),
    fact('Newest vintage wanted', vintage(rfq.maxVintageYear), 'year'),
    fact('Contract types', text(joinList(rfq.contractTypes), toRight)),
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
      'The RFQ’s minimum, or its maximum if it names no minimum.',
      'WantedMin',
    ),
    fact(TARGET_LABELS.mid, volume(wanted.mid), 't', 'Midpoint of the two.', 'WantedMid'),
    fact(
      TARGET_LABELS.max,
      volume(wanted.max),
      't',
      'The RFQ’s maximum, or its minimum if it names no maximum.',
      'WantedMax',
    ),
    fact(
      'Wanted volume in tonnes',
      formula(`IF(N(${chosen})>0,${chosen},NA())`, wanted.volume, numbers.volume),
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
    return formula(
      `IF(AND(ISNUMBER(${limit}),ISNUMBER(${rate})),${limit}*${rate},NA())`,
      value,
      numbers.price(currency),
    )
  }
  return [
    fact('Minimum price per tonne', number(rfq.minUnitPrice, own), rfq.currency ?? '', '', 'MinPriceSent'),
    fact('Maximum price per tonne', number(rfq.maxUnitPrice, own), rfq.currency ?? '', '', 'MaxPriceSent'),
    fact(
      'Minimum price, compared',
      compared('MinPriceSent', rfq.comparedMinUnitPrice),
      currency ?? '',
      'In the currency offers are compared in.',
      'MinPrice',
    ),
    fact(
      'Maximum price, compared',
      compared('MaxPriceSent', rfq.comparedMaxUnitPrice),
      currency ?? '',
      'The budget: maximum price × awarded tonnes.',
      'MaxPrice',
    ),
  ]
}

const toRight = asRight(body)

function within([least, most]: readonly [number, number]): DataValidation {
  return {
    type: 'decimal',
    operator: 'between',
    formulae: [least, most],
    allowBlank: false,
    showErrorMessage: true,
    errorStyle: 'stop',
    errorTitle: 'Out of range',
    error: `A number from ${least} to ${most}.`,
  }
}

function oneOf(choices: readonly string[]): DataValidation {
  return {
    type: 'list',
    formulae: [`"${choices.join(',')}"`],
    allowBlank: false,
    showErrorMessage: true,
    errorStyle: 'stop',
    errorTitle: 'Not a choice',
    error: `One of ${choices.join(', ')}.`,
  }
}
