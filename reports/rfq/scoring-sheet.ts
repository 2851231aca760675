import type { CriteriaDecision } from '../../src/compare/decision/decision-model.js'
import { CRITERION_NAMES } from '../../src/compare/offer/criterion-text.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { CRITERIA, type Criterion } from '../../src/core/settings.js'
import { type At, type Column, columnsOf } from '../layout/columns.js'
import { bar, here, is, mark } from '../layout/marks.js'
import type { SheetPlan } from '../layout/sheet-plan.js'
import { tableSheet } from '../layout/table-sheet.js'
import { yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type Cell, formula as formulaCell, text as textCell } from '../xlsx/cells.js'
import { type RfqLayout, SCORING_HEADER_ROW, type ScoreKey, type ScoringKey } from './layout.js'

/** Said beside the weight of a criterion on which all ranked offers earn the same. */
export const SAME = 'does not distinguish these offers'
/** Rows above the headers: weights, whether a criterion distinguishes the offers, the weights of those that do. */
const WEIGHT_ROW = SCORING_HEADER_ROW - 3
const SAME_ROW = SCORING_HEADER_ROW - 2
const REMAINING_ROW = SCORING_HEADER_ROW - 1

/** The cell that says so, from any sheet. */
export const sameCell = ({ scoring }: RfqLayout, criterion: Criterion) =>
  `'Scoring'!$${scoring.letter(`score-${criterion}`)}$${SAME_ROW}`

/** `Scoring`: weights × scores, total and rank, all as formulas; also without criteria that do not distinguish. */
export function scoringSheet(layout: RfqLayout): SheetPlan {
  const { scoring, offers, price, perTonne, report } = layout
  const { text, number, formula } = columnsOf<OfferReport, ScoringKey>(scoring)
  const score = (criterion: Criterion) =>
    formula(CRITERION_NAMES[criterion], style.oneDecimal, (offer, at, index) => [
      ifRanked(at, scoreExpression(layout, criterion, index)),
      offer.scores?.[criterion] ?? '',
    ])
  const total = (row: number, index: number) => {
    const weights = criteriaRange(layout, row)
    return `IFERROR(ROUND(SUMPRODUCT(${weights},${scoresRange(layout, index)})/SUM(${weights}),6),"")`
  }
  const { criteria, ranking } = report.decision.criteria
  const isNoneLeft = ranking === null && criteria.some((one) => one.distinguishes === false && one.weight > 0)
  const reduced = new Map(ranking?.map((one) => [one.offerId, one]))
  return tableSheet<OfferReport, ScoringKey>(layout, {
    grid: scoring,
    title: 'Scoring',
    note: 'Each criterion earns 0 to 100 points. Unknown values earn 0; criteria the RFQ does not limit earn every offer 100. Total score = Σ weight × points ÷ Σ weights. Change the weights on Inputs. A criterion that does not distinguish the offers does not affect their order.',
    aboveHeader: criteriaRows(layout),
    rows: report.offers,
    emptyText: layout.noOffers,
    frozenColumns: 2,
    columns: {
      offer: number('Offer no.', (offer) => offer.sequence),
      label: text('Offer', (offer) => offer.label, { maxWidth: 40 }),
      eligible: formula('Ranked', style.centred, (offer, _at, index) => [
        offers.cell('eligible', index),
        yesNo(offer.eligibility.eligible),
      ]),
      price: formula(perTonne('Risk-adjusted price per tonne'), price, (offer, at, index) => [
        ifRanked(at, offers.cell('comparedPrice', index)),
        offer.eligibility.eligible ? offer.compared.price : '',
      ]),
      ...(Object.fromEntries(CRITERIA.map((criterion) => [`score-${criterion}`, score(criterion)])) as Record<
        ScoreKey,
        Column<OfferReport>
      >),
      total: formula('Total score', style.asBold(style.oneDecimal), (offer, at, index) => [
        ifRanked(at, total(WEIGHT_ROW, index)),
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
      remaining: formula(
        'Total without criteria that do not distinguish',
        style.oneDecimal,
        ({ id, scores }, at, index) => [
          ifRanked(at, total(REMAINING_ROW, index)),
          isNoneLeft ? '' : (reduced.get(id)?.total ?? scores?.total ?? ''),
        ],
      ),
      remainingRank: formula('Rank without them', style.plainNumber, ({ id, rank }, at) => [
        ifRanked(at, rankExpression(layout, at, 'remaining', 0)),
        isNoneLeft ? '' : (reduced.get(id)?.rank ?? rank ?? ''),
      ]),
    },
    marks: () => [
      mark(scoring.area('rank'), is(here, '=', 1), 'good'),
      ...CRITERIA.map((criterion) => bar(scoring.area(`score-${criterion}`), 100)),
      mark(scoring.area('remainingRank'), is(here, '=', 1), 'good'),
      mark(`${scoring.letter(FIRST)}${SAME_ROW}:${scoring.letter(LAST)}${SAME_ROW}`, is(here, '=', SAME), 'warn'),
    ],
  })
}

function criteriaRows({ scoring, report }: RfqLayout) {
  const criteria = report.decision.criteria.criteria.map((one) => [`score-${one.criterion}`, one] as const)
  const row = (title: string, cellOf: (key: ScoreKey, criterion: CriteriaDecision['criteria'][number]) => Cell) => ({
    role: 'body' as const,
    cells: Object.fromEntries<Cell>([
      ['label', textCell(title, style.boldWrapped)],
      ...criteria.map(([key, one]) => [key, cellOf(key, one)] as const),
    ]) as Partial<Record<ScoringKey, Cell>>,
  })
  const decimal = style.asBold(style.oneDecimal)
  return [
    row('Weights (from Inputs)', (_, { criterion, weight }) => formulaCell(`Weight_${criterion}`, weight, decimal)),
    row('Same points for every ranked offer', (key, { distinguishes }) => {
      const points = scoring.range(key)
      const isSame = `IF(COUNT(${points})>1,ROUND(MAX(${points}),6)=ROUND(MIN(${points}),6),FALSE)`
      return formulaCell(`IF(${isSame},"${SAME}","")`, distinguishes === false ? SAME : '', style.wrapped)
    }),
    row('Weights of the other criteria', (key, { distinguishes, weight }) => {
      const letter = scoring.letter(key)
      const remaining = `IF(${letter}${SAME_ROW}="",${letter}${WEIGHT_ROW},0)`
      return formulaCell(remaining, distinguishes === false ? 0 : weight, style.oneDecimal)
    }),
  ]
}

const ifRanked = (at: At<ScoringKey>, expression: string) => `IF(${at('eligible')}="yes",${expression},"")`

const [FIRST, LAST] = [`score-${CRITERIA[0]}`, `score-${CRITERIA.at(-1) as Criterion}`] as const
const criteriaRange = ({ scoring }: RfqLayout, row: number) =>
  `'Scoring'!$${scoring.letter(FIRST)}$${row}:$${scoring.letter(LAST)}$${row}`
/** The weights, from any sheet. */
export const weightsRange = (layout: RfqLayout): string => criteriaRange(layout, WEIGHT_ROW)

/** The scores of one offer, from any sheet. */
export const scoresRange = ({ scoring }: RfqLayout, index: number): string => scoring.across(FIRST, LAST, index)

/** Rank among ranked offers; ties go to the lower offer number. */
function rankExpression({ scoring }: RfqLayout, at: At<ScoringKey>, key: ScoringKey, ascending: 0 | 1): string {
  const ties = `COUNTIFS(${scoring.range(key)},${at(key)},${scoring.range('offer')},"<"&${at('offer')})`
  return `IFERROR(RANK(${at(key)},${scoring.range(key)},${ascending})+${ties},"")`
}

/** Definitions: src/compare/offer/scores.ts, `Scores`. */
function scoreExpression({ scoring, offers }: RfqLayout, criterion: Criterion, index: number): string {
  const known = (key: Parameters<typeof offers.cell>[0], expression: (cell: string) => string, otherwise = '0') => {
    const cell = offers.cell(key, index)
    return `IF(ISNUMBER(${cell}),${expression(cell)},${otherwise})`
  }
  const makers: Record<Criterion, () => string> = {
    price: () => `100*MIN(${scoring.range('price')})/${scoring.at('price', index)}`,
    coverage: () => `IF(ISNUMBER(WantedVolume),${known('coverage', (cell) => `100*${cell}`)},100)`,
    delivery: () => `IF(ISNUMBER(FulfilmentDays),${known('onTimeShare', (cell) => `100*${cell}`)},100)`,
    promptness: () => known('meanWait', (cell) => `100/(1+MAX(0,${cell})/WaitDays)`),
    vintage: () => known('meanVintage', (cell) => `MAX(0,100-VintagePoints*MAX(0,YEAR(AsOfDate)-${cell}))`),
    payment: () => known('prepaidShare', (cell) => `100*(1-MIN(1,${cell}))`),
    evidence: () => `100*${offers.cell('facts', index)}/6`,
  }
  return makers[criterion]()
}
