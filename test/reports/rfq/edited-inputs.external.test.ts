import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columnIndex, columnLetter } from '../../../reports/layout/grid.js'
import { rfqLayout, SHEET_SCENARIOS, type SheetScenario } from '../../../reports/rfq/layout.js'
import { EXACT_SCENARIOS } from '../../../src/compare/awards/award-model.js'
import type { Sensitivity } from '../../../src/compare/awards/sensitivity-model.js'
import { type ScenarioRow, scenarioRows } from '../../../src/compare/decision/scenario-rows.js'
import { SOLVED_SCENARIOS } from '../../../src/compare/decision/solved-scenarios.js'
import type { OfferReport } from '../../../src/compare/offer/offer-report-model.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import { CRITERIA } from '../../../src/core/settings.js'
import { labelledCases, runsLongTests } from '../../helpers/long-tests.js'
import { editWorkbook } from '../support/edit-workbook.js'
import {
  generatedEdits,
  type InputChanges,
  type InputEdit,
  inputCells,
  NAMED_EDITS,
  ownTonnes,
  settingsWith,
} from '../support/input-edits.js'
import { mixedInput } from '../support/rfq-cases.js'
import { Bench, differences, type ReadWorkbook, readValues, readWorkbooks, whyNoTools } from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

/** One edit of a workbook by its reader, and the results. */
interface AppliedEdit {
  changes: InputChanges
  /** The report the file was written from. */
  written: RfqReport
  /** The report for the changed inputs. */
  expected: RfqReport
  /** The edited file as LibreOffice computes it. */
  after: ReadWorkbook
}

/** LibreOffice needs seconds for each edited file. */
const GENERATED = 6
const byName = (edits: readonly InputEdit[]) => Object.fromEntries(edits.map((edit) => [edit.name, edit]))
const QUICK = ['own tonnes', 'everything at once']
const cases = labelledCases(byName([...NAMED_EDITS, ...generatedEdits(GENERATED, 7)]), QUICK)
const EDITS = cases.map(([, edit]) => edit)

/** Without rates of currencies that have no cell on `Inputs`. */
function withExistingRates(changes: InputChanges, { currency }: RfqReport): InputChanges {
  const known = new Set(currency.rates.map((rate) => rate.currency))
  const rates = Object.entries(changes.rates ?? {}).filter(([code]) => known.has(code))
  return { ...changes, rates: Object.fromEntries(rates) }
}

function ownAwardCells(report: RfqReport, own: Record<string, number> = {}): Record<string, number> {
  const { award } = rfqLayout(report)
  const at = (id: string) => report.offers.findIndex((offer) => offer.id === id)
  return Object.fromEntries(Object.entries(own).map(([id, tonnes]) => [award.at('own', at(id)), tonnes]))
}

function expectedOf({ input }: InputEdit, changes: InputChanges, written: RfqReport): RfqReport {
  const ownAward = { ...ownTonnes(written), ...changes.own }
  return compareOffers({ ...input, settings: settingsWith(input.settings, changes), ownAward })
}

const missing = runsLongTests ? whyNoTools() : 'only with npm run test:long'
describe.skipIf(missing !== null)(`a workbook whose inputs a reader changed${missing ? ` (${missing})` : ''}`, () => {
  const edits = new Map<string, AppliedEdit>()
  /** The workbook of the named edits before any change. */
  let before: ReadWorkbook | undefined
  const appliedEdit = (name: string): AppliedEdit => edits.get(name) as AppliedEdit

  beforeAll(async () => {
    const bench = new Bench()
    // Most named edits, the first among them, change the same RFQ.
    const reports = new Map([...new Set(EDITS.map(({ input }) => input))].map((input) => [input, compareOffers(input)]))
    const workbooks = new Map<RfqReport, Buffer>()
    for (const report of reports.values()) workbooks.set(report, await rfqWorkbook(report))
    const made = EDITS.map((edit) => {
      const written = reports.get(edit.input) as RfqReport
      const changes = withExistingRates(edit.changes, written)
      return { changes, written, expected: expectedOf(edit, changes, written) }
    })
    const changed: string[] = []
    for (const [index, { changes, written }] of made.entries()) {
      const bytes = workbooks.get(written) as Buffer
      if (index === 0) [before] = readWorkbooks([bench.keep('plain.xlsx', bytes)])
      changed.push(
        bench.keep(
          `${index}.xlsx`,
          await editWorkbook(bytes, inputCells(changes), ownAwardCells(written, changes.own)),
        ),
      )
    }
    const after = readValues(bench.recalculated(changed))
    for (const [index, one] of made.entries()) {
      edits.set(EDITS[index]?.name ?? '', { ...one, after: after[index] as ReadWorkbook })
    }
    bench.remove()
  }, 200_000)
  afterAll(() => edits.clear())

  it.each(cases)('computes the scores and ranks of a report with these inputs: %s', (_, { name }) => {
    const { after, expected } = appliedEdit(name)
    const sheet = tableOf(after, 'Scoring', 7)
    for (const offer of expected.offers) {
      const row = sheet.find((cells) => cells['Offer no.'] === offer.sequence)
      expect({ name: offer.label, ...scoresIn(row) }, offer.label).toEqual({ name: offer.label, ...scoresOf(offer) })
    }
    const same = rowsOf(after, 'Scoring').find(({ B }) => B === 'Same points for every ranked offer')
    const { criteria, ranking } = expected.decision.criteria
    expect(CRITERIA.map((_, at) => same?.[columnLetter(5 + at)] ?? '')).toEqual(
      criteria.map(({ distinguishes }) => (distinguishes === false ? 'does not distinguish these offers' : '')),
    )
    for (const { offerId, rank } of ranking ?? []) {
      const number = expected.offers.find(({ id }) => id === offerId)?.sequence
      expect(sheet.find((cells) => cells['Offer no.'] === number)?.['Rank without them']).toBe(rank)
    }
  })

  it.each(cases)('computes the awards of a report with these inputs, or marks them outdated: %s', (_, { name }) => {
    const { after, expected } = appliedEdit(name)
    const sheet = tableOf(after, 'Award', 5)
    const all = scenarioRows(expected)
    const divisible = all.find(({ scenario }) => scenario === 'cheapest-divisible')
    for (const [index, award] of all.entries()) {
      const { scenario } = award
      const row = sheet[index]
      if (row?.Solution !== 'outdated') {
        // The difference to an outdated award is outdated too.
        const compared = awardOf(award)
        if (differenceIn(row, 'Difference') === 'outdated') compared.difference = null
        if (differenceIn(row, 'Cost of the constraint') === 'outdated') compared.constraint = null
        expect({ scenario, ...awardIn(row) }).toEqual({ scenario, ...compared })
        continue
      }
      expect(scenario).toBeOneOf(['recommended', ...SOLVED_SCENARIOS])
      const isExact = EXACT_SCENARIOS.some((exact) => exact === scenario)
      if (award.awarded.size > 0) expect(row['Awarded to']).toMatch(/^For original inputs: |^–$/)
      expect(figure(lowerBoundIn(row))).toBe(isExact && divisible?.reached ? roundedTo9(divisible.total) : null)
      if (isExact && award.reached) expect(award.total).toBeGreaterThanOrEqual((divisible?.total ?? 0) - 1e-6)
    }
  })

  it.each(cases)('states how each award was solved for the current inputs: %s', (_, { name }) => {
    const { changes, after, written, expected } = appliedEdit(name)
    const sheet = tableOf(after, 'Award', 5)
    const ruleText = (scenario: SheetScenario) =>
      String(sheet[SHEET_SCENARIOS.indexOf(scenario)]?.['Rule and solution method'])
    for (const scenario of SOLVED_SCENARIOS) {
      const { rule, words } = scenarioRows(expected).find((row) => row.scenario === scenario) as ScenarioRow
      const [outdated, solved] = ['Generate the report again to find it.', `${rule} ${words}`]
      expect(ruleText(scenario).includes(outdated) || ruleText(scenario).startsWith(solved), scenario).toBe(true)
    }
    const ranked = new Set(expected.offers.filter(({ rank }) => rank !== null).map(({ id }) => id))
    const ignored = Object.entries({ ...ownTonnes(written), ...changes.own }).filter(
      ([id, tonnes]) => tonnes > 0 && !ranked.has(id),
    )
    expect(ruleText('own').endsWith('ignored: not ranked.')).toBe(ignored.length > 0)
  })

  it.each(cases)('marks searched awards outdated only where the changes affect them: %s', (_, { name, outdated }) => {
    const { changes, after, written, expected } = appliedEdit(name)
    const solutions = tableOf(after, 'Award', 5).map(({ Solution }) => Solution)
    const shown = solutions[SHEET_SCENARIOS.indexOf('cheapest-combination')] === 'outdated'
    if (outdated !== undefined) expect(shown).toBe(outdated)
    if (changes.rankExpired === undefined && Object.keys(changes.rates ?? {}).length === 0) expect(shown).toBe(false)
    if (!shown) expect(awardBasisOf(expected)).toEqual(awardBasisOf(written))
    const combinations = rowsOf(after, 'Sensitivity').filter(({ D }) => D === 'outdated')
    expect(combinations.length).toBe(shown ? written.sensitivity.wantedVolumes.length : 0)
    const announced = Object.values(after.sheets.Award ?? {}).some(({ v }) =>
      /^Scenarios marked as outdated/.test(String(v)),
    )
    expect(announced).toBe(solutions.slice(0, SHEET_SCENARIOS.length).includes('outdated'))
  })

  it.each(cases)('computes the sensitivity ranks of a report with these inputs: %s', (_, { name }) => {
    const { after, written, expected } = appliedEdit(name)
    const shown = written.sensitivity.contenders.map(({ offerId }) => offerId)
    const found = new Map(expected.sensitivity.contenders.map(({ offerId }, at) => [offerId, at]))
    // Only offers that were ranked when the file was written have a column.
    if (shown.length !== found.size || !shown.every((id) => found.has(id))) return
    const order = shown.map((id) => found.get(id) ?? -1)
    const rows = new Map<string, unknown[][]>()
    for (const row of rowsOf(after, 'Sensitivity')) {
      const ranks = order.map((_, at) => row[columnLetter(5 + at)] ?? null)
      rows.set(String(row.A), [...(rows.get(String(row.A)) ?? []), ranks])
    }
    for (const [label, at, ranks] of casesOf(expected.sensitivity)) {
      expect([label, ...(rows.get(label)?.[at] ?? [])]).toEqual([label, ...order.map((from) => ranks[from])])
    }
    if (tableOf(after, 'Award', 5)[0]?.Solution === 'outdated') return
    const leads = rowsOf(after, 'Sensitivity').flatMap(({ A, E, F, H }) =>
      typeof H === 'number' && typeof E === 'number' ? [[A, E, F]] : [],
    )
    const { factors = [] } = expected.decision.scoreLead ?? {}
    for (const { title, lowPoints, highPoints } of factors)
      expect(leads).toContainEqual([title, closeToTotals(lowPoints), closeToTotals(highPoints)])
  })

  it.each(cases)('computes the break-even prices of a report with these inputs: %s', (_, { name }) => {
    const { after, written, expected } = appliedEdit(name)
    const { contenders, breakEven } = expected.sensitivity
    if (!sameOffers(written.sensitivity.contenders, contenders)) return
    const sequences = new Map(expected.offers.map(({ id, sequence }) => [id, sequence]))
    const all = rowsOf(after, 'Sensitivity')
    const rows = all.slice(all.findIndex(({ A }) => String(A).startsWith('Break-even')))
    for (const { offerId, label, price, rank, breakEvenPrice, change, reason } of breakEven) {
      const row = rows.find(({ A }) => A === `${sequences.get(offerId)} · ${label}`)
      expect([label, figure(row?.B), row?.D, figure(row?.E), figure(row?.G), row?.C || null]).toEqual([
        label,
        roundedTo9(price),
        rank,
        roundedTo9(breakEvenPrice),
        roundedTo9(change),
        reason,
      ])
    }
  })

  it.each(cases)('says on Negotiation that prices to reach are for the settings of the report: %s', (_, { name }) => {
    const { changes, after, written } = appliedEdit(name)
    const changed = Object.keys(inputCells(changes)).length > 0
    const { offers } = written.decision.negotiation
    const blocks = rowsOf(after, 'Negotiation').filter(({ D }) => D === 'Change')
    const { command } = written.decision.switches
    const note = changed ? `For the settings of this report. For those on Inputs, run: ${command} --set ` : 'In words'
    expect(blocks).toHaveLength(offers.length)
    for (const { E } of blocks) expect(String(E).slice(0, note.length)).toBe(note)
    const outdated = rowsOf(after, 'Negotiation').filter(({ D }) => D === 'outdated').length
    const solved = offers.flatMap(({ rankFirst, enterAward }) => [rankFirst, enterAward])
    expect(outdated).toBe(changed ? solved.filter(({ change }) => change !== null).length : 0)
  })

  it.each(cases.filter(([, edit]) => NAMED_EDITS.includes(edit)))('counts the changed inputs: %s', (_, { name }) => {
    const { changes, after } = appliedEdit(name)
    expect(after.sheets.Inputs?.B4?.v).toBe(Object.keys(inputCells(changes)).length)
  })

  it('changes nothing else: own tonnes affect only their own row, weights and prices only the best-score award and its copy', () => {
    const changed = (name: string) => differences(before, appliedEdit(name).after)
    const rows = (name: string) =>
      new Set(changed(name).map(([sheet, address]) => `${sheet} ${String(address).replace(/^[A-Z]+/, '')}`))
    expect(rows('own tonnes')).toEqual(new Set(['Award 15']))
    if (edits.has('weights'))
      expect(changed('weights').filter(([sheet]) => /Deliveries|Prepayments/.test(String(sheet)))).toEqual([])
    for (const name of ['weights', 'discount rate and haircuts'].filter((each) => edits.has(each))) {
      const touched = changed(name).filter(
        ([sheet, address]) => sheet === 'Award' && !/^[OS]\d/.test(String(address)) && !isInBlock(address),
      )
      for (const [, address] of touched) expect(String(address)).toMatch(/^[A-Z]+(1[35]|21)$/)
      expect(changed(name).filter(([sheet]) => /Checks|Changes/.test(String(sheet)))).toEqual([])
    }
  })
})

/** Equal as far as total scores, which have 6 decimals, determine their difference. */
const closeToTotals = (value: number): number => expect.closeTo(value, 4)

const sameOffers = (one: Sensitivity['contenders'], other: Sensitivity['contenders']) =>
  JSON.stringify(one.map(({ offerId }) => offerId).sort()) ===
  JSON.stringify(other.map(({ offerId }) => offerId).sort())

/** The figures searched awards depend on. */
const awardBasisOf = ({ offers }: RfqReport) =>
  offers
    .filter(({ rank }) => rank !== null)
    .map(({ id, metrics, compared, meetsRequirements }) => [id, metrics.volume, compared.total, meetsRequirements])
    .sort()

/** Every sensitivity case: its label, its position among rows with that label, its ranks. */
function casesOf({ weightShifts, discountRates, wantedVolumes }: Sensitivity): [string, number, (number | null)[]][] {
  const volumes = { min: 'minimum', mid: 'midpoint', max: 'maximum' }
  const rate = (value: number) => `Discount rate ${Math.round(value * 1000) / 10} %`
  return [
    ...weightShifts.map(({ criterion, shift, ranks }): [string, number, (number | null)[]] => [
      `${criterion[0]?.toUpperCase()}${criterion.slice(1)} ${shift > 0 ? '+' : '−'}${Math.abs(shift)}`,
      0,
      ranks,
    ]),
    ...discountRates.map((one): [string, number, (number | null)[]] => [rate(one.rate), 0, one.ranks]),
    ...discountRates.map((one): [string, number, (number | null)[]] => [rate(one.rate), 1, one.priceRanks]),
    ...wantedVolumes.map(({ basis, ranks }): [string, number, (number | null)[]] => [
      `Target: ${volumes[basis]} volume (t)`,
      0,
      ranks,
    ]),
  ]
}

/** First column of the recommended award, in the working columns of `Award`. */
const BLOCK_COLUMN = columnIndex(rfqLayout(compareOffers(mixedInput())).recommendation.facts.letter('label'))
const isInBlock = (address: unknown) => columnIndex(String(address).replace(/\d+$/, '')) >= BLOCK_COLUMN

/** The rows of a sheet, their cells by column letter and their number as `row`. */
function rowsOf(read: ReadWorkbook | undefined, sheet: string): Row[] {
  const rows = new Map<number, Row>()
  for (const [address, { v }] of Object.entries(read?.sheets[sheet] ?? {})) {
    const [, column = '', row = ''] = /^([A-Z]+)(\d+)$/.exec(address) ?? []
    if (sheet === 'Award' && isInBlock(address)) continue
    rows.set(Number(row), { ...(rows.get(Number(row)) ?? { row: Number(row) }), [column]: v })
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row)
}

const differenceIn = (row: Row | undefined, start: string) =>
  row?.[Object.keys(row).find((head) => head.startsWith(start)) ?? '']
const lowerBoundIn = (row: Row) => row[Object.keys(row).find((head) => head.startsWith('Lower bound')) ?? ''] ?? null

type Row = Record<string, string | number | boolean | null>

/** The rows of a table, their cells by header. */
function tableOf(read: ReadWorkbook | undefined, sheet: string, headRow: number): Row[] {
  const rows = rowsOf(read, sheet)
  const at = rows.findIndex(({ row }) => row === headRow)
  const { row: _headRow, ...head } = rows[at] ?? {}
  return rows
    .slice(at + 1)
    .map((row) => Object.fromEntries(Object.entries(head).map(([column, name]) => [String(name), row[column] ?? null])))
}

/** Rounded to 9 digits, by way of 12 so that rounding errors do not separate figures half-way between two. */
const roundedTo9 = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Number(Number(value.toPrecision(12)).toPrecision(9))
const figure = (value: Row[string] | undefined) => (typeof value === 'number' ? roundedTo9(value) : null)

function scoresIn(row: Row | undefined) {
  const heads = CRITERIA.map((criterion) => `${criterion[0]?.toUpperCase()}${criterion.slice(1)}`)
  return {
    ranked: row?.Ranked,
    price: figure(row?.[Object.keys(row).find((head) => head.startsWith('Risk-adjusted')) ?? '']),
    scores: heads.map((head) => figure(row?.[head])),
    total: figure(row?.['Total score']),
    rank: figure(row?.Rank),
    priceRank: figure(row?.['Rank by price']),
  }
}
const scoresOf = ({ eligibility, compared, scores, rank, priceRank }: OfferReport) => ({
  ranked: eligibility.eligible ? 'yes' : 'no',
  price: eligibility.eligible ? roundedTo9(compared.price) : null,
  scores: CRITERIA.map((criterion) => roundedTo9(scores?.[criterion])),
  total: roundedTo9(scores?.total),
  rank,
  priceRank,
})

function awardIn(row: Row | undefined) {
  const find = (start: string) => figure(row?.[Object.keys(row).find((head) => head.startsWith(start)) ?? ''])
  return {
    reached: row?.['Volume reached'],
    tonnes: find('Tonnes'),
    total: find('Total'),
    price: find('Price per tonne'),
    excessTonnes: find('Excess tonnes'),
    excessCost: find('Cost of excess'),
    difference: find('Difference'),
    constraint: find('Cost of the constraint'),
    developers: find('Developers'),
  }
}
const awardOf = (award: ScenarioRow) => ({
  reached: award.reached ? 'yes' : 'no',
  tonnes: roundedTo9(award.tonnes),
  total: roundedTo9(award.total),
  price: roundedTo9(award.pricePerTonne),
  excessTonnes: roundedTo9(award.excessTonnes),
  excessCost: roundedTo9(award.excessCost),
  difference: roundedTo9(award.difference),
  constraint: roundedTo9(award.constraint?.cost),
  developers: award.developers,
})
