import { CRITERION_NAMES } from '../../src/domain/comparison/offer/criterion-text.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { CRITERIA, type Criterion } from '../../src/domain/comparison/settings.js'
import { bar, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { type ColumnPlan, tableSheet } from '../layout/table-sheet.js'
import { withCurrency, yesNo } from '../layout/wording.js'
import { asBold, centred, oneDecimal, plainNumber, type Style, section, wrapped } from '../xlsx/cell-styles.js'
import { type CachedResult, type Cell, formula, number, text } from '../xlsx/cells.js'
import { NO_OFFERS } from './label-tables.js'
import { type RfqLayout, rfqHeading, type ScoreKey, type ScoringKey } from './layout.js'

const NOTE =
  'Each criterion earns 0 to 100 points. Unknown values earn 0; criteria the RFQ does not limit earn every offer 100. Total score = Σ weight × points ÷ Σ weights. Change the weights on Inputs.'

/** `Scoring`: weights × scores, total and rank, all as formulas. */
export function scoringSheet(layout: RfqLayout): SheetPlan {
  const { scoring } = layout
  return tableSheet<OfferReport, ScoringKey>({
    grid: scoring,
    heading: rfqHeading(layout, 'Scoring', NOTE),
    cellsAboveHeader: weightCells(layout),
    columns: scoringColumns(layout),
    rows: layout.report.offers,
    emptyText: NO_OFFERS,
    frozenColumns: 2,
    marks: [
      mark(scoring.area('rank'), is(here, '=', 1), 'good'),
      ...CRITERIA.map((criterion) => bar(scoring.area(`score-${criterion}`), 100)),
    ],
  })
}

/** Row of the weights, directly above the headers. */
const weightRow = (layout: RfqLayout) => layout.scoring.headerRow - 1

function weightCells(layout: RfqLayout): Partial<Record<ScoringKey, Cell>> {
  const { weights } = layout.report.settings
  const cells: Partial<Record<ScoringKey, Cell>> = { label: text('Weights (from Inputs)', section) }
  for (const criterion of CRITERIA) {
    cells[`score-${criterion}`] = formula(`Weight_${criterion}`, weights[criterion], asBold(oneDecimal))
  }
  return cells
}

function scoringColumns(layout: RfqLayout): Record<ScoringKey, ColumnPlan<OfferReport>> {
  const { offers, numbers, currency } = layout
  const price = numbers.price(currency)
  return {
    offer: { header: 'Offer no.', alignRight: true, cell: (offer) => number(offer.sequence, plainNumber) },
    label: { header: 'Offer', maxWidth: 40, cell: (offer) => text(offer.label, wrapped) },
    eligible: {
      header: 'Ranked',
      cell: (offer, index) => formula(offers.cell('eligible', index), yesNo(offer.eligibility.eligible), centred),
    },
    price: {
      header: withCurrency('Risk-adjusted price per tonne', currency, '/t'),
      alignRight: true,
      cell: (offer, index) =>
        ifRanked(
          layout,
          index,
          offers.cell('comparedPrice', index),
          offer.eligibility.eligible ? offer.compared.price : '',
          price,
        ),
    },
    ...scoreColumns(layout),
    total: {
      header: 'Total score',
      alignRight: true,
      cell: (offer, index) => {
        const expression = `IFERROR(ROUND(SUMPRODUCT(${weightsRange(layout)},${scoresRange(layout, index)})/SUM(${weightsRange(layout)}),6),"")`
        return ifRanked(layout, index, expression, offer.scores?.total ?? '', asBold(oneDecimal))
      },
    },
    rank: {
      header: 'Rank',
      alignRight: true,
      cell: (offer, index) =>
        ifRanked(layout, index, rankExpression(layout, 'total', index, 0), offer.rank ?? '', asBold(plainNumber)),
    },
    priceRank: {
      header: 'Rank by price',
      alignRight: true,
      cell: (offer, index) =>
        ifRanked(layout, index, rankExpression(layout, 'price', index, 1), offer.priceRank ?? '', plainNumber),
    },
  }
}

function ifRanked(
  { scoring }: RfqLayout,
  index: number,
  expression: string,
  cached: CachedResult,
  style: Style = oneDecimal,
): Cell {
  return formula(`IF(${scoring.at('eligible', index)}="yes",${expression},"")`, cached, style)
}

/** The weights, from any sheet. */
export function weightsRange(layout: RfqLayout): string {
  const first = layout.scoring.letter(`score-${CRITERIA[0]}`)
  const last = layout.scoring.letter(`score-${CRITERIA.at(-1) as Criterion}`)
  return `'Scoring'!$${first}$${weightRow(layout)}:$${last}$${weightRow(layout)}`
}

/** The scores of one offer, from any sheet. */
export const scoresRange = ({ scoring }: RfqLayout, index: number): string =>
  scoring.across(`score-${CRITERIA[0]}`, `score-${CRITERIA.at(-1) as Criterion}`, index)

/** Rank among ranked offers; ties go to the lower offer number. */
function rankExpression({ scoring }: RfqLayout, key: 'total' | 'price', index: number, ascending: 0 | 1): string {
  const own = scoring.at(key, index)
  const ties = `COUNTIFS(${scoring.range(key)},${own},${scoring.range('offer')},"<"&${scoring.at('offer', index)})`
  return `IFERROR(RANK(${own},${scoring.range(key)},${ascending})+${ties},"")`
}

function scoreColumns(layout: RfqLayout): Record<ScoreKey, ColumnPlan<OfferReport>> {
  const column = (criterion: Criterion): ColumnPlan<OfferReport> => ({
    header: CRITERION_NAMES[criterion],
    alignRight: true,
    cell: (offer, index) =>
      ifRanked(layout, index, scoreExpression(layout, criterion, index), offer.scores?.[criterion] ?? ''),
  })
  return Object.fromEntries(CRITERIA.map((criterion) => [`score-${criterion}`, column(criterion)])) as Record<
    ScoreKey,
    ColumnPlan<OfferReport>
  >
}

/** Definitions: src/domain/comparison/offer/scores.ts, `Scores`. */
function scoreExpression({ scoring, offers }: RfqLayout, criterion: Criterion, index: number): string {
  const known = (key: Parameters<typeof offers.cell>[0], expression: (cell: string) => string, otherwise = '0') => {
    const cell = offers.cell(key, index)
    return `IF(ISNUMBER(${cell}),${expression(cell)},${otherwise})`
  }
  switch (criterion) {
    case 'price':
      return `100*MIN(${scoring.range('price')})/${scoring.at('price', index)}`
    case 'coverage':
      return `IF(ISNUMBER(WantedVolume),${known('coverage', (cell) => `100*${cell}`)},100)`
    case 'delivery':
      return `IF(ISNUMBER(FulfilmentDays),${known('onTimeShare', (cell) => `100*${cell}`)},100)`
    case 'promptness':
      return known('meanWait', (cell) => `100/(1+MAX(0,${cell})/WaitDays)`)
    case 'vintage':
      return known('meanVintage', (cell) => `MAX(0,100-VintagePoints*MAX(0,YEAR(AsOfDate)-${cell}))`)
    case 'payment':
      return known('prepaidShare', (cell) => `100*(1-MIN(1,${cell}))`)
    case 'evidence':
      return `100*${offers.cell('facts', index)}/6`
  }
}
