import type { FailureGroups } from '../../../src/compare/decision/failure-groups.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import { type Grid, keys, makeGrid } from '../../layout/grid.js'
import { HEADER_ROW } from '../../layout/table-sheet.js'
import * as style from '../../xlsx/cell-styles.js'
import { type CachedResult, stringLiteral } from '../../xlsx/cells.js'

/** Figures of the recommended award, one row each. */
export const FACT_KEYS = keys(
  'rule key entry outdated problem message awardNo members alternatives least most',
  'status tonnes total pricePerTonne coverage excessTonnes excessCost offers developers score solution',
  'runnerUpTotal runnerUpDifference runnerUpPoints runnerUpOffers',
  'closestNo closestOffers closestTonnes closestTotal closestWaived',
)
export type FactKey = (typeof FACT_KEYS)[number]

/** Awarded offers that are listed one by one; the same limit as for break-even prices. */
export const MAX_AWARDED_ROWS = 12

/** The tables in the working columns of `Award`, side by side; all headers are in the same row. */
type RecommendationGrids = ReturnType<typeof recommendationGrids>
/** The columns of one of them. */
export type KeyOf<Table extends keyof RecommendationGrids> = RecommendationGrids[Table]['keys'][number]
/** @param firstColumn of the first table, counted from 1 */
export function recommendationGrids({ offers, decision }: RfqReport, failures: FailureGroups, firstColumn: number) {
  let column = firstColumn
  const next = <Key extends string>(columns: readonly Key[], count: number): Grid<Key> => {
    const grid = makeGrid('Award', columns, HEADER_ROW, count, column)
    column += columns.length + 1
    return grid
  }
  return {
    facts: next(keys('label value'), FACT_KEYS.length),
    /** One row per offer, in the order of `RfqReport.offers`. */
    offers: next(
      keys('offer group eligible unmet tonnes sortRank sortPrice order pick take cumulative'),
      offers.length,
    ),
    /** The awarded offers by number. */
    awarded: next(
      keys('index number name tonnes pricePerTonne total alternative alternativeTotal breakEven'),
      MAX_AWARDED_ROWS,
    ),
    requirements: next(keys('title level failing failingUnlessHard unmet'), decision.requirements.length),
    /** Sets of failed requirements: offers with the same set are eligible together. */
    groups: next(keys('group eligible unmet'), failures.groups.length),
    solved: next(keys('number members tonnes total reached solution'), decision.switches.awards.length),
    entries: next(keys('key award closest waived alternatives'), decision.switches.entries.length),
  }
}

/** One figure of the recommended award: a row of the first table of the block. */
export type Fact = ReturnType<typeof figure>
export const figure = (
  label: string,
  expression: string,
  cached: CachedResult,
  cellStyle: style.Style = style.body,
  isArray = false,
) => ({ label, expression, cached, style: cellStyle, isArray })

/** What the formulas of the block refer to. */
export function referencesOf({ recommendation: grids }: { recommendation: RecommendationGrids }) {
  const at = (key: FactKey) => grids.facts.cell('value', FACT_KEYS.indexOf(key))
  return {
    /** The cell of a figure. */
    at,
    /** The entry of the solved award. */
    entryOf: (key: KeyOf<'entries'>) => `INDEX(${grids.entries.range(key)},MAX(1,${at('entry')}))`,
    /** A solved award by its number. */
    solvedOf: (key: KeyOf<'solved'>, number = at('awardNo')) => `INDEX(${grids.solved.range(key)},N(${number})+1)`,
    tonnes: grids.offers.range('tonnes'),
    numbers: grids.offers.range('offer'),
    /** Whether each offer is in a list such as `,3,17,`. */
    isMember: (members: string) => `ISNUMBER(SEARCH(","&${grids.offers.range('offer')}&",",${members}))`,
  }
}

/** A number or a text as a formula writes it. */
export const literal = (value: number | string) => (typeof value === 'number' ? String(value) : stringLiteral(value))

/** Whether `Inputs` has an award rule, as conditions in a formula. */
export const ruleIs = {
  cheapest: 'AwardRule="cheapest-compliant"',
  bestScore: 'AwardRule="best-score-compliant"',
  regardless: 'AwardRule="cheapest-regardless"',
}
