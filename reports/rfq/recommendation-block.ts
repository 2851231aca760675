import { reachedFrom } from '../../src/domain/comparison/awards/cheapest-combination.js'
import {
  OFFER_REQUIREMENTS,
  REQUIREMENT_TITLES,
  upTo,
} from '../../src/domain/comparison/decision/award-requirements.js'
import type { Candidate } from '../../src/domain/comparison/decision/award-solver.js'
import type {
  AwardedOffer,
  DecisionAward,
  RequirementSwitch,
} from '../../src/domain/comparison/decision/decision-model.js'
import type { SolvedAward, SwitchEntry } from '../../src/domain/comparison/decision/switch-table-model.js'
import { round6 } from '../../src/domain/comparison/numbers.js'
import type { OfferReport } from '../../src/domain/comparison/offer/offer-report-model.js'
import type { RequirementName } from '../../src/domain/comparison/settings.js'
import { cellContent, NO_FIGURE, storedNumber } from '../layout/cell-text.js'
import { cleanText } from '../layout/clean-text.js'
import { type Column, type Columns, columnsOf } from '../layout/columns.js'
import { columnIndex, type Grid } from '../layout/grid.js'
import { headRow, right } from '../layout/rows.js'
import type { RowPlan } from '../layout/sheet-plan.js'
import { HEADER_ROW, inOrder } from '../layout/table-sheet.js'
import { joinList, withCurrency } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { arrayFormula, type CachedResult, type Cell, formula, stringLiteral, text } from '../xlsx/cells.js'
import { byWantedBasis, REACHED_VOLUME } from './award-sets.js'
import { requirementCell } from './inputs-sheet.js'
import type { RfqLayout } from './layout.js'
import {
  type AwardedKey,
  type EntryKey,
  FACT_KEYS,
  type FactKey,
  type GroupKey,
  MAX_AWARDED_ROWS,
  type RecommendedOfferKey,
  type RequirementKey,
  type SolvedKey,
} from './recommendation-grids.js'

/**
 * The recommended award as formulas, in the working columns of `Award`. It follows the award rule, the levels of the
 * requirements, the wanted volume, weights and rates on `Inputs` without a macro: awards that need a search are looked up
 * among those solved ahead (src/domain/comparison/decision/switch-table-model.ts), `best-score-compliant` is calculated.
 * If inputs that the solved awards do not follow have changed, or the combination is not solved, `problem` is not empty and
 * every figure shows it in its place, so other sheets test figures with ISNUMBER.
 *
 * Other sheets refer to it by `recommendationFact`, `layout.recommendation.offers` and `layout.recommendation.awarded`.
 */

const NOT_SOLVED = 'not solved'
const OUTDATED = 'outdated'
const NO_AWARD = 'none'
const AWARDED_ROWS = [...Array(MAX_AWARDED_ROWS).keys()]
/** Digits of an award's number in the list of alternatives. */
const ALTERNATIVE_DIGITS = 4

/** A cell of the block, for formulas on any sheet, with its stored result. */
export interface Reference {
  cell: string
  cached: CachedResult
}

/** A figure of the recommended award. */
export function recommendationFact(layout: RfqLayout, key: FactKey): Reference {
  return { cell: factCell(layout, key), cached: factsOf(layout)[key].cached }
}

const factCell = ({ recommendation: { facts } }: RfqLayout, key: FactKey) => facts.cell('value', FACT_KEYS.indexOf(key))

/** A cell of one offer, by its index in `RfqReport.offers`. */
export const recommendedOffer = (layout: RfqLayout, key: RecommendedOfferKey, index: number): Reference => ({
  cell: layout.recommendation.offers.cell(key, index),
  cached: cachedIn(offerColumns(layout)[key], layout.report.offers, index),
})

/** A cell of an awarded offer: the first has index 0, up to MAX_AWARDED_ROWS; empty text beyond the last. */
export const awardedOffer = (layout: RfqLayout, key: AwardedKey, index: number): Reference => ({
  cell: layout.recommendation.awarded.cell(key, index),
  cached: cachedIn(awardedColumns(layout)[key], AWARDED_ROWS, index),
})

/** A cell of a requirement, by its index in `Decision.requirements`; `unmet` has the numbers of awarded offers. */
export const awardRequirement = (layout: RfqLayout, key: RequirementKey, index: number): Reference => ({
  cell: layout.recommendation.requirements.cell(key, index),
  cached: cachedIn(requirementColumns(layout)[key], layout.report.decision.requirements, index),
})

function cachedIn<Row>(column: Column<Row>, rows: readonly Row[], index: number): CachedResult {
  const cell = column.cell(rows[index] as Row, index)
  const content = cellContent(cell)
  return storedNumber(cell) ?? (typeof content === 'string' ? content : '')
}

// --- the tables side by side ------------------------------------------------------------------------------------------

interface SideTable {
  firstColumn: number
  columns: readonly Column<never>[]
  rows: readonly unknown[]
}

/** Column units of the block. */
const COLUMN_UNITS = 14

/** The columns of the block, counted from 0, with the gap before it. */
export function blockColumns({ recommendation: { facts, entries } }: RfqLayout): number[] {
  const first = columnOf(facts) - 1
  return Array.from({ length: columnOf(entries) + entries.keys.length - first }, (_, at) => first + at)
}

/** The widths of all columns of `Award`: those given, then those of the block. */
export const withBlockWidths = (layout: RfqLayout, widths: readonly number[]): number[] =>
  Array.from({ length: (blockColumns(layout).at(-1) ?? 0) + 1 }, (_, column) => widths[column] ?? COLUMN_UNITS)

const columnOf = <Key extends string>(grid: Grid<Key>): number => columnIndex(grid.letter(grid.keys[0] as Key))

/** Rows with the tables of the block to the right of them; rows of the block below the last row are working rows. */
export function* withRecommendation(layout: RfqLayout, rows: Iterable<RowPlan>): Generator<RowPlan> {
  const tables = sideTables(layout)
  const lastRow = HEADER_ROW + Math.max(...tables.map((table) => table.rows.length))
  const title = text('Recommended award', style.section)
  let number = 0
  const cellsOf = (row: number): Map<number, Cell> => {
    const cells = new Map<number, Cell>()
    if (row === HEADER_ROW - 1) cells.set(tables[0]?.firstColumn ?? 0, title)
    if (row < HEADER_ROW) return cells
    for (const { firstColumn, columns, rows: values } of tables) {
      const at = row - HEADER_ROW - 1
      if (at >= values.length) continue
      for (const [index, column] of columns.entries()) {
        const cell = at < 0 ? headerCell(column) : column.cell(values[at] as never, at)
        cells.set(firstColumn + index, cell)
      }
    }
    return cells
  }
  for (const row of rows) {
    const side = cellsOf(++number)
    yield side.size === 0 ? row : { ...row, cells: merged(row.cells, side) }
  }
  while (number < lastRow) yield { working: true, cells: merged([], cellsOf(++number)) }
}

const headerCell = ({ header, alignRight }: Column<never>): Cell =>
  headRow(alignRight ? right(header) : header).cells[0] as Cell

function merged(cells: RowPlan['cells'], side: ReadonlyMap<number, Cell>): (Cell | undefined)[] {
  const all = [...cells]
  for (const [column, cell] of side) all[column] = cell
  return Array.from(all)
}

function sideTables(layout: RfqLayout): SideTable[] {
  const { recommendation: grids, report } = layout
  const { switches, requirements } = report.decision
  const table = <Row, Key extends string>(
    grid: Grid<Key>,
    columns: Columns<Row, Key>,
    rows: readonly Row[],
  ): SideTable => ({
    firstColumn: columnOf(grid),
    columns: inOrder(grid, columns),
    rows,
  })
  return [
    table(grids.facts, factColumns(layout), FACT_KEYS),
    table(grids.offers, offerColumns(layout), report.offers),
    table(grids.awarded, awardedColumns(layout), AWARDED_ROWS),
    table(grids.requirements, requirementColumns(layout), requirements),
    table(grids.groups, groupColumns(layout), layout.failures.groups),
    table(grids.solved, solvedColumns(layout), switches.awards),
    table(grids.entries, entryColumns(layout), switches.entries),
  ]
}

// --- figures ----------------------------------------------------------------------------------------------------------

interface Fact {
  label: string
  expression: string
  cached: CachedResult
  look: style.Style
  array?: boolean
}
type Facts<Key extends FactKey = FactKey> = Record<Key, Fact>

function factColumns(layout: RfqLayout): Columns<FactKey, 'label' | 'value'> {
  const facts = factsOf(layout)
  const { text, cells } = columnsOf<FactKey>()
  return {
    label: text('Figure', (key) => facts[key].label, { look: style.body }),
    value: cells('Value', (key) => {
      const { expression, cached, look, array } = facts[key]
      return (array ? arrayFormula : formula)(expression, cached, look)
    }),
  }
}

const factCache = new WeakMap<RfqLayout, Facts>()

function factsOf(layout: RfqLayout): Facts {
  const facts = factCache.get(layout) ?? {
    ...lookUpFacts(layout),
    ...awardFacts(layout),
    ...runnerUpFacts(layout),
    ...closestFacts(layout),
  }
  factCache.set(layout, facts)
  return facts
}

const isRule = (rule: string) => `AwardRule="${rule}"`
const BEST_SCORE = isRule('best-score-compliant')
const REGARDLESS = isRule('cheapest-regardless')
/** Larger than every volume and price. */
const UNLIMITED = '1E+300'

/** What is looked up among the solved awards, and whether that can be used. */
function lookUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers } = layout
  const { switches, rule } = report.decision
  const { settings, rfq } = report
  const at = (key: FactKey) => factCell(layout, key)
  const entry = currentEntry(layout)
  const index = switches.entries.findIndex(({ key }) => key === entry?.key)
  const zeros = '0'.repeat(switches.names.length)
  const digits = switches.names.map((name) => `IF(${requirementCell(name)}="hard",1,0)`).join('&')
  const regardless = byWantedBasis((basis) =>
    literal(switches.regardless.find((one) => one.basis === basis)?.award ?? NO_AWARD),
  )
  const unsolved = `IF(AND(ISNUMBER(WantedVolume),${at('entry')}=0,${isRule('cheapest-compliant')}),"${NOT_SOLVED}","")`
  const ifSolved = (expression: string, otherwise: string) => (switches.entries.length === 0 ? otherwise : expression)
  const inEntry = (key: EntryKey) => `INDEX(${grids.entries.range(key)},MAX(1,${at('entry')}))`
  const isLimited = settings.requirements.volumeMax === 'hard' && (rfq.maxVolume ?? 0) > 0
  return {
    rule: figure('Award rule', 'AwardRule&""', rule),
    key: figure(
      'Key of the solved award',
      `IF(${REGARDLESS},"${zeros}",${digits === '' ? '""' : digits})&"|"&WantedBasis`,
      rule === 'cheapest-regardless' ? `${zeros}|${settings.wantedVolume}` : switches.currentKey,
    ),
    entry: figure(
      'Row of the solved award',
      ifSolved(`IFERROR(MATCH(${at('key')},${grids.entries.range('key')},0),0)`, '0+0'),
      index + 1,
      style.integer,
    ),
    outdated: figure('Changes that solved awards do not follow', outdatedExpression(layout), 0, style.integer),
    problem: figure('Problem', `IF(${at('outdated')}>0,"${OUTDATED}",${ifSolved(unsolved, '""')})`, ''),
    message: figure(
      'What to do',
      `IF(${at('problem')}="${OUTDATED}",${stringLiteral(OUTDATED_TEXT)}&ReportCommand,IF(${at('problem')}="${NOT_SOLVED}",${stringLiteral(NOT_SOLVED_TEXT)}&ReportCommand,""))`,
      '',
    ),
    awardNo: figure(
      'Number of the solved award',
      ifSolved(
        `IF(${at('entry')}>0,${inEntry('award')},IF(${REGARDLESS},${regardless},"${NO_AWARD}"))`,
        `IF(TRUE,"${NO_AWARD}")`,
      ),
      entry?.award ?? NO_AWARD,
      style.plainNumber,
    ),
    members: figure(
      'Its offers',
      switches.awards.length === 0
        ? 'IF(TRUE,",")'
        : `IF(ISNUMBER(${at('awardNo')}),INDEX(${grids.solved.range('members')},N(${at('awardNo')})+1),",")`,
      membersOf(layout, entry?.award ?? null),
    ),
    alternatives: figure(
      'Awards without each of its offers',
      ifSolved(`IF(${at('entry')}>0,${inEntry('alternatives')}&"","")`, 'IF(TRUE,"")'),
      entry === null ? '' : alternativesText(entry),
    ),
    least: figure(
      'Fewest tonnes that reach the wanted volume',
      `IF(ISNUMBER(WantedVolume),${REACHED_VOLUME},"")`,
      rfq.wanted.volume === null ? '' : reachedFrom(rfq.wanted.volume),
      numbers.volume,
    ),
    most: figure(
      'Most tonnes allowed',
      `IF(AND(${requirementCell('volumeMax')}="hard",N(MaxVolume)>0),MaxVolume*(1+1E-9),${UNLIMITED})`,
      isLimited ? upTo(rfq.maxVolume ?? 0) : 1e300,
      numbers.volume,
    ),
  } satisfies Partial<Facts>
}

const OUTDATED_TEXT =
  'Outdated: exchange rates or comparable prices changed, and awards are solved only for the original ones. Run: '
const NOT_SOLVED_TEXT = 'This combination of requirements and wanted volume is not solved ahead. Run: '

const figure = (label: string, expression: string, cached: CachedResult, look: style.Style = style.body): Fact => ({
  label,
  expression,
  cached,
  look,
})

const literal = (value: number | string): string => (typeof value === 'number' ? String(value) : stringLiteral(value))

/** Awards are solved for the original exchange rates and the offers that can be compared with them. */
function outdatedExpression({ offers, failures }: RfqLayout): string {
  const comparable = `COUNTIFS(${offers.range('comparedPrice')},">0",${offers.range('comparedTotal')},">0")`
  return `AwardRatesChanged+IF(${comparable}=${failures.candidates.length},0,1)`
}

/** The entry for the settings of the report; null if its rule needs none and it is not solved. */
function currentEntry({ report }: RfqLayout): SwitchEntry | null {
  const { switches, rule } = report.decision
  const basis = report.settings.wantedVolume
  const isRegardless = rule === 'cheapest-regardless'
  const key = isRegardless ? `${'0'.repeat(switches.names.length)}|${basis}` : switches.currentKey
  const found = switches.entries.find((entry) => entry.key === key)
  const regardless = switches.regardless.find((one) => one.basis === basis)
  if (found !== undefined || !isRegardless || regardless === undefined) return found ?? null
  return { key, basis, award: regardless.award, closest: null, waived: [], alternatives: null }
}

const membersText = ({ sequences }: SolvedAward): string => `,${sequences.join(',')},`

function membersOf({ report }: RfqLayout, award: number | null): string {
  const solved = award === null ? undefined : report.decision.switches.awards[award]
  return solved === undefined ? ',' : membersText(solved)
}

/** Offer numbers from a text such as `,3,17,`. */
const listOf = (members: string) => `SUBSTITUTE(MID(${members},2,MAX(0,LEN(${members})-2)),",",", ")`

/** The numbers of the alternatives, four digits each; empty if they were not computed. */
const alternativesText = ({ alternatives }: SwitchEntry): string =>
  (alternatives ?? [])
    .map((award) => (award === null ? '-'.repeat(ALTERNATIVE_DIGITS) : String(award).padStart(ALTERNATIVE_DIGITS, '0')))
    .join('')

/** The recommended award. */
function awardFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency, scoring } = layout
  const { award, status } = report.decision.recommendation
  const [tonnes, total] = [grids.offers.range('tonnes'), grids.offers.range('total')]
  const at = (key: FactKey) => factCell(layout, key)
  const hasAward = `OR(${at('status')}="award",${at('status')}="partial")`
  const ofAward = (
    label: string,
    expression: string,
    value: (found: DecisionAward) => CachedResult,
    look: style.Style,
  ): Fact => {
    const guarded = `IF(${hasAward},${expression},IF(${at('problem')}="","${NO_FIGURE}",${at('problem')}))`
    return figure(label, guarded, award === null ? NO_FIGURE : value(award), look)
  }
  const awarded = `COUNTIFS(${tonnes},">0")`
  const scored = `COUNTIFS(${tonnes},">0",${scoring.range('total')},">=0")`
  const developers = layout.award.range('developerNo')
  const isAwarded = `IF(ISNUMBER(${tonnes}),${tonnes}>0,FALSE)`
  const money = numbers.money(currency)
  const hasSolved = report.decision.switches.awards.length > 0
  const solved = (key: SolvedKey, byScore: string) =>
    hasSolved ? `IF(${BEST_SCORE},"${byScore}",INDEX(${grids.solved.range(key)},N(${at('awardNo')})+1))` : '"–"'
  return {
    status: figure(
      'Status',
      `IF(${at('problem')}="",${statusExpression(layout)},${at('problem')})`,
      status,
      style.boldBody,
    ),
    tonnes: ofAward('Tonnes', `SUM(${tonnes})`, (found) => found.tonnes, numbers.volume),
    total: ofAward(withCurrency('Total', currency), `SUM(${total})`, (found) => found.total, money),
    pricePerTonne: ofAward(
      withCurrency('Price per tonne', currency, '/t'),
      `SUM(${total})/SUM(${tonnes})`,
      (found) => found.pricePerTonne,
      numbers.price(currency),
    ),
    coverage: ofAward('Coverage', `MIN(1,SUM(${tonnes})/WantedVolume)`, (found) => found.coverage, style.percent),
    excessTonnes: ofAward(
      'Excess tonnes',
      `IF(${at('status')}="award",MAX(0,SUM(${tonnes})-WantedVolume),0)`,
      (found) => found.excessTonnes,
      numbers.volume,
    ),
    excessCost: ofAward(
      withCurrency('Cost of the excess', currency),
      `${at('excessTonnes')}*${at('pricePerTonne')}`,
      (found) => found.excessCost,
      money,
    ),
    offers: ofAward('Offers', awarded, (found) => found.offers.length, style.integer),
    developers: {
      ...ofAward(
        'Developers',
        `SUM(--(FREQUENCY(IF(${isAwarded},${developers}),${developers})>0))`,
        (found) => found.developers,
        style.integer,
      ),
      array: true,
    },
    score: ofAward(
      'Score',
      `IF(${scored}=${awarded},SUMPRODUCT(${tonnes},${scoring.range('total')})/SUM(${tonnes}),"${NO_FIGURE}")`,
      (found) => found.score ?? NO_FIGURE,
      style.oneDecimal,
    ),
    solution: ofAward(
      'Solution',
      solved('solution', solutionText(true)),
      (found) => solutionText(found.exact),
      style.body,
    ),
    lowerBound: ofAward(
      withCurrency('Lower bound on cost', currency),
      solved('lowerBound', NO_FIGURE),
      (found) => found.lowerBound ?? NO_FIGURE,
      money,
    ),
  } satisfies Partial<Facts>
}

const solutionText = (exact: boolean) => (exact ? 'proven' : 'best found')

function statusExpression(layout: RfqLayout): string {
  const { report, failures, recommendation } = layout
  if (report.offers.length === 0) return '"no-offers"'
  const tonnes = `SUM(${recommendation.offers.range('tonnes')})`
  const found = `IF(${tonnes}>0,IF(${tonnes}>=${factCell(layout, 'least')},"award","partial"),"none")`
  return `IF(ISNUMBER(WantedVolume),${failures.candidates.length === 0 ? '"no-offers"' : found},"no-target")`
}

// --- runner-up and closest award --------------------------------------------------------------------------------------

interface CachedRunnerUp {
  total: number
  offers: readonly number[]
  score: number | null
}

/** Whether the runner-up and break-even prices of the report follow from the solved awards. */
const isSolvedAhead = (layout: RfqLayout): boolean =>
  layout.report.decision.rule !== 'best-score-compliant' && currentEntry(layout)?.alternatives != null

function cachedRunnerUp(layout: RfqLayout): CachedRunnerUp | null {
  const { decision } = layout.report
  if (!isSolvedAhead(layout)) {
    const award = decision.recommendation.runnerUp?.award
    if (award === undefined) return null
    return { total: award.total, offers: award.offers.map(({ sequence }) => sequence), score: award.score }
  }
  let best: SolvedAward | undefined
  for (const alternative of currentEntry(layout)?.alternatives ?? []) {
    const solved = alternative === null ? undefined : decision.switches.awards[alternative]
    if (solved !== undefined && (best === undefined || solved.total < best.total)) best = solved
  }
  return best === undefined ? null : { total: best.total, offers: best.sequences, score: scoreOf(layout, best) }
}

function scoreOf({ failures }: RfqLayout, { sequences }: SolvedAward): number | null {
  let [points, tonnes] = [0, 0]
  const members = new Set(sequences)
  for (const { offer, volume } of failures.candidates) {
    if (!members.has(offer.sequence)) continue
    if (offer.scores === null) return null
    points += offer.scores.total * volume
    tonnes += volume
  }
  return tonnes > 0 ? points / tonnes : null
}

function runnerUpFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency, offers, scoring } = layout
  const { award } = report.decision.recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const money = numbers.money(currency)
  const runnerUp = cachedRunnerUp(layout)
  const [alternatives, totals] = [grids.awarded.range('alternative'), grids.awarded.range('alternativeTotal')]
  const isReported = !isSolvedAhead(layout)
  /** Only the price rules are solved ahead; the runner-up of another report is known for its own inputs only. */
  const fact = (
    label: string,
    solved: string,
    value: (found: CachedRunnerUp) => number | string | null,
    look: style.Style,
  ): Fact => {
    const cached = runnerUp === null ? NO_FIGURE : (value(runnerUp) ?? NO_FIGURE)
    const unknown = `IF(AND(InputsChanged>0,OR(${BEST_SCORE},${at('alternatives')}="")),"Run: "&ReportCommand,"${NO_FIGURE}")`
    const reported = isReported ? `IF(InputsChanged=0,${literal(cached)},${unknown})` : unknown
    const found = `IF(COUNT(${totals})=0,${reported},${solved})`
    return figure(label, `IF(${at('problem')}="",${found},${at('problem')})`, cached, look)
  }
  const members = `INDEX(${grids.solved.range('members')},INDEX(${alternatives},MATCH(MIN(${totals}),${totals},0))+1)`
  const isMember = `ISNUMBER(SEARCH(","&${grids.offers.range('offer')}&",",${members}))`
  const mean = `SUM(IF(${isMember},${offers.range('volume')}*${scoring.range('total')}))/SUM(IF(${isMember},${offers.range('volume')}))`
  return {
    runnerUpTotal: fact(
      withCurrency('Total of the runner-up', currency),
      `MIN(${totals})`,
      ({ total }) => total,
      money,
    ),
    runnerUpDifference: fact(
      withCurrency('Runner-up: difference', currency),
      `MIN(${totals})-${at('total')}`,
      ({ total }) => total - (award?.total ?? 0),
      money,
    ),
    runnerUpPoints: {
      ...fact(
        'Points of the award above the runner-up',
        `IFERROR(${at('score')}-${mean},"${NO_FIGURE}")`,
        ({ score }) => (score === null || award === null || award.score === null ? null : award.score - score),
        style.oneDecimal,
      ),
      array: true,
    },
    runnerUpOffers: fact('Offers of the runner-up', listOf(members), (found) => found.offers.join(', '), style.body),
  } satisfies Partial<Facts>
}

function closestFacts(layout: RfqLayout) {
  const { report, recommendation: grids, numbers, currency } = layout
  const { recommendation, switches } = report.decision
  const { closest } = recommendation
  const at = (key: FactKey) => factCell(layout, key)
  const entryOf = (key: EntryKey) => `INDEX(${grids.entries.range(key)},MAX(1,${at('entry')}))`
  const solvedOf = (key: SolvedKey) => `INDEX(${grids.solved.range(key)},N(${at('closestNo')})+1)`
  const isShort = `AND(OR(${at('status')}="none",${at('status')}="partial"),${at('entry')}>0,NOT(${REGARDLESS}))`
  const isReached = `IF(ISNUMBER(${at('awardNo')}),INDEX(${grids.solved.range('reached')},N(${at('awardNo')})+1)="yes",FALSE)`
  const number = `IF(${isShort},IF(AND(${BEST_SCORE},${isReached}),${at('awardNo')},${entryOf('closest')}),"${NO_AWARD}")`
  const hasSolved = switches.entries.length > 0 && switches.awards.length > 0
  const fact = (label: string, expression: string, cached: CachedResult | undefined, look: style.Style): Fact => {
    const shown = `IF(ISNUMBER(${at('closestNo')}),${expression},"${NO_FIGURE}")`
    return figure(label, hasSolved ? shown : `IF(TRUE,"${NO_FIGURE}")`, cached ?? NO_FIGURE, look)
  }
  const cachedNumber = closest === null ? NO_AWARD : solvedNumber(layout, closest.award)
  return {
    closestNo: figure(
      'Number of the closest award',
      hasSolved ? number : `IF(TRUE,"${NO_AWARD}")`,
      cachedNumber,
      style.plainNumber,
    ),
    closestOffers: fact(
      'Closest award: offers',
      listOf(solvedOf('members')),
      closest?.award.offers.map(({ sequence }) => sequence).join(', '),
      style.body,
    ),
    closestTonnes: fact('Closest award: tonnes', solvedOf('tonnes'), closest?.award.tonnes, numbers.volume),
    closestTotal: fact(
      withCurrency('Closest award: total', currency),
      solvedOf('total'),
      closest?.award.total,
      numbers.money(currency),
    ),
    closestWaived: fact(
      'Requirements to waive for it',
      `IF(${at('closestNo')}=${at('awardNo')},"",${entryOf('waived')}&"")`,
      closest?.waived.map(({ title }) => title).join('; '),
      style.body,
    ),
  } satisfies Partial<Facts>
}

function solvedNumber({ report }: RfqLayout, { offers, reached }: DecisionAward): number | string {
  const members = `,${offers.map(({ sequence }) => sequence).join(',')},`
  const at = report.decision.switches.awards.findIndex(
    (solved) => solved.reached === reached && membersText(solved) === members,
  )
  return at < 0 ? NO_AWARD : at
}

// --- tables -----------------------------------------------------------------------------------------------------------

/** One position in the order of the rule `best-score-compliant`. */
interface Position {
  /** Index of the offer in `RfqReport.offers`, from 1; 0 beyond the last eligible offer. */
  pick: number
  take: 0 | 1
  cumulative: number
}

/** Eligible offers in the order of the rule `best-score-compliant`, and which of them it takes (award-solver.ts). */
function positionsOf({ report, failures }: RfqLayout, eligible: ReadonlySet<string>): Position[] {
  const { offers, rfq, settings } = report
  const indexes = new Map(offers.map(({ id }, index) => [id, index + 1]))
  const inOrder = failures.candidates
    .filter(({ offer }) => eligible.has(offer.id))
    .map((candidate) => ({ candidate, rank: candidate.offer.rank ?? UNRANKED, price: pricePerTonneOf(candidate) }))
    .sort((a, b) => a.rank - b.rank || (a.rank === UNRANKED ? a.price - b.price : 0))
  const least = rfq.wanted.volume === null ? null : reachedFrom(rfq.wanted.volume)
  const max = settings.requirements.volumeMax === 'hard' && (rfq.maxVolume ?? 0) > 0 ? rfq.maxVolume : null
  const most = max === null ? 1e300 : upTo(max)
  let cumulative = 0
  return offers.map((_, at) => {
    const candidate = inOrder[at]?.candidate
    if (candidate === undefined) return { pick: 0, take: 0, cumulative }
    const take = least !== null && cumulative < least && cumulative + candidate.volume <= most
    if (take) cumulative += candidate.volume
    return { pick: indexes.get(candidate.offer.id) ?? 0, take: take ? 1 : 0, cumulative }
  })
}

/** The rank of offers without one: after all others. */
const UNRANKED = 1e9
const pricePerTonneOf = ({ cost, volume }: Candidate): number => round6(cost / volume)

function offerColumns(layout: RfqLayout): Columns<OfferReport, RecommendedOfferKey> {
  const { recommendation: grids, offers, scoring, numbers, currency, failures } = layout
  const { number, formula } = columnsOf<OfferReport, RecommendedOfferKey>(grids.offers)
  const fact = (key: FactKey) => factCell(layout, key)
  const candidates = new Map(failures.candidates.map((candidate) => [candidate.offer.id, candidate]))
  const { eligible, unmet, awarded } = cachedOffers(layout)
  const positions = positionsOf(layout, eligible)
  const orders = new Map(positions.flatMap(({ pick }, at) => (pick > 0 ? [[pick - 1, at + 1] as const] : [])))
  const range = (key: RecommendedOfferKey) => grids.offers.range(key)
  const ofGroup = ({ id }: OfferReport, key: GroupKey, otherwise: string) => {
    const group = failures.groupOf.get(id)
    return group === undefined ? `IF(TRUE,"${otherwise}")` : grids.groups.cell(key, group)
  }
  const ifEligible = (at: (key: RecommendedOfferKey) => string, expression: string) =>
    `IF(${at('eligible')}="yes",${expression},"")`
  const onlyEligible = <T extends CachedResult>({ id }: OfferReport, value: T) => (eligible.has(id) ? value : '')
  return {
    offer: number('Offer no.', ({ sequence }) => sequence),
    group: number('Group', ({ id }) => (failures.groupOf.get(id) ?? -1) + 1),
    eligible: formula('Eligible', style.centred, (offer) => [
      ofGroup(offer, 'eligible', 'no'),
      eligible.has(offer.id) ? 'yes' : 'no',
    ]),
    unmet: formula('Hard requirements not met', style.body, (offer) => [
      ofGroup(offer, 'unmet', NOT_COMPARABLE),
      candidates.has(offer.id) ? (unmet.get(offer.id) ?? '') : NOT_COMPARABLE,
    ]),
    tonnes: formula('Tonnes awarded', numbers.volume, (offer, at, index) => {
      const volume = offers.cell('volume', index)
      const byScore = `IF(ISNUMBER(${at('order')}),INDEX(${range('take')},N(${at('order')}))*${volume},0)`
      const solved = `IF(ISNUMBER(SEARCH(",${offer.sequence},",${fact('members')})),${volume},0)`
      const tonnes = candidates.has(offer.id) ? `IF(${BEST_SCORE},${byScore},${solved})` : '0'
      return [`IF(${fact('problem')}="",${tonnes},${fact('problem')})`, awarded.get(offer.id)?.tonnes ?? 0]
    }),
    total: formula(withCurrency('Total awarded', currency), numbers.money(currency), (offer, at, index) => [
      `IF(N(${at('tonnes')})>0,${offers.cell('comparedTotal', index)},0)`,
      awarded.get(offer.id)?.total ?? 0,
    ]),
    sortRank: formula('Rank, unranked last', style.plainNumber, (offer, at, index) => [
      ifEligible(at, `IF(ISNUMBER(${scoring.cell('rank', index)}),${scoring.cell('rank', index)},${UNRANKED})`),
      onlyEligible(offer, offer.rank ?? UNRANKED),
    ]),
    sortPrice: formula('Price, 6 decimals', style.plainNumber, (offer, at, index) => {
      const candidate = candidates.get(offer.id)
      const price = `ROUND(${offers.cell('comparedTotal', index)}/${offers.cell('volume', index)},6)`
      return [ifEligible(at, price), onlyEligible(offer, candidate === undefined ? '' : pricePerTonneOf(candidate))]
    }),
    order: formula('Order', style.plainNumber, (offer, at, index) => {
      const [rank, price] = [at('sortRank'), at('sortPrice')]
      const before = `COUNTIFS(${range('sortRank')},"<"&${rank})`
      const cheaper = `COUNTIFS(${range('sortRank')},${rank},${range('sortPrice')},"<"&${price})`
      const earlier = `COUNTIFS(${range('sortRank')},${rank},${range('sortPrice')},${price},${range('offer')},"<"&${at('offer')})`
      return [
        ifEligible(at, `1+${before}+IF(${rank}<${UNRANKED},0,${cheaper}+${earlier})`),
        onlyEligible(offer, orders.get(index) ?? ''),
      ]
    }),
    pick: formula('Row at position', style.plainNumber, (_offer, _at, index) => [
      `IFERROR(MATCH(${index + 1},${range('order')},0),0)`,
      positions[index]?.pick ?? 0,
    ]),
    take: formula('Taken', style.plainNumber, (_offer, at, index) => {
      const before = index === 0 ? '0' : grids.offers.cell('cumulative', index - 1)
      const volume = `INDEX(${offers.range('volume')},${at('pick')})`
      const fits = `AND(${before}<${fact('least')},${before}+${volume}<=${fact('most')})`
      return [`IF(AND(${at('pick')}>0,ISNUMBER(${fact('least')})),IF(${fits},1,0),0)`, positions[index]?.take ?? 0]
    }),
    cumulative: formula('Tonnes so far', numbers.volume, (_offer, at, index) => {
      const before = index === 0 ? '0' : grids.offers.cell('cumulative', index - 1)
      return [
        `${before}+IF(${at('take')}=1,INDEX(${offers.range('volume')},${at('pick')}),0)`,
        positions[index]?.cumulative ?? 0,
      ]
    }),
  }
}

const NOT_COMPARABLE = 'No comparable price or volume'

const offerCache = new WeakMap<RfqLayout, ReturnType<typeof findCachedOffers>>()
function cachedOffers(layout: RfqLayout) {
  const known = offerCache.get(layout) ?? findCachedOffers(layout)
  offerCache.set(layout, known)
  return known
}

function findCachedOffers({ report, failures }: RfqLayout) {
  const { recommendation } = report.decision
  const levels = report.settings.requirements
  const hardOf = failures.groups.map((names) => names.filter((name) => levels[name] === 'hard'))
  const eligible = new Set<string>()
  const unmet = new Map<string, string>()
  for (const [id, group] of failures.groupOf) {
    const failed = hardOf[group] ?? []
    if (failed.length === 0) eligible.add(id)
    unmet.set(id, titlesOf(failed))
  }
  const awarded = new Map<string, AwardedOffer>(
    recommendation.award?.offers.map((offer) => [offer.offerId, offer]) ?? [],
  )
  return { eligible, unmet, awarded }
}

const titlesOf = (names: readonly RequirementName[]) =>
  joinList(
    names.map((name) => REQUIREMENT_TITLES[name]),
    '; ',
  )

function groupColumns(layout: RfqLayout): Columns<readonly RequirementName[], GroupKey> {
  const { number, formula } = columnsOf<readonly RequirementName[], GroupKey>(layout.recommendation.groups)
  const levels = layout.report.settings.requirements
  const hard = (names: readonly RequirementName[]) => names.filter((name) => levels[name] === 'hard')
  const isHard = (name: RequirementName) => `${requirementCell(name)}="hard"`
  return {
    group: { ...number('Group', () => null), cell: (_, index) => numberCell(index + 1) },
    eligible: formula('Eligible', style.centred, (names) => [
      names.length === 0 ? 'IF(TRUE,"yes")' : `IF(OR(${names.map(isHard).join(',')}),"no","yes")`,
      hard(names).length === 0 ? 'yes' : 'no',
    ]),
    unmet: formula('Hard requirements not met', style.body, (names) => {
      const titles = names.map((name) => `IF(${isHard(name)},${stringLiteral(REQUIREMENT_TITLES[name])},"")`)
      return [
        names.length === 0 ? 'IF(TRUE,"")' : `_xlfn.TEXTJOIN("; ",TRUE,${titles.join(',')})`,
        titlesOf(hard(names)),
      ]
    }),
  }
}

const numberCell = (value: number): Cell => ({ value, style: style.plainNumber })

function awardedColumns(layout: RfqLayout): Columns<number, AwardedKey> {
  const { recommendation: grids, offers, scoring, numbers, currency, report } = layout
  const { formula, arrayFormula, number } = columnsOf<number, AwardedKey>(grids.awarded)
  const { award } = report.decision.recommendation
  const fact = (key: FactKey) => factCell(layout, key)
  const [numbersOf, tonnes] = [grids.offers.range('offer'), grids.offers.range('tonnes')]
  const ifAwarded = (at: (key: AwardedKey) => string, expression: string) => `IF(${at('number')}="","",${expression})`
  const cached = (row: number, value: (offer: AwardedOffer) => CachedResult): CachedResult => {
    const offer = award?.offers[row]
    return offer === undefined ? '' : value(offer)
  }
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index + 1]))
  const byId = new Map(report.offers.map((offer) => [offer.id, offer]))
  const pickFrom = (range: string, at: (key: AwardedKey) => string) => `INDEX(${range},${at('index')})`
  const alternatives = currentEntry(layout)?.alternatives
  const isSolved = isSolvedAhead(layout)
  const alternativeOf = (row: number): number | null => (isSolved ? (alternatives?.[row] ?? null) : null)
  const alternativeTotal = (row: number) => report.decision.switches.awards[alternativeOf(row) ?? -1]?.total ?? null
  return {
    position: number('No.', (row) => row + 1),
    index: formula('Row', style.plainNumber, (row, at) => [
      ifAwarded(at, `MATCH(${at('number')},${numbersOf},0)`),
      cached(row, ({ offerId }) => indexes.get(offerId) ?? ''),
    ]),
    number: arrayFormula('Offer no.', style.plainNumber, (row) => [
      `IFERROR(SMALL(IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,${numbersOf})),${row + 1}),"")`,
      cached(row, ({ sequence }) => sequence),
    ]),
    name: formula('Offer', style.body, (row, at) => {
      const [developer, project] = [pickFrom(offers.range('developer'), at), pickFrom(offers.range('project'), at)]
      const named = `IF(OR(${developer}="",${project}=""),${pickFrom(offers.range('label'), at)}&"",${developer}&" · "&${project})`
      return [ifAwarded(at, named), cached(row, ({ offerId }) => nameText(byId.get(offerId)))]
    }),
    tonnes: formula('Tonnes', numbers.volume, (row, at) => [
      ifAwarded(at, pickFrom(tonnes, at)),
      cached(row, (offer) => offer.tonnes),
    ]),
    pricePerTonne: formula(withCurrency('Price per tonne', currency, '/t'), numbers.price(currency), (row, at) => [
      ifAwarded(at, pickFrom(offers.range('comparedPricePerTonne'), at)),
      cached(row, (offer) => offer.pricePerTonne),
    ]),
    total: formula(withCurrency('Total', currency), numbers.money(currency), (row, at) => [
      ifAwarded(at, pickFrom(grids.offers.range('total'), at)),
      cached(row, (offer) => offer.total),
    ]),
    score: formula('Score', style.oneDecimal, (row, at) => {
      const score = pickFrom(scoring.range('total'), at)
      return [
        ifAwarded(at, `IF(ISNUMBER(${score}),${score},"${NO_FIGURE}")`),
        cached(row, (one) => one.score ?? NO_FIGURE),
      ]
    }),
    alternative: formula('Award without it', style.plainNumber, (row, at) => {
      const digits = `MID(${fact('alternatives')},${row * ALTERNATIVE_DIGITS + 1},${ALTERNATIVE_DIGITS})`
      const solved = `IF(OR(${BEST_SCORE},${fact('status')}<>"award"),"${NO_FIGURE}",IFERROR(VALUE(${digits}),"${NO_FIGURE}"))`
      return [ifAwarded(at, solved), cached(row, () => alternativeOf(row) ?? NO_FIGURE)]
    }),
    alternativeTotal: formula('Its total', numbers.money(currency), (row, at) => {
      const total = `INDEX(${grids.solved.range('total')},N(${at('alternative')})+1)`
      return [
        ifAwarded(at, `IF(ISNUMBER(${at('alternative')}),${total},"")`),
        cached(row, () => alternativeTotal(row) ?? ''),
      ]
    }),
    breakEven: formula(withCurrency('Break-even price', currency, '/t'), numbers.price(currency), (row, at) => {
      const limited = `AND(NOT(${REGARDLESS}),${requirementCell('priceMax')}="hard",ISNUMBER(MaxPrice))`
      const max = `IF(${limited},MaxPrice,"${ANY_PRICE}")`
      const price = `(${at('total')}+${at('alternativeTotal')}-${fact('total')})/${at('tonnes')}`
      const solved = `IF(ISNUMBER(${at('alternativeTotal')}),IF(${limited},MIN(MaxPrice,${price}),${price}),${max})`
      const shown = cached(row, (offer) => cachedBreakEven(layout, offer, row))
      const reported = isSolved
        ? `"${NO_FIGURE}"`
        : `IF(InputsChanged=0,${literal(shown as number | string)},"${NO_FIGURE}")`
      const known = `AND(NOT(${BEST_SCORE}),${fact('status')}="award",${fact('alternatives')}<>"")`
      return [ifAwarded(at, `IF(${known},${solved},${reported})`), shown]
    }),
  }
}

/** The award contains the offer at any price. */
const ANY_PRICE = 'any price'

function cachedBreakEven(layout: RfqLayout, offer: AwardedOffer, row: number): number | string {
  const { decision, settings, rfq } = layout.report
  const { recommendation, rule, switches } = decision
  if (!isSolvedAhead(layout)) {
    const found = recommendation.breakEven.find(({ offerId }) => offerId === offer.offerId)
    return found === undefined ? NO_FIGURE : (found.breakEvenPricePerTonne ?? ANY_PRICE)
  }
  if (recommendation.status !== 'award') return NO_FIGURE
  const isLimited = rule !== 'cheapest-regardless' && settings.requirements.priceMax === 'hard'
  const max = isLimited ? rfq.comparedMaxUnitPrice : null
  const alternative = currentEntry(layout)?.alternatives?.[row] ?? null
  if (alternative === null) return max ?? ANY_PRICE
  const without = switches.awards[alternative]?.total ?? 0
  const price = (offer.total + without - (recommendation.award?.total ?? 0)) / offer.tonnes
  return max === null ? price : Math.min(max, price)
}

function nameText(offer: OfferReport | undefined): string {
  if (offer === undefined) return ''
  const [developer, project] = [cleanText(offer.developer), cleanText(offer.project)]
  return developer === '' || project === '' ? cleanText(offer.label) : `${developer} · ${project}`
}

function requirementColumns(layout: RfqLayout): Columns<RequirementSwitch, RequirementKey> {
  const { recommendation: grids, failures, report } = layout
  const { text, formula, arrayFormula } = columnsOf<RequirementSwitch, RequirementKey>(grids.requirements)
  const { award } = report.decision.recommendation
  const failing = (name: RequirementName, among: readonly Candidate[]) =>
    `,${among
      .filter(({ failed }) => failed.some((one) => one.name === name))
      .map(({ offer }) => offer.sequence)
      .join(',')},`
  const notRejected = failures.candidates.filter(({ reviewRejected }) => !reviewRejected)
  const [numbersOf, tonnes] = [grids.offers.range('offer'), grids.offers.range('tonnes')]
  const isOffers = (name: RequirementName) => (OFFER_REQUIREMENTS as readonly string[]).includes(name)
  return {
    title: text('Requirement', ({ title }) => title, { look: style.body }),
    level: formula('Level', style.body, ({ name, level }) => [`${requirementCell(name)}&""`, level]),
    failing: text('Offers that do not meet it', ({ name }) => failing(name, failures.candidates), { look: style.body }),
    failingUnlessHard: text(
      'Counted unless hard',
      ({ name }) => failing(name, name === 'reviewAccepted' ? notRejected : failures.candidates),
      { look: style.body },
    ),
    unmet: {
      ...arrayFormula('Awarded offers that do not meet it', style.body, ({ name }, at) => {
        const members = `IF(${at('level')}="hard",${at('failing')},${at('failingUnlessHard')})`
        const isUnmet = `ISNUMBER(SEARCH(","&${numbersOf}&",",${members}))`
        const list = `_xlfn.TEXTJOIN(", ",TRUE,IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,IF(${isUnmet},${numbersOf},""),""),""))`
        const found = award?.unmet.find((one) => one.name === name)
        const shown = name === 'reviewNotRejected' ? list : `IF(${at('level')}="off","",${list})`
        const ids = report.offers.filter(({ id }) => found?.offerIds.includes(id)).map(({ sequence }) => sequence)
        if (isOffers(name)) return [shown, ids.join(', ')]
        const exceeds = `AND(N(MaxVolume)>0,SUM(${tonnes})>N(MaxVolume)*(1+1E-9))`
        return [`IF(${at('level')}="off","",IF(${exceeds},"${AS_A_WHOLE}",""))`, found === undefined ? '' : AS_A_WHOLE]
      }),
    },
  }
}

/** The award as a whole does not meet the requirement. */
const AS_A_WHOLE = 'award'

function solvedColumns({ recommendation, numbers, currency }: RfqLayout): Columns<SolvedAward, SolvedKey> {
  const { text, number } = columnsOf<SolvedAward, SolvedKey>(recommendation.solved)
  const money = numbers.money(currency)
  return {
    number: { ...number('Award', () => null), cell: (_, index) => numberCell(index) },
    members: text('Offers', membersText, { look: style.body }),
    tonnes: number('Tonnes', ({ tonnes }) => tonnes, numbers.volume),
    total: number(withCurrency('Total', currency), ({ total }) => total, money),
    reached: text('Reached', ({ reached }) => (reached ? 'yes' : 'no'), { look: style.body }),
    solution: text('Solution', ({ exact }) => solutionText(exact), { look: style.body }),
    lowerBound: {
      ...number('Lower bound', ({ lowerBound }) => lowerBound, money),
      cell: ({ lowerBound }) => numberOr(lowerBound, NO_FIGURE, money),
    },
  }
}

const numberOr = (value: number | null, otherwise: string, look: style.Style): Cell =>
  value === null ? text(otherwise, look) : { value, style: look }

function entryColumns(layout: RfqLayout): Columns<SwitchEntry, EntryKey> {
  const { text, cells } = columnsOf<SwitchEntry, EntryKey>(layout.recommendation.entries)
  return {
    key: text('Key', ({ key }) => key, { look: style.body }),
    award: cells('Award', ({ award }) => numberOr(award, NO_AWARD, style.plainNumber)),
    closest: cells('Closest award', ({ closest }) => numberOr(closest, NO_AWARD, style.plainNumber)),
    waived: text('Requirements waived for it', ({ waived }) => titlesOf(waived), { look: style.body }),
    alternatives: text('Awards without each offer', alternativesText, { look: style.body }),
  }
}
