import { PRICED_BY } from '../../src/compare/decision/what-if.js'
import type { Source } from '../../src/compare/input/comparison-context.js'
import type { DocumentProblem, ReportedDecision } from '../../src/compare/input/comparison-input.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { isChange } from '../../src/compare/report/document-changes.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { unreadText } from '../../src/compare/rfq/rfq-terms.js'
import { REQUIREMENT_LEVELS, type Settings } from '../../src/core/decision/settings.js'
import { round6 } from '../../src/core/numbers.js'
import {
  formatAmount,
  formatCount,
  formatPercent,
  formatPricePerTonne,
  formatTonnes,
} from '../../src/core/text/number-format.js'
import { columnsOf } from '../layout/columns.js'
import { here, is, mark } from '../layout/marks.js'
import { fitsOnePage, textRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import {
  contextTerms,
  definitionSection,
  limitSection,
  TEXT_SHEET_WIDTHS,
  termRows,
  textSheet,
  titledSection,
} from '../layout/text-sheet.js'
import { codeLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import type { RfqLayout } from './layout.js'

const NOTE =
  'What was received, checks of the figures as sent and limits of the data; below, and not printed: definitions, long texts in full and sources.'

/** `About`: statistics and checks of what was received, definitions, sources and texts in full. */
export function aboutSheet(layout: RfqLayout): SheetPlan {
  const { report } = layout
  const printed = [...printedRows(layout)]
  const rows = function* (): Generator<RowPlan> {
    yield* printed
    yield* definitionSection(report.about)
    yield* titledSection('Texts in full', termRows(longTexts(report)))
    if (report.closings.length > 0) yield* titledSection('Closings', closingRows(report.closings))
    yield* titledSection('Sources', sourceRows(report.about.sources))
  }
  return textSheet(layout, NOTE, rows, {
    marks: [mark(VERDICTS, is(here, '=', 'differs'), 'bad'), mark(VERDICTS, is(here, '=', 'rounding'), 'warn')],
    print: { lastRow: HEADING_ROWS + printed.length, onePage: fitsOnePage(printed, TEXT_SHEET_WIDTHS) },
  })
}

/** Title, subject and note. */
const HEADING_ROWS = 3
/** The column of verdicts. */
const VERDICTS = 'C1:C5000'

function* printedRows(layout: RfqLayout): Generator<RowPlan> {
  const { report } = layout
  yield* titledSection('How to read this workbook', contextRows(report))
  yield* titledSection('What was received', termRows(statistics(layout)))
  if (report.offers.length > 0) yield* titledSection('Figures as sent against the delivery lines', checkRows(layout))
  if (report.problems.length > 0)
    yield* titledSection(
      'Documents that do not match the API documentation',
      termRows(report.problems.map(problemTerm)),
    )
  yield* limitSection(report.about)
}

const FORMULAS =
  'Formulas explain figures: line total = volume × price, total of an offer = sum of its lines, price per tonne = total ÷ volume, conversion = × exchange rate, your own award on Choices. Everything else is a value of the report; what other settings change is on the page of the RFQ (What if).'

function* statistics({ report, currency }: RfqLayout): Generator<readonly [string, string]> {
  const { summary, rfq } = report
  yield ['Offers', `${offersLine(report).replace(/^Offers: /, '')}.`]
  yield ['By status', summary.byStatus.map(({ status, offers }) => `${codeLabel(status)}: ${offers}`).join(', ')]
  const { lowest, median, highest, weightedMean } = summary.price
  const shown = [lowest, median, highest, weightedMean].map((one) =>
    one === null ? '' : formatPricePerTonne(one, currency),
  )
  if (lowest !== null)
    yield [
      'Prices of ranked offers',
      `Lowest ${shown[0]}, median ${shown[1]}, highest ${shown[2]}, mean weighted by volume ${shown[3]}; ${formatTonnes(summary.volume)} in total.`,
    ]
  yield ['Tonnes of an award', rfq.window.message]
}

const problemTerm = ({ kind, entityId, path, code, message }: DocumentProblem): readonly [string, string] => [
  codeLabel(code),
  `${kind} ${entityId}${path === '' ? '' : `, ${path}`}: ${message}`,
]

/** One check of a figure as sent against the sum of the delivery lines. */
interface Check {
  offer: OfferReport
  title: string
  verdict: string | null
  stated: number | null
  lines: number
  difference: number | null
  own: style.Style
}

/** The stated volume and total of each offer, which a difference tells apart from the sum of its lines. */
function checkRows({ report, numbers, offersAreColumns }: RfqLayout): Iterable<RowPlan> {
  const all = report.offers.flatMap((offer): Check[] => {
    const { terms, metrics } = offer
    if (offer.lines.length === 0) return []
    return [
      {
        ...{ offer, title: 'Volume (t)', own: numbers.volume },
        ...{ verdict: metrics.volumeVerdict, stated: terms.statedVolume },
        ...{ lines: metrics.sumVolume, difference: metrics.volumeDifference },
      },
      {
        ...{ offer, title: 'Total', own: numbers.money(terms.currencyCode) },
        ...{ verdict: metrics.totalVerdict, stated: terms.statedTotal },
        ...{ lines: metrics.sumValue, difference: metrics.totalDifference },
      },
    ]
  })
  // Of many offers, those that are equal say nothing.
  const checks = offersAreColumns ? all : all.filter(({ verdict }) => verdict !== 'equal')
  if (checks.length === 0)
    return all.length === 0 ? [] : [textRow('All figures as sent equal the sums of the delivery lines.')]
  const { text, figure } = columnsOf<Check>()
  const rounded = (header: string, key: 'stated' | 'lines' | 'difference') =>
    // Without the noise of sums.
    figure(
      header,
      (check) => (check[key] === null ? null : round6(check[key])),
      ({ own }) => own,
    )
  return tableRows(
    [
      text('Offer', ({ offer }) => `${offer.sequence} · ${offer.label}`),
      text('Figure', ({ title }) => title),
      text('Check', ({ verdict }) => verdict ?? 'not stated', { style: style.body }),
      rounded('Stated', 'stated'),
      rounded('Sum of the lines', 'lines'),
      rounded('Difference', 'difference'),
    ],
    checks,
  )
}

const contextRows = ({ context, currency, settings, decision }: RfqReport): Iterable<RowPlan> =>
  termRows([
    ...contextTerms(context),
    ['Settings in force', settingsText(settings, decision)],
    ['Comparison currency', `${currency.comparison ?? 'none'}. ${currency.reason}`],
    ...usedRates(currency),
    ['Formulas', FORMULAS],
  ])

function settingsText(
  { awardTolerance, priceBasis, discountRate }: Settings,
  { requirements }: RfqReport['decision'],
): string {
  const levels = REQUIREMENT_LEVELS.map((level) => {
    const titles = requirements.filter((one) => one.level === level).map(({ title }) => title)
    return `${level}: ${titles.join(', ') || 'none'}`
  })
  return `Award tolerance: ${awardTolerance === 'unlimited' ? awardTolerance : formatPercent(awardTolerance)}. Price basis: ${PRICED_BY[priceBasis]}. Discount rate: ${formatPercent(discountRate)} per year. Requirements: ${levels.join('; ')}.`
}

const usedRates = ({ comparison, rates }: RfqReport['currency']): (readonly [string, string])[] => {
  const others = rates.filter(({ currency }) => currency !== comparison)
  return others.length === 0 ? [] : [['Exchange rates', others.map(({ message }) => message).join(' ')]]
}

function* longTexts({ rfq, offers }: RfqReport): Generator<readonly [string, string]> {
  if (rfq.buyerDescription !== null) yield ['Buyer description', rfq.buyerDescription]
  if (rfq.additionalRequirements !== null) yield ['Additional requirements', rfq.additionalRequirements]
  for (const { sequence, label, terms } of offers) {
    if (terms.notes !== null) yield [`Notes of offer ${sequence}, ${label}`, terms.notes]
    if (terms.review?.comment != null) yield [`Review of offer ${sequence}, ${label}`, terms.review.comment]
  }
}

function* closingRows(closings: readonly ReportedDecision[]): Generator<RowPlan> {
  if (closings.length === 0) return
  const { text, codes, number, moment } = columnsOf<ReportedDecision>()
  yield* tableRows(
    [
      moment('Decided', ({ decidedAt }) => decidedAt),
      text('Reason', ({ reason }) => reason),
      number('No.', ({ id }) => id),
      codes('Decision', ({ decision }) => decision),
      codes('Outcome', ({ outcome }) => outcome),
      number('Run', ({ runId }) => runId),
      text('Message', ({ message }) => message),
    ],
    closings,
  )
}

function sourceRows(sources: readonly Source[]): Iterable<RowPlan> {
  const { text, number, moment } = columnsOf<Source>()
  const kind = ({ kind, valid }: Source) => `${kind}${valid ? '' : ': does not match the API documentation'}`
  return tableRows(
    [
      text('Document', ({ id }) => id),
      text('Content hash (SHA-256)', ({ contentHash }) => contentHash),
      number('Version', ({ version }) => version),
      moment('Previous version last seen', ({ notBefore }) => notBefore),
      moment('Observed', ({ observedAt }) => observedAt),
      number('Run', ({ runId }) => runId),
      text('Kind and validity', kind, { style: style.boldBody }),
    ],
    sources,
  )
}

/** What was received, in one line. */
export function offersLine({ summary, changes, rfq }: RfqReport): string {
  const { loud } = summary.flags
  return `Offers: ${[
    ...(rfq.unreadOffers > 0 ? [unreadText(rfq.unreadOffers)] : [`${formatCount(summary.offers, 'offer')} received`]),
    ...(summary.missing > 0 ? [`${formatAmount(summary.missing)} no longer visible`] : []),
    `${summary.ranked} ranked`,
    ...(summary.late > 0 ? [`${summary.late} late`] : []),
    ...(loud > 0 ? [formatCount(loud, 'loud flag')] : []),
    formatCount(changes.filter(isChange).length, 'change observed', 'changes observed'),
  ].join(' · ')}`
}
