import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rfqWorkbook } from '../../reports/rfq-workbook.js'
import type { Award, OfferReport, RfqReport } from '../../src/domain/comparison/model.js'
import { compareOffers } from '../../src/domain/comparison/report.js'
import { CRITERIA, type SettingsInput } from '../../src/domain/comparison/settings.js'
import { comparisonInput, manyResponses } from '../helpers/comparison.js'
import { mixedInput } from './support/cases.js'
import { edited } from './support/edit.js'
import { Bench, type ReadWorkbook, readWorkbooks, whyNoTools } from './support/tools.js'

interface Edit {
  /** What the reader types, by the name of the cell. */
  cells: Record<string, number | string>
  /** What the report is made with to have the same. */
  settings: SettingsInput
  /** Sets of whole offers are not found by formulas: they hold only while these inputs stay. */
  setsHold: boolean
}

const base = (): SettingsInput => ({ ...mixedInput().settings })
const EDITS: Record<string, Edit> = {
  weights: {
    cells: { Weight_price: 10, Weight_coverage: 80, Weight_evidence: 33.5 },
    settings: { ...base(), weights: { price: 10, coverage: 80, evidence: 33.5 } },
    setsHold: true,
  },
  'discount rate and haircuts': {
    cells: { DiscountRate: 0.25, HaircutForward: 0.4, HaircutSpot: 0.01 },
    settings: { ...base(), discountRate: 0.25, haircuts: { forward: 0.4, spot: 0.01 } },
    setsHold: true,
  },
  'wanted volume': { cells: { WantedBasis: 'mid' }, settings: { ...base(), wantedVolume: 'mid' }, setsHold: true },
  'exchange rates': {
    cells: { Rate_EUR: 0.7, Rate_JPY: 0.0068 },
    settings: {
      ...base(),
      exchangeRates: { EUR: { rate: 0.7 }, JPY: { rate: 0.0068 } },
    },
    setsHold: false,
  },
  'expired offers ranked': {
    cells: { RankExpired: 'yes' },
    settings: { ...base(), rankExpired: true },
    setsHold: false,
  },
  'everything at once': {
    cells: {
      Weight_vintage: 50,
      DiscountRate: 0,
      WantedBasis: 'min',
      WaitDays: 30,
      VintagePoints: 25,
      RankExpired: 'yes',
      Rate_EUR: 2,
    },
    settings: {
      ...base(),
      weights: { price: 60, evidence: 0, vintage: 50 },
      discountRate: 0,
      wantedVolume: 'min',
      waitDays: 30,
      vintagePointsPerYear: 25,
      rankExpired: true,
      exchangeRates: { EUR: { rate: 2 } },
    },
    setsHold: false,
  },
}
const names = Object.keys(EDITS)
const SETS = ['cheapest-combination', 'two-developers', 'meets-requirements']

const missing = whyNoTools()
describe.skipIf(missing !== null)(`inputs changed by a reader${missing ? ` (${missing})` : ''}`, () => {
  let bench: Bench
  const read = new Map<string, ReadWorkbook>()
  const written = compareOffers(mixedInput())

  beforeAll(async () => {
    bench = new Bench()
    const bytes = await rfqWorkbook(written)
    const files: string[] = []
    for (const [index, name] of names.entries()) {
      files.push(bench.keep(`${index}.xlsx`, await edited(bytes, EDITS[name]?.cells ?? {})))
    }
    for (const [index, workbook] of readWorkbooks(bench.recalculated(files)).entries()) {
      read.set(names[index] ?? '', workbook)
    }
  }, 200_000)
  afterAll(() => bench?.remove())

  /** The report made anew with what the reader typed. */
  const expected = (name: string): RfqReport =>
    compareOffers({ ...mixedInput(), settings: EDITS[name]?.settings ?? {}, ownAward: ownOf(written.awards) })

  it.each(names)('change scores and ranks as the report would: %s', (name) => {
    const sheet = tableOf(read.get(name), 'Scoring', 5)
    for (const offer of expected(name).offers) {
      const row = sheet.find((cells) => cells['Offer no.'] === offer.sequence)
      expect({ name: offer.label, ...scoresOn(row) }, offer.label).toEqual({ name: offer.label, ...scoresOf(offer) })
    }
  })

  it.each(names)('change awards as the report would: %s', (name) => {
    const sheet = tableOf(read.get(name), 'Award', 5)
    const setsHold = EDITS[name]?.setsHold ?? false
    for (const [index, award] of expected(name).awards.entries()) {
      if (!setsHold && SETS.includes(award.scenario)) continue
      expect({ scenario: award.scenario, ...awardOn(sheet[index]) }).toEqual({
        scenario: award.scenario,
        ...awardOf(award),
      })
    }
  })

  it.each(names)('change the order under other circumstances as the report would: %s', (name) => {
    const { sensitivity, offers } = expected(name)
    const sequences = new Map(offers.map(({ id, sequence }) => [id, sequence]))
    const shown = tableOf(read.get(name), 'Sensitivity', 5)
    const heads = Object.keys(shown[0] ?? {}).filter((head) => /^\d+ · /.test(head))
    const same = heads.length === sensitivity.contenders.length
    for (const shift of same ? sensitivity.weightShifts : []) {
      const label = `${shift.criterion[0]?.toUpperCase()}${shift.criterion.slice(1)} ${shift.shift > 0 ? '+' : '−'}${Math.abs(shift.shift)}`
      const row = shown.find((cells) => cells.Case === label)
      const ranks = sensitivity.contenders.map(
        ({ offerId }) => row?.[heads.find((head) => head.startsWith(`${sequences.get(offerId)} · `)) ?? ''],
      )
      expect([label, ...ranks]).toEqual([label, ...shift.ranks])
    }
  })

  it('are counted, and what formulas cannot follow is said', () => {
    for (const name of names) {
      const cells = read.get(name)?.sheets.Inputs
      expect(cells?.B4?.v, name).toBe(Object.keys(EDITS[name]?.cells ?? {}).length)
      const warning = Object.values(read.get(name)?.sheets.Award ?? {}).find(({ v }) =>
        /^(Scenarios 2, 4, 5|Rates or expiry)/.test(String(v)),
      )
      expect(String(warning?.v).startsWith('Rates or expiry'), name).toBe(!EDITS[name]?.setsHold)
    }
  })
})

describe.skipIf(missing !== null)('many offers', () => {
  it('are ranked and awarded anew as the report would', async () => {
    const bench = new Bench()
    const input = comparisonInput({ responses: manyResponses(60, 2, 5) })
    const bytes = await edited(await rfqWorkbook(compareOffers(input)), {
      Weight_price: 5,
      Weight_vintage: 60,
      WantedBasis: 'max',
    })
    const [read] = readWorkbooks(bench.recalculated([bench.keep('many.xlsx', bytes)]))
    bench.remove()
    const own = ownOf(compareOffers(input).awards)
    const report = compareOffers({
      ...input,
      settings: { weights: { price: 5, vintage: 60 }, wantedVolume: 'max' },
      ownAward: own,
    })
    const scoring = tableOf(read, 'Scoring', 5)
    for (const offer of report.offers) {
      const row = scoring.find((cells) => cells['Offer no.'] === offer.sequence)
      expect([offer.sequence, row?.Rank]).toEqual([offer.sequence, offer.rank])
    }
    const awards = tableOf(read, 'Award', 5)
    for (const [index, award] of report.awards.entries()) {
      expect({ scenario: award.scenario, ...awardOn(awards[index]) }).toEqual({
        scenario: award.scenario,
        ...awardOf(award),
      })
    }
  }, 120_000)
})

type Row = Record<string, string | number | boolean | null>

/** The rows of a table by its headers. */
function tableOf(read: ReadWorkbook | undefined, sheet: string, headRow: number): Row[] {
  const cells = Object.entries(read?.sheets[sheet] ?? {})
  const heads = new Map<string, string>()
  const rows = new Map<number, Row>()
  for (const [address, { v }] of cells) {
    const [, column = '', row = ''] = /^([A-Z]+)(\d+)$/.exec(address) ?? []
    if (Number(row) === headRow) heads.set(column, String(v))
    else if (Number(row) > headRow) rows.set(Number(row), { ...rows.get(Number(row)), [column]: v })
  }
  return [...rows]
    .sort(([a], [b]) => a - b)
    .map(([, row]) => Object.fromEntries([...heads].map(([column, head]) => [head, row[column] ?? null])))
}

const near = (value: number | null | undefined) =>
  value === null || value === undefined ? null : Number(value.toPrecision(9))
const figure = (value: Row[string] | undefined) => (typeof value === 'number' ? near(value) : null)

function scoresOn(row: Row | undefined) {
  const heads = CRITERIA.map((criterion) => `${criterion[0]?.toUpperCase()}${criterion.slice(1)}`)
  return {
    ranked: row?.Ranked,
    scores: heads.map((head) => figure(row?.[head])),
    total: figure(row?.['Total score']),
    rank: figure(row?.Rank),
    priceRank: figure(row?.['Rank by price']),
  }
}
const scoresOf = ({ eligibility, scores, rank, priceRank }: OfferReport) => ({
  ranked: eligibility.eligible ? 'yes' : 'no',
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

/** What stands in the reader's own column. */
const ownOf = (awards: readonly Award[]): Record<string, number> =>
  Object.fromEntries(
    awards
      .filter(({ scenario }) => scenario === 'own')
      .flatMap(({ winners }) => winners.map((line) => [line.offerId, line.tonnes])),
  )
