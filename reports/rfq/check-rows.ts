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
import type { FactKey } from './recommendation/recommendation-grids.js'

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
    ...recommendationChecks(layout).map((row) => () => row),
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
function expressionsOf({ offers, deliveries }: RfqLayout, check: Check, index: number | undefined): Expressions {
  const ofOffer = (stated: OfferKey, sum: OfferKey, more: (stated: string) => Expressions): Expressions => {
    if (index === undefined || check.difference === null) return {}
    const left = offers.cell(stated, index)
    return { left, right: offers.cell(sum, index), ...more(left) }
  }
  switch (check.id) {
    case 'lines-volume':
      return { left: `SUM(${deliveries.range('volume')})`, right: `SUM(${offers.range('sumVolume')})` }
    case 'lines-value':
      return { left: `SUM(${deliveries.range('total')})`, right: `SUM(${offers.range('sumValue')})` }
    case 'volume':
      return ofOffer('statedVolume', 'sumVolume', () => ({ exact: 'VolumeTolerance', tolerance: 'VolumeTolerance' }))
    case 'total':
      return ofOffer('statedTotal', 'sumValue', (stated) => ({ tolerance: totalToleranceExpression(stated) }))
    default:
      return {}
  }
}

/** The recommended award on `Award`, computed in another way. Where there is none, both sides are 0. */
function recommendationChecks(layout: RfqLayout): CheckRow[] {
  const { report, offers, recommendation: grids, failures } = layout
  const { award } = report.decision.recommendation
  if (failures.candidates.length === 0) return []
  const amount = (key: FactKey) => `N(${recommendationFact(layout, key).cell})`
  const [tonnes, total] = [amount('tonnes'), amount('total')]
  const cached = { tonnes: award?.tonnes ?? 0, total: award?.total ?? 0 }
  const awarded = grids.offers.range('tonnes')
  const solvedNumber = recommendationFact(layout, 'awardNo').cell
  const solved = `IF(ISNUMBER(${solvedNumber}),INDEX(${grids.solved.range('total')},N(${solvedNumber})+1),0)`
  const isSolved = `AND(AwardRule<>"best-score-compliant",${total}>0)`
  const sum = award?.offers.reduce((all, offer) => all + offer.tonnes * offer.pricePerTonne, 0) ?? 0
  const check = (
    title: string,
    of: 'tonnes' | 'total',
    rightWhat: string,
    expression: string,
    words: string,
    value = cached[of],
  ): CheckRow => {
    const [leftExpression, left] = [of === 'total' ? total : tonnes, cached[of]]
    const allowed = formula(`MAX(1E-6,ABS(${leftExpression})*1E-9)`, Math.max(1e-6, left * 1e-9), FIGURE)
    return {
      about: 'figures',
      subject: 'Recommended award',
      title,
      leftWhat: `${of} on Award`,
      left: formula(leftExpression, left, FIGURE),
      rightWhat,
      right: formula(expression, value, FIGURE),
      exact: allowed,
      tolerance: allowed,
      verdict: 'ok',
      isFormula: true,
      difference: left - value,
      words,
    }
  }
  return [
    check(
      'The total is the sum over the awarded offers',
      'total',
      'Σ tonnes × price per tonne',
      `SUMPRODUCT(${awarded},${offers.range('comparedPricePerTonne')})`,
      'The tonnes of each awarded offer at its price per tonne add up to the total.',
      sum,
    ),
    check(
      'The tonnes are those of the awarded offers',
      'tonnes',
      'Σ volume of awarded offers',
      `SUMIFS(${offers.range('volume')},${awarded},">0")`,
      'Offers are awarded whole.',
    ),
    check(
      'The total is that of the award solved for these inputs',
      'total',
      'total of the solved award',
      report.decision.switches.awards.length === 0 ? total : `IF(${isSolved},${solved},${total})`,
      'Under “best-score-compliant”, the award is calculated, not looked up.',
    ),
    check(
      'With the original inputs, the award is that of the report',
      'total',
      'total in the report',
      `IF(InputsChanged=0,${cached.total},${total})`,
      'The report’s own calculation, which searches for the award.',
    ),
  ]
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
