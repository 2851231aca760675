import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { columnLetter } from '../../../reports/layout/grid.js'
import { rfqLayout } from '../../../reports/rfq/layout.js'
import { rfqWorkbook } from '../../../reports/rfq/workbook.js'
import { type Award, EXACT_SCENARIOS } from '../../../src/domain/comparison/awards/award-model.js'
import type { Sensitivity } from '../../../src/domain/comparison/awards/sensitivity-model.js'
import type { OfferReport } from '../../../src/domain/comparison/offer/offer-report-model.js'
import { compareOffers } from '../../../src/domain/comparison/report/compare-offers.js'
import type { RfqReport } from '../../../src/domain/comparison/report/rfq-report-model.js'
import { CRITERIA } from '../../../src/domain/comparison/settings.js'
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
import { Bench, differences, type ReadWorkbook, readWorkbooks, whyNoTools } from '../support/tools.js'

/** What a reader did, and what became of the file. */
interface Played {
  typed: InputChanges
  /** The report the file was written from, and the one made anew with what the reader typed. */
  written: RfqReport
  expected: RfqReport
  /** The file as LibreOffice computes it after the edit. */
  after: ReadWorkbook
}

/** Each edited file takes LibreOffice seconds: QUOTEKEEPER_HEAVY asks for more of them. */
const MADE_UP = process.env.QUOTEKEEPER_HEAVY ? 12 : 1
const EDITS: readonly InputEdit[] = [...NAMED_EDITS, ...generatedEdits(MADE_UP, 7)]
const names = EDITS.map(({ name }) => name)

/** A rate can be typed only where the currency occurs. */
function possible(typed: InputChanges, { currency }: RfqReport): InputChanges {
  const known = new Set(currency.rates.map((rate) => rate.currency))
  const rates = Object.entries(typed.rates ?? {}).filter(([code]) => known.has(code))
  return { ...typed, rates: Object.fromEntries(rates) }
}

function ownCells(report: RfqReport, own: Record<string, number> = {}): Record<string, number> {
  const { award } = rfqLayout(report)
  const at = (id: string) => report.offers.findIndex((offer) => offer.id === id)
  return Object.fromEntries(Object.entries(own).map(([id, tonnes]) => [award.at('own', at(id)), tonnes]))
}

function expectedOf({ input }: InputEdit, typed: InputChanges, written: RfqReport): RfqReport {
  const ownAward = { ...ownTonnes(written), ...typed.own }
  return compareOffers({ ...input, settings: settingsWith(input.settings, typed), ownAward })
}

const missing = whyNoTools()
describe.skipIf(missing !== null)(`inputs changed by a reader${missing ? ` (${missing})` : ''}`, () => {
  const all = new Map<string, Played>()
  /** The file of the named edits, as it was written. */
  let before: ReadWorkbook | undefined
  const played = (name: string): Played => all.get(name) as Played

  beforeAll(async () => {
    const bench = new Bench()
    const made = EDITS.map((edit) => {
      const written = compareOffers(edit.input)
      const typed = possible(edit.typed, written)
      return { typed, written, expected: expectedOf(edit, typed, written) }
    })
    const changed: string[] = []
    for (const [index, { typed, written }] of made.entries()) {
      const bytes = await rfqWorkbook(written)
      // What the first was written as: all but a few edits are of the same RFQ.
      if (index === 0) [before] = readWorkbooks([bench.keep('plain.xlsx', bytes)])
      changed.push(
        bench.keep(`${index}.xlsx`, await editWorkbook(bytes, inputCells(typed), ownCells(written, typed.own))),
      )
    }
    const after = readWorkbooks(bench.recalculated(changed))
    for (const [index, one] of made.entries()) {
      all.set(names[index] ?? '', { ...one, after: after[index] as ReadWorkbook })
    }
    bench.remove()
  }, 200_000)
  afterAll(() => all.clear())

  it.each(names)('change scores and ranks as the report would: %s', (name) => {
    const { after, expected } = played(name)
    const sheet = tableOf(after, 'Scoring', 5)
    for (const offer of expected.offers) {
      const row = sheet.find((cells) => cells['Offer no.'] === offer.sequence)
      expect({ name: offer.label, ...scoresOn(row) }, offer.label).toEqual({ name: offer.label, ...scoresOf(offer) })
    }
  })

  it.each(names)('change awards as the report would, or call them stale: %s', (name) => {
    const { after, expected } = played(name)
    const sheet = tableOf(after, 'Award', 5)
    const divisible = expected.awards.find(({ scenario }) => scenario === 'cheapest-divisible')
    for (const [index, award] of expected.awards.entries()) {
      const row = sheet[index]
      if (row?.Found !== 'stale') {
        expect({ scenario: award.scenario, ...awardOn(row) }).toEqual({ scenario: award.scenario, ...awardOf(award) })
        continue
      }
      expect(award.scenario).toBeOneOf([...EXACT_SCENARIOS])
      expect(row['Awarded to']).toMatch(/^As written: /)
      expect(figure(floorOn(row))).toBe(divisible?.reached ? near(divisible.total) : null)
      if (award.reached) expect(award.total).toBeGreaterThanOrEqual((divisible?.total ?? 0) - 1e-6)
    }
  })

  it.each(names)('tell how each award was found for the inputs as they are now: %s', (name) => {
    const { typed, after, written, expected } = played(name)
    const sheet = tableOf(after, 'Award', 5)
    const told = (scenario: Award['scenario']) =>
      String(sheet[expected.awards.findIndex((award) => award.scenario === scenario)]?.['Rule, and how it was solved'])
    for (const scenario of EXACT_SCENARIOS) {
      const { rule, words } = expected.awards.find((award) => award.scenario === scenario) as Award
      expect(told(scenario)).toBeOneOf([
        `${rule} ${words}`,
        expect.stringMatching(/Make the report again for the least\.$/),
      ])
    }
    const ranked = new Set(expected.offers.filter(({ rank }) => rank !== null).map(({ id }) => id))
    const left = Object.entries({ ...ownTonnes(written), ...typed.own }).filter(
      ([id, tonnes]) => tonnes > 0 && !ranked.has(id),
    )
    expect(told('own').endsWith('left aside: not ranked.')).toBe(left.length > 0)
  })

  it.each(EDITS.map(({ name, stale }) => [name, stale] as const))(
    'are said to leave the proven sets behind only where they do: %s',
    (name, stale) => {
      const { typed, after, written, expected } = played(name)
      const shown = tableOf(after, 'Award', 5).some((row) => row.Found === 'stale')
      if (stale !== undefined) expect(shown).toBe(stale)
      if (typed.rankExpired === undefined && Object.keys(typed.rates ?? {}).length === 0) expect(shown).toBe(false)
      if (!shown) expect(worthOf(expected)).toEqual(worthOf(written))
      const combinations = rowsOf(after, 'Sensitivity').filter(({ D }) => D === 'stale')
      expect(combinations.length).toBe(shown ? written.sensitivity.wantedVolumes.length : 0)
      const said = Object.values(after.sheets.Award ?? {}).some(({ v }) =>
        /^Scenarios 2, 4, 5 are stale/.test(String(v)),
      )
      expect(said).toBe(shown)
    },
  )

  it.each(names)('change the order under other circumstances as the report would: %s', (name) => {
    const { after, written, expected } = played(name)
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
  })

  it.each(names)('change break-even prices as the report would: %s', (name) => {
    const { after, written, expected } = played(name)
    const { contenders, breakEven } = expected.sensitivity
    if (!sameOffers(written.sensitivity.contenders, contenders)) return
    const sequences = new Map(expected.offers.map(({ id, sequence }) => [id, sequence]))
    const all = rowsOf(after, 'Sensitivity')
    const rows = all.slice(all.findIndex(({ A }) => String(A).startsWith('Break-even')))
    for (const { offerId, label, price, rank, breakEvenPrice, change, reason } of breakEven) {
      const row = rows.find(({ A }) => A === `${sequences.get(offerId)} · ${label}`)
      expect([label, figure(row?.B), row?.D, figure(row?.E), figure(row?.G), row?.C || null]).toEqual([
        label,
        near(price),
        rank,
        near(breakEvenPrice),
        near(change),
        reason,
      ])
    }
  })

  it.each(NAMED_EDITS.map(({ name }) => name))('are counted: %s', (name) => {
    const { typed, after } = played(name)
    expect(after.sheets.Inputs?.B4?.v).toBe(Object.keys(inputCells(typed)).length)
  })

  it('change nothing else: own tonnes their own row, weights and prices the best score and what follows it', () => {
    const changed = (name: string) => differences(before, played(name).after)
    const rows = (name: string) =>
      new Set(changed(name).map(([sheet, address]) => `${sheet} ${String(address).replace(/^[A-Z]+/, '')}`))
    expect(rows('own tonnes')).toEqual(new Set(['Award 12']))
    expect(changed('weights').filter(([sheet]) => /Deliveries|Prepayments/.test(String(sheet)))).toEqual([])
    for (const name of ['weights', 'discount rate and haircuts']) {
      const touched = changed(name).filter(([sheet, address]) => sheet === 'Award' && !/^P/.test(String(address)))
      for (const [, address] of touched) expect(String(address)).toMatch(/^[A-Z]+1[12]$/)
      expect(changed(name).filter(([sheet]) => /Checks|Changes/.test(String(sheet)))).toEqual([])
    }
  })
})

const sameOffers = (one: Sensitivity['contenders'], other: Sensitivity['contenders']) =>
  JSON.stringify(one.map(({ offerId }) => offerId).sort()) ===
  JSON.stringify(other.map(({ offerId }) => offerId).sort())

/** What proven sets rest on. */
const worthOf = ({ offers }: RfqReport) =>
  offers
    .filter(({ rank }) => rank !== null)
    .map(({ id, metrics, compared, meetsRequirements }) => [id, metrics.volume, compared.total, meetsRequirements])
    .sort()

/** Every case of the grid: its label, which of the rows of that label it is, its ranks. */
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

/** The rows of a sheet by column, and their number as `row`. */
function rowsOf(read: ReadWorkbook | undefined, sheet: string): Row[] {
  const rows = new Map<number, Row>()
  for (const [address, { v }] of Object.entries(read?.sheets[sheet] ?? {})) {
    const [, column = '', row = ''] = /^([A-Z]+)(\d+)$/.exec(address) ?? []
    rows.set(Number(row), { ...(rows.get(Number(row)) ?? { row: Number(row) }), [column]: v })
  }
  return [...rows].sort(([a], [b]) => a - b).map(([, row]) => row)
}

const floorOn = (row: Row) => row[Object.keys(row).find((head) => head.startsWith('None costs less')) ?? ''] ?? null

type Row = Record<string, string | number | boolean | null>

/** The rows of a table by its headers. */
function tableOf(read: ReadWorkbook | undefined, sheet: string, headRow: number): Row[] {
  const rows = rowsOf(read, sheet)
  const at = rows.findIndex(({ row }) => row === headRow)
  const { row: _headRow, ...head } = rows[at] ?? {}
  return rows
    .slice(at + 1)
    .map((row) => Object.fromEntries(Object.entries(head).map(([column, name]) => [String(name), row[column] ?? null])))
}

/** To nine digits, of twelve: noise in the last ones does not part two figures that stand half-way. */
const near = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Number(Number(value.toPrecision(12)).toPrecision(9))
const figure = (value: Row[string] | undefined) => (typeof value === 'number' ? near(value) : null)

function scoresOn(row: Row | undefined) {
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
  price: eligibility.eligible ? near(compared.price) : null,
  scores: CRITERIA.map((criterion) => near(scores?.[criterion])),
  total: near(scores?.total),
  rank,
  priceRank,
})

function awardOn(row: Row | undefined) {
  const find = (start: string) => figure(row?.[Object.keys(row).find((head) => head.startsWith(start)) ?? ''])
  return {
    reached: row?.Reached,
    tonnes: find('Tonnes'),
    total: find('Total'),
    blended: find('Blended'),
    coverage: find('Coverage'),
    saving: find('Saving against'),
    offers: find('Offers'),
    developers: find('Developers'),
  }
}
const awardOf = (award: Award) => ({
  reached: award.reached ? 'yes' : 'no',
  tonnes: near(award.tonnes),
  total: near(award.total),
  blended: near(award.blendedPrice),
  coverage: near(award.coverage),
  saving: near(award.saving),
  offers: award.winners.length,
  developers: award.developers,
})
