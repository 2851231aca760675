import { CRITERION_NAMES } from '../../src/compare/offer/criterion-text.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { CRITERIA, type Criterion } from '../../src/core/decision/settings.js'
import { type At, type Column, columnsOf } from '../layout/columns.js'
import { bar, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, formula as formulaCell, text as textCell } from '../xlsx/cells.js'
import { type RfqLayout, SCORING_HEADER_ROW, type ScoreKey, type ScoringKey } from './layout.js'

const WEIGHT_ROW = SCORING_HEADER_ROW - 1
const NOTE =
  'Points from 0 to 100, unknown values 0. Score = Σ weight × points ÷ Σ weights. Ranked: what competed when the report was made.'

/** `Scoring`: weights × points, score and rank, all as formulas. Offers that cannot be compared have none. */
export function scoringSheet(layout: RfqLayout): SheetPlan {
  const { scoring, offers, price, perTonne, report } = layout
  const { text, number, formulaOrEmpty } = columnsOf<OfferReport, ScoringKey>(scoring)
  const points = (criterion: Criterion) =>
    formulaOrEmpty(CRITERION_NAMES[criterion], style.oneDecimal, ({ scores }, _at, index) => [
      pointsExpression(layout, criterion, index),
      scores?.[criterion] ?? null,
    ])
  const weights = weightsRange(layout)
  const byScore = report.settings.awardRule === 'best-score'
  /** Only offers that compete are ranked. */
  const ifRanked = ({ standing }: OfferReport, value: number | null) => (standing === 'ranked' ? value : null)
  return tableSheet<OfferReport, ScoringKey>(layout, {
    grid: scoring,
    title: 'Scoring',
    note: NOTE,
    aboveHeader: [{ role: 'body', cells: weightCells(layout) }],
    rows: report.offers,
    emptyText: layout.noOffers,
    frozenColumns: 2,
    working: ['measure'],
    columns: {
      offer: number('Offer no.', (offer) => offer.sequence),
      label: text('Offer', (offer) => offer.label, { maxWidth: 40 }),
      price: formulaOrEmpty(perTonne('Risk-adjusted price per tonne'), price, ({ scores, compared }, _at, index) => [
        offers.cell('comparedPrice', index),
        scores === null ? null : compared.price,
      ]),
      ...(Object.fromEntries(CRITERIA.map((criterion) => [`score-${criterion}`, points(criterion)])) as Record<
        ScoreKey,
        Column<OfferReport>
      >),
      total: formulaOrEmpty('Score', style.asBold(style.oneDecimal), ({ scores }, _at, index) => [
        `ROUND(SUMPRODUCT(${weights},${scoring.across(FIRST, LAST, index)})/SUM(${weights}),6)`,
        scores?.total ?? null,
      ]),
      measure: formulaOrEmpty('Ranked by', style.fourDecimals, (offer, at, index) => [
        `IF(AwardRule="best-score",-${at('total')},${offers.cell('costPerTonne', index)})`,
        ifRanked(offer, byScore ? -(offer.scores?.total ?? 0) : offer.compared.costPerTonne),
      ]),
      rank: formulaOrEmpty('Rank', style.asBold(style.plainNumber), (offer, at) => [
        rankExpression(layout, at),
        ifRanked(offer, offer.rank),
      ]),
    },
    marks: () => [
      mark(scoring.area('rank'), is(here, '=', 1), 'good'),
      ...CRITERIA.map((criterion) => bar(scoring.area(`score-${criterion}`), 100)),
    ],
  })
}

function weightCells({ report }: RfqLayout): Partial<Record<ScoringKey, Cell>> {
  const weights = CRITERIA.map((criterion) => {
    const value = report.settings.weights[criterion]
    return [`score-${criterion}`, formulaCell(`Weight_${criterion}`, value, style.asBold(style.oneDecimal))] as const
  })
  return { label: textCell('Weights (from Inputs)', style.boldWrapped), ...Object.fromEntries(weights) }
}

const [FIRST, LAST] = [`score-${CRITERIA[0]}`, `score-${CRITERIA.at(-1) as Criterion}`] as const
const weightsRange = ({ scoring }: RfqLayout) =>
  `'Scoring'!$${scoring.letter(FIRST)}$${WEIGHT_ROW}:$${scoring.letter(LAST)}$${WEIGHT_ROW}`

/** Ties go to the lower offer number. */
function rankExpression({ scoring }: RfqLayout, at: At<ScoringKey>): string {
  const all = scoring.range('measure')
  const ties = `COUNTIFS(${all},${at('measure')},${scoring.range('offer')},"<"&${at('offer')})`
  return `RANK(${at('measure')},${all},1)+${ties}`
}

/** Definitions: src/compare/offer/offer-report-model.ts, `Scores`. */
function pointsExpression({ scoring, offers }: RfqLayout, criterion: Criterion, index: number): string {
  const known = (key: Parameters<typeof offers.cell>[0], expression: (cell: string) => string) => {
    const cell = offers.cell(key, index)
    return `IF(ISNUMBER(${cell}),${expression(cell)},0)`
  }
  const makers: Record<Criterion, () => string> = {
    price: () => `100*MIN(${scoring.range('price')})/${scoring.at('price', index)}`,
    coverage: () => `IF(ISNUMBER(TonnesAskedFor),${known('coverage', (cell) => `100*${cell}`)},100)`,
    delivery: () => `IF(ISNUMBER(FulfilmentDays),${known('onTimeShare', (cell) => `100*${cell}`)},100)`,
    promptness: () => known('meanWait', (cell) => `100/(1+MAX(0,${cell})/WaitDays)`),
    vintage: () => known('meanVintage', (cell) => `MAX(0,100-VintagePoints*MAX(0,YEAR(AsOfDate)-${cell}))`),
    payment: () => known('prepaidShare', (cell) => `100*(1-MIN(1,${cell}))`),
    evidence: () => `100*${offers.cell('facts', index)}/6`,
  }
  return makers[criterion]()
}
