import type { LeadFactor, ScoreLead } from '../../src/compare/decision/decision-model.js'
import { LEAD_SHIFTS, leadWidth } from '../../src/compare/decision/score-lead.js'
import { round6, rounded } from '../../src/core/numbers.js'
import { HAIRCUT_KINDS, type HaircutKind, SETTING_LIMITS } from '../../src/core/settings.js'
import { columnsOf } from '../layout/columns.js'
import type { Grid } from '../layout/grid.js'
import { fixed } from '../layout/number-phrase.js'
import { constant, type Phrase, say } from '../layout/phrase.js'
import { emptyRows, sectionRow } from '../layout/rows.js'
import { chartColumns, type SheetChart } from '../layout/sheet-chart.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { tableRows } from '../layout/table-sheet.js'
import { codeWords, yesNo } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, formula, text } from '../xlsx/cells.js'
import { haircutCell } from './inputs.js'
import type { RfqLayout } from './layout.js'
import { weightsRange } from './scoring-sheet.js'

/** Inputs in the table and its chart, widest first. */
const MAX_BARS = 8
const CHART_ROWS = 14
const FORMAT = '+0.0;-0.0;0.0'
const SIGNED = style.withNumberFormat(style.oneDecimal, FORMAT)
const [LOW, HIGH] = ['Change at the low value', 'Change at the high value']
const DECIDES = 'Scores decide the award only under the rule best-score-compliant; the other rules compare totals.'

/** The figures of the offers shown in a sensitivity case: the first or last one of its kind. */
export type FiguresOfCase = (factor: string, which: 'first' | 'last') => string
/** The cell in a column of the row with the two offers. */
type PairCell = (letter: string) => string

/**
 * How far each input moves the score lead of the recommended offer (`ScoreLead`): a table and a chart, widest first. The
 * collapsed rows below choose the two offers and calculate the lead for each input.
 * @param row the first row of the section
 * @param contenders number of offers considered, the first rows of `Scoring`
 */
export function leadSection(
  layout: RfqLayout,
  lead: ScoreLead,
  { row, contenders, figuresOf }: { row: number; contenders: number; figuresOf: FiguresOfCase },
): { rows: RowPlan[]; chart: SheetChart } {
  const { factors, points, sequence, rivalSequence } = lead
  const bars = factors.slice(0, MAX_BARS)
  const first = row + 3
  const pairRow = first + bars.length + CHART_ROWS
  const pair = (letter: string) => `$${letter}$${pairRow}`
  const now = pair('H')
  const column = (letter: string) => `$${letter}$${pairRow + 1}:$${letter}$${pairRow + factors.length}`
  const byWidth = (letter: string, at: number) => `INDEX(${column(letter)},MATCH(${at + 1},${column('H')},0))`
  const own = layout.report.decision.accepted === null ? 'the recommended offer' : `offer no. ${sequence}`
  const title = `What moves the score lead of ${own}`
  const leadAt = leadFormulas(layout, contenders, pair, figuresOf)
  const working = factors.map((each, at): RowPlan => {
    const line = pairRow + 1 + at
    const all = `$E${line},$F${line},${now}`
    const order = `RANK($G${line},${column('G')})+COUNTIF($G$${pairRow + 1}:$G${line},$G${line})-1`
    const cells = [
      arrayFormula(leadAt(each.factor, -1), each.lowPoints, style.oneDecimal),
      arrayFormula(leadAt(each.factor, 1), each.highPoints, style.oneDecimal),
      formula(`ROUND(MAX(${all})-MIN(${all}),6)`, leadWidth(each, points), style.oneDecimal),
      formula(order, at + 1, style.plainNumber),
    ]
    return { working: true, cells: [text(each.title, style.body), undefined, undefined, undefined, ...cells] }
  })
  const { range, series } = chartColumns('Sensitivity', first - 1)
  const titles = bars.map(({ title }) => title)
  const change = (at: 'lowPoints' | 'highPoints') => bars.map((each) => each[at] - points)
  return {
    rows: [
      sectionRow(`${title} over the next eligible offer, widest first`),
      { role: 'note', cells: [leadSentence(layout, lead, pair)] },
      ...tableRows(leadColumns(lead, now, byWidth), bars),
      ...emptyRows(CHART_ROWS),
      pairOfOffers(layout, lead, contenders, pairRow),
      ...working,
    ],
    chart: {
      title,
      alt: `Bars, widest first: change of the score lead of offer no. ${sequence} over the next eligible offer, no. ${rivalSequence}, now ${rounded(points, 1)} points, if one input takes a low or a high value. ${DECIDES}`,
      stacked: false,
      horizontal: true,
      categories: range(1, titles),
      categoryTitle: '',
      valueTitle: 'Change of the lead (points)',
      format: FORMAT,
      series: [series(5, LOW, change('lowPoints')), series(6, HIGH, change('highPoints'))],
      anchor: { column: 0, row: first - 1 + bars.length, toColumn: 4, toRow: first - 2 + bars.length + CHART_ROWS },
    },
  }
}

/** The columns of the table, which picks from the rows below. @param figure a formula for that of the row with a place by width */
function leadColumns({ points }: ScoreLead, now: string, figure: (letter: string, at: number) => string) {
  const { formula } = columnsOf<LeadFactor>()
  const isAhead = (value: number) => round6(value) >= 0
  const stays = (letter: string, at: number) => `(ROUND(${figure(letter, at)},6)>=0)=(ROUND(${now},6)>=0)`
  const lead = (letter: string, at: number, cached: number) => fixed({ cell: figure(letter, at), cached }, 1)
  return [
    formula('Input changed', style.boldWrapped, ({ title }, _, at) => [figure('A', at), title]),
    formula('Width (points)', style.oneDecimal, (each, _, at) => [figure('G', at), leadWidth(each, points)]),
    formula('Lead at the low and the high value', style.body, ({ lowPoints, highPoints }, _, at) => {
      return say`${lead('E', at, lowPoints)} and ${lead('F', at, highPoints)}`
    }),
    formula('Leader changes', style.centred, ({ lowPoints, highPoints }, _, at) => [
      `IF(AND(${stays('E', at)},${stays('F', at)}),"no","yes")`,
      yesNo([lowPoints, highPoints].some((value) => isAhead(value) !== isAhead(points))),
    ]),
    formula(LOW, SIGNED, ({ lowPoints }, _, at) => [`${figure('E', at)}-${now}`, lowPoints - points]),
    formula(HIGH, SIGNED, ({ highPoints }, _, at) => [`${figure('F', at)}-${now}`, highPoints - points]),
  ]
}

const scoresOf = ({ report }: RfqLayout, { sequence, rivalSequence }: ScoreLead) =>
  [sequence, rivalSequence].map((of) => report.offers.find((offer) => offer.sequence === of)?.scores?.total ?? 0)

function leadSentence(layout: RfqLayout, lead: ScoreLead, pair: PairCell) {
  const [own = 0, rival = 0] = scoresOf(layout, lead)
  const offer = (letter: string, sequence: number): Phrase => [pair(letter), `${sequence}`]
  const score = (letter: string, cached: number) => fixed({ cell: pair(letter), cached }, 1)
  const scores = say`Offer ${offer('D', lead.sequence)} scores ${score('F', own)}, offer ${offer('E', lead.rivalSequence)} ${score('G', rival)}`
  return formula(...say`${scores}: a lead of ${score('H', lead.points)} points. ${constant(DECIDES)}`, style.body)
}

/** The first rows of a column, one for each contender. */
const rowsOf = <Key extends string>({ cell, letter, firstRow }: Grid<Key>, key: Key, contenders: number) =>
  `${cell(key, 0)}:$${letter(key)}$${firstRow + contenders - 1}`

/** Position, number and score of both offers, and the lead. */
function pairOfOffers(layout: RfqLayout, lead: ScoreLead, contenders: number, row: number): RowPlan {
  const { scoring, recommendation } = layout
  const [ranks, numbers, totals] = (['rank', 'offer', 'total'] as const).map((key) => rowsOf(scoring, key, contenders))
  const tonnes = rowsOf(recommendation.offers, 'tonnes', contenders)
  const eligible = rowsOf(recommendation.offers, 'eligible', contenders)
  const best = (...criteria: string[]) => `MATCH(_xlfn.MINIFS(${ranks},${criteria.join(',')}),${ranks},0)`
  const isOther = `${numbers},"<>"&$D$${row}`
  const [own = 0, rival = 0] = scoresOf(layout, lead)
  const at = (of: number) => layout.report.offers.findIndex(({ sequence }) => sequence === of) + 1
  const rivalRow = best(`${eligible},"yes"`, `${tonnes},"<=0"`, isOther)
  const cell = (expression: string, cached: number) => formula(expression, cached, style.plainNumber)
  return {
    working: true,
    cells: [
      text('The two offers: position, number, score; lead', style.body),
      cell(`IFERROR(${best(`${tonnes},">0"`)},MATCH(MIN(${ranks}),${ranks},0))`, at(lead.sequence)),
      cell(`IFERROR(${rivalRow},${best(isOther)})`, at(lead.rivalSequence)),
      cell(`INDEX(${numbers},$B$${row})`, lead.sequence),
      cell(`INDEX(${numbers},$C$${row})`, lead.rivalSequence),
      cell(`INDEX(${totals},$B$${row})`, own),
      cell(`INDEX(${totals},$C$${row})`, rival),
      cell(`$F$${row}-$G$${row}`, lead.points),
    ],
  }
}

/** The lead with one input at its low (−1) or high (1) value; src/compare/decision/score-lead.ts. */
function leadFormulas(layout: RfqLayout, contenders: number, pair: PairCell, figuresOf: FiguresOfCase) {
  const { scoring, offers } = layout
  const [own, rival, now] = [pair('B'), pair('C'), pair('H')]
  const [prices, numbers] = [rowsOf(scoring, 'price', contenders), rowsOf(scoring, 'offer', contenders)]
  const [contracts, currencies] = [rowsOf(offers, 'contract', contenders), rowsOf(offers, 'currency', contenders)]
  const weights = `SUM(${weightsRange(layout)})`
  /** With the prices of the offers that match multiplied. */
  const priced = (range: string, matches: (cell: string) => string, factor: string) => {
    const price = (all: string, of: string) => `${all}*IF(${matches(of)},${factor},1)`
    const [one, other] = [own, rival].map((at) => price(`INDEX(${prices},${at})`, `INDEX(${range},${at})`))
    const lowest = `MIN(IF(ISNUMBER(${prices}),${price(prices, range)}))`
    const before = `MIN(${prices})*(1/INDEX(${prices},${own})-1/INDEX(${prices},${rival}))`
    return `${now}+100*Weight_price/${weights}*(${lowest}*(1/(${one})-1/(${other}))-${before})`
  }
  const [spot, forward] = HAIRCUT_KINDS.map((kind) => `"${codeWords(kind)}"`)
  const isOfKind = (kind: HaircutKind) => (cell: string) =>
    kind === 'other' ? `(${cell}<>${spot})*(${cell}<>${forward})` : `${cell}="${codeWords(kind)}"`
  return (factor: string, sign: -1 | 1): string => {
    const [kind, name = ''] = factor.split('.')
    const relative = `${1 + sign * LEAD_SHIFTS.price}`
    switch (kind) {
      case 'haircuts': {
        const haircut = haircutCell(name as HaircutKind)
        const value = `MIN(${SETTING_LIMITS.haircut[1]},MAX(0,${haircut}+${sign * LEAD_SHIFTS.haircut}))`
        return priced(contracts, isOfKind(name as HaircutKind), `(1-${haircut})/(1-${value})`)
      }
      case 'exchangeRates':
        return priced(currencies, (cell) => `${cell}="${name}"`, relative)
      case 'price':
      case 'rivalPrice':
        return priced(numbers, (cell) => `${cell}=${pair(kind === 'price' ? 'D' : 'E')}`, relative)
      default: {
        const figures = figuresOf(factor, sign === -1 ? 'first' : 'last')
        return `IFERROR(INDEX(${figures},${own})-INDEX(${figures},${rival}),${now})`
      }
    }
  }
}
