import { CRITERION_NAMES } from '../../src/domain/comparison/offer/criterion-text.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import { CRITERIA, type Criterion } from '../../src/domain/comparison/settings.js'
import { type At, type Column, columnsOf } from '../layout/columns.js'
import { bar, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { withCurrency, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, formula as formulaCell, text as textCell } from '../xlsx/cells.js'
import { NO_OFFERS } from './label-tables.js'
import { type RfqLayout, rfqHeading, type ScoreKey, type ScoringKey } from './layout.js'

const NOTE =
  'Each criterion earns 0 to 100 points. Unknown values earn 0; criteria the RFQ does not limit earn every offer 100. Total score = Σ weight × points ÷ Σ weights. Change the weights on Inputs.'

/** `Scoring`: weights × scores, total and rank, all as formulas. */
export function scoringSheet(layout: RfqLayout): SheetPlan {
  const { scoring, offers, numbers, currency, report } = layout
  const { text, number, formula } = columnsOf<OfferReport, ScoringKey>(scoring)
  const score = (criterion: Criterion) =>
    formula(CRITERION_NAMES[criterion], style.oneDecimal, (offer, at, index) => [
      ifRanked(at, scoreExpression(layout, criterion, index)),
      offer.scores?.[criterion] ?? '',
    ])
  const total = (index: number) =>
    `IFERROR(ROUND(SUMPRODUCT(${weightsRange(layout)},${scoresRange(layout, index)})/SUM(${weightsRange(layout)}),6),"")`
  return tableSheet<OfferReport, ScoringKey>({
    grid: scoring,
    heading: rfqHeading(layout, 'Scoring', NOTE),
    aboveHeader: { role: 'body', cells: weightCells(layout) },
    rows: report.offers,
    emptyText: NO_OFFERS,
    frozenColumns: 2,
    columns: {
      offer: number('Offer no.', (offer) => offer.sequence),
      label: text('Offer', (offer) => offer.label, { maxWidth: 40 }),
      eligible: formula('Ranked', style.centred, (offer, _at, index) => [
        offers.cell('eligible', index),
        yesNo(offer.eligibility.eligible),
      ]),
      price: formula(
        withCurrency('Risk-adjusted price per tonne', currency, '/t'),
        numbers.price(currency),
        (offer, at, index) => [
          ifRanked(at, offers.cell('comparedPrice', index)),
          offer.eligibility.eligible ? offer.compared.price : '',
        ],
      ),
      ...(Object.fromEntries(CRITERIA.map((criterion) => [`score-${criterion}`, score(criterion)])) as Record<
        ScoreKey,
        Column<OfferReport>
      >),
      total: formula('Total score', style.asBold(style.oneDecimal), (offer, at, index) => [
        ifRanked(at, total(index)),
        offer.scores?.total ?? '',
      ]),
      rank: formula('Rank', style.asBold(style.plainNumber), (offer, at) => [
        ifRanked(at, rankExpression(layout, at, 'total', 0)),
        offer.rank ?? '',
      ]),
      priceRank: formula('Rank by price', style.plainNumber, (offer, at) => [
        ifRanked(at, rankExpression(layout, at, 'price', 1)),
        offer.priceRank ?? '',
      ]),
    },
    marks: () => [
      mark(scoring.area('rank'), is(here, '=', 1), 'good'),
      ...CRITERIA.map((criterion) => bar(scoring.area(`score-${criterion}`), 100)),
    ],
  })
}

/** Row of the weights, directly above the headers. */
const weightRow = (layout: RfqLayout) => layout.scoring.headerRow - 1

function weightCells(layout: RfqLayout): Partial<Record<ScoringKey, Cell>> {
  const { weights } = layout.report.settings
  const weightStyle = style.asBold(style.oneDecimal)
  return {
    label: textCell('Weights (from Inputs)', style.section),
    ...Object.fromEntries(
      CRITERIA.map((each) => [`score-${each}`, formulaCell(`Weight_${each}`, weights[each], weightStyle)]),
    ),
  }
}

const ifRanked = (at: At<ScoringKey>, expression: string) => `IF(${at('eligible')}="yes",${expression},"")`

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
function rankExpression({ scoring }: RfqLayout, at: At<ScoringKey>, key: 'total' | 'price', ascending: 0 | 1): string {
  const ties = `COUNTIFS(${scoring.range(key)},${at(key)},${scoring.range('offer')},"<"&${at('offer')})`
  return `IFERROR(RANK(${at(key)},${scoring.range(key)},${ascending})+${ties},"")`
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
