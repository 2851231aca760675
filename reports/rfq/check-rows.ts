import type { DocumentProblem } from '../../src/domain/comparison/comparison-input.js'
import type { Flag } from '../../src/domain/comparison/flag.js'
import type { Check } from '../../src/domain/comparison/report/check-model.js'
import { codeWords } from '../layout/codes.js'
import { severityLabels } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { type CachedResult, type Cell, formula, number, text } from '../xlsx/cells.js'
import type { OfferKey, RfqLayout } from './layout.js'
import { totalToleranceExpression } from './offer-metric-columns.js'
import { recommendationFact } from './recommendation/recommendation-block.js'

export type About = 'figures' | 'data' | 'flag' | 'document'
export const FIGURE = style.withNumberFormat(style.plainNumber, '#,##0.00####')

/** One comparison: a reconciliation check, a flag or a document problem, in the same columns. */
export interface CheckRow {
  about: About
  subject: string
  title: string
  leftWhat: string
  left: Cell
  rightWhat: string
  right: Cell
  /** Largest difference that is still `ok`; empty where no numbers are compared. */
  exact: Cell
  tolerance: Cell
  /** Only a left side above the right side fails. */
  oneSided?: boolean
  verdict: string
  /** The verdict is a formula over the numbers. */
  isFormula: boolean
  difference: number | null
  words: string
}
/** Rows are created only when written, because there may be many. */
export type MakeRow = () => CheckRow

const EMPTY = text(null, style.body)
const NOTHING_COMPARED = {
  leftWhat: '',
  left: EMPTY,
  rightWhat: '',
  right: EMPTY,
  exact: EMPTY,
  tolerance: EMPTY,
  isFormula: false,
  difference: null,
}

/** The rows of `Checks`: reconciliation checks, then flags, then document problems. */
export function checkRows(layout: RfqLayout): MakeRow[] {
  const { report } = layout
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index]))
  const flags = [
    ...report.rfq.flags.map((flag) => ({ flag, subject: 'RFQ' })),
    ...report.offers.flatMap(({ sequence, label, flags }) =>
      flags.map((flag) => ({ flag, subject: `${sequence} · ${label}` })),
    ),
  ]
  return [
    ...report.checks.checks.map((check) => () => checkRow(layout, check, indexes.get(check.offerId ?? ''))),
    ...flags.map(
      ({ flag, subject }) =>
        () =>
          flagRow(flag, subject),
    ),
    ...report.problems.map((problem) => () => documentRow(problem)),
  ]
}

/** A figure, as a formula if it is a cell of this workbook; other values as text. */
function valueCell(value: CachedResult, expression?: string): Cell {
  if (expression !== undefined && typeof value === 'number') return formula(expression, value, FIGURE)
  return typeof value === 'number' ? number(value, FIGURE) : text(value, style.wrapped)
}
const limitCell = (value: number | null, expression?: string): Cell =>
  expression === undefined ? number(value, FIGURE) : formula(expression, value, FIGURE)

function checkRow(layout: RfqLayout, check: Check, index: number | undefined): CheckRow {
  const { left, right, tolerance } = check
  const sides = expressionsOf(layout, check, index)
  return {
    ...check,
    leftWhat: left.what,
    left: valueCell(left.value, sides.left),
    rightWhat: right.what,
    right: valueCell(right.value, sides.right),
    exact: limitCell(check.exact, sides.exact),
    tolerance: limitCell(tolerance, sides.tolerance),
    isFormula: tolerance !== null,
  }
}

type Expressions = Partial<Record<'left' | 'right' | 'exact' | 'tolerance', string>>

/** Formulas for the checks whose two sides are cells of this workbook. */
function expressionsOf(layout: RfqLayout, check: Check, index: number | undefined): Expressions {
  const { offers, deliveries, recommendation, report } = layout
  const ofOffer = (stated: OfferKey, sum: OfferKey, more: (stated: string) => Expressions): Expressions => {
    if (index === undefined || check.difference === null) return {}
    const left = offers.cell(stated, index)
    return { left, right: offers.cell(sum, index), ...more(left) }
  }
  const ofAward = (key: 'tonnes' | 'total', right: (left: string) => string): Expressions => {
    const left = `N(${recommendationFact(layout, key).cell})`
    const allowed = `MAX(1E-6,ABS(${left})*1E-9)`
    return { left, right: right(left), exact: allowed, tolerance: allowed }
  }
  const awarded = recommendation.offers.range('tonnes')
  switch (check.id) {
    case 'lines-volume':
      return { left: `SUM(${deliveries.range('volume')})`, right: `SUM(${offers.range('sumVolume')})` }
    case 'lines-value':
      return { left: `SUM(${deliveries.range('total')})`, right: `SUM(${offers.range('sumValue')})` }
    case 'volume':
      return ofOffer('statedVolume', 'sumVolume', () => ({ exact: 'VolumeTolerance', tolerance: 'VolumeTolerance' }))
    case 'total':
      return ofOffer('statedTotal', 'sumValue', (stated) => ({ tolerance: totalToleranceExpression(stated) }))
    case 'recommended-total':
      return ofAward('total', () => `SUMPRODUCT(${awarded},${offers.range('comparedPricePerTonne')})`)
    case 'recommended-tonnes':
      return ofAward('tonnes', () => `SUMIFS(${offers.range('volume')},${awarded},">0")`)
    case 'recommended-solved': {
      const number = recommendationFact(layout, 'awardNo').cell
      const solved = `IF(ISNUMBER(${number}),INDEX(${recommendation.solved.range('total')},N(${number})+1),0)`
      const isSolved = (total: string) => `AND(AwardRule<>"best-score-compliant",${total}>0)`
      const hasSolved = report.decision.switches.awards.length > 0
      return ofAward('total', (total) => (hasSolved ? `IF(${isSolved(total)},${solved},${total})` : total))
    }
    case 'recommended-original':
      return ofAward('total', (total) => `IF(InputsChanged=0,${check.right.value},${total})`)
    default:
      return {}
  }
}

function flagRow(flag: Flag, subject: string): CheckRow {
  const [found, limit] = flag.compared
  const whatOf = (value: typeof found) =>
    value === undefined ? '' : `${value.what}${value.unit === null ? '' : `, ${value.unit}`}`
  const numbers = typeof found?.value === 'number' && typeof limit?.value === 'number'
  return {
    ...NOTHING_COMPARED,
    about: 'flag',
    subject,
    title: codeWords(flag.code),
    leftWhat: whatOf(found),
    left: valueCell(found?.value ?? null),
    rightWhat: whatOf(limit),
    right: valueCell(limit?.value ?? null),
    words: flag.words,
    verdict: severityLabels[flag.severity],
    difference: numbers && found.unit === limit.unit ? Number(found.value) - Number(limit.value) : null,
  }
}

const documentRow = ({ kind, entityId, path, code, message }: DocumentProblem): CheckRow => ({
  ...NOTHING_COMPARED,
  about: 'document',
  subject: `${kind} ${entityId}`,
  words: message,
  title: path === '' ? codeWords(code) : `${codeWords(code)}: ${path}`,
  verdict: 'problem',
})
