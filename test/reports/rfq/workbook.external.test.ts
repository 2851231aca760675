import ExcelJS from 'exceljs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rfqWorkbook } from '../../../reports/workbooks.js'
import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import type { OfferReport } from '../../../src/compare/offer/offer-report-model.js'
import { compareOffers, type RfqReport } from '../../../src/compare/report/compare-offers.js'
import type { AwardFacts } from '../../../src/core/decision/award-record.js'
import { sum } from '../../../src/core/numbers.js'
import { comparisonInput } from '../../helpers/data/comparison-inputs.js'
import { labelledCases } from '../../helpers/long-tests.js'
import { HOSTILE, RFQ_CASES } from '../support/rfq-cases.js'
import { recalculated, whyNoTools } from '../support/tools.js'
import { type Cells, cellsOf, differences, formulasOf, sheetsOf, valuesOf } from '../support/workbooks.js'

const SHEETS = ['Summary', 'Offers', 'Deliveries', 'Prepayments', 'Choices', 'Questions', 'About']
/** Without offers, there is nothing to compare; without pre-payments, no sheet of them. */
function namesOf({ offers }: RfqReport): string[] {
  if (offers.length === 0) return ['Summary']
  const hasPrepayments = offers.some(({ prepayments }) => prepayments.length > 0)
  return SHEETS.filter((name) => name !== 'Prepayments' || hasPrepayments)
}
/** LibreOffice needs a second or two for each workbook. */
const names = Object.keys(RFQ_CASES)
const cases = labelledCases(Object.fromEntries(names.map((name) => [name, name])), ['mixed', 'hostile', 'no-offers'])
const compared = new Map<string, RfqReport>()
/** The report of a case, made once for all tests. */
function report(name: string): RfqReport {
  const found = compared.get(name) ?? compareOffers((RFQ_CASES[name] as () => ComparisonInput)())
  compared.set(name, found)
  return found
}

const made = new Map<string, Promise<Buffer>>()
/** The workbook of a case, made once for all tests. */
function workbookOf(name: string): Promise<Buffer> {
  const bytes = made.get(name) ?? rfqWorkbook(report(name))
  made.set(name, bytes)
  return bytes
}
afterAll(() => made.clear())

describe('the workbook of an RFQ', () => {
  it('is the same, byte for byte, from the same data, whenever it is generated', async () => {
    const later = { ...RFQ_CASES.mixed?.(), generatedAt: new Date('2031-01-01T00:00:00.000Z') } as never
    expect((await rfqWorkbook(compareOffers(later))).equals(await workbookOf('mixed'))).toBe(true)
  })

  it('reports progress sheet by sheet', async () => {
    const progress: string[] = []
    await rfqWorkbook(report('one-offer'), {
      onProgress: ({ sheet, done, total }) => progress.push(`${sheet} ${done}/${total}`),
    })
    expect(progress).toEqual(namesOf(report('one-offer')).map((sheet, index) => `${sheet} ${index + 1}/6`))
  })

  it.each(cases)('keeps row heights and column widths within the limits of Excel: %s', async (_, name) => {
    for (const sheet of await sheetsOf(await workbookOf(name))) {
      sheet.eachRow((row) => expect(row.height ?? 15, sheet.name).toBeLessThanOrEqual(409))
      for (const { width } of sheet.columns) expect(width, sheet.name).toBeLessThanOrEqual(255)
    }
  })

  it('has Offers as a table that sorts and filters, each offer in a row', async () => {
    const offers = (await sheetsOf(await workbookOf('mixed'))).find(({ name }) => name === 'Offers')
    const [table] = (offers?.getTables() ?? []) as unknown as { table: { tableRef: string; autoFilterRef: string } }[]
    expect(table?.table.autoFilterRef).toMatch(new RegExp(`^A5:[A-Z]+${5 + report('mixed').offers.length}$`))
  })

  it('shows the award on record, not the recommended one', async () => {
    const input = RFQ_CASES.awarded?.() as ComparisonInput
    const { offers, decision } = compareOffers(input)
    const [recommended] = offers.filter(({ id }) => id in decision.awardedTonnes)
    const other = offers.find(({ id, standing }) => standing === 'ranked' && !(id in decision.awardedTonnes))
    const award = input.award as AwardFacts
    const awarded = award.offers.slice(0, 1).map((offer) => ({ ...offer, id: other?.id ?? '', tonnes: 7 }))
    const report = compareOffers({ ...input, award: { ...award, offers: awarded } })
    const rows = await valuesOf(await rfqWorkbook(report), 'Offers')
    const head = rows.find((cells) => cells.includes('Award, t')) ?? []
    const tonnesOf = (offer?: OfferReport) => {
      const cells = rows.find((each) => each[head.indexOf('No.')] === offer?.sequence) ?? []
      return cells[head.indexOf('Award, t')]
    }
    expect([tonnesOf(other), tonnesOf(recommended)]).toEqual([7, undefined])
  })

  it('shows in full on About the texts it truncates elsewhere', async () => {
    const input = comparisonInput({ rfq: { additionalRequirements: HOSTILE.join(' ').repeat(400) } })
    const texts = (await valuesOf(await rfqWorkbook(compareOffers(input)), 'About')).map((cells) => cells[2] ?? '')
    expect(texts.join('').split('gnp.exe').length - 1).toBe(400)
  })
})

const missing = whyNoTools()
describe.skipIf(missing !== null)(`the workbook of an RFQ in other programs${missing ? ` (${missing})` : ''}`, () => {
  const written = new Map<string, Cells>()
  const computed = new Map<string, Cells>()
  const sheets = new Map<string, string[]>()

  beforeAll(async () => {
    const names = cases.map(([, name]) => name)
    const workbooks = await Promise.all(names.map(workbookOf))
    const again = recalculated([...workbooks, await withMarks(await workbookOf('mixed'))])
    for (const [at, name] of [...names, 'own'].entries()) {
      const own = workbooks[at]
      if (own !== undefined) written.set(name, cellsOf(await sheetsOf(own)))
      const read = await sheetsOf(again[at] as Buffer)
      computed.set(name, cellsOf(read))
      sheets.set(
        name,
        read.map((sheet) => sheet.name),
      )
    }
  }, 280_000)

  it.each(cases)('has its sheets in LibreOffice, and the results of formulas that it computes: %s', (_, name) => {
    expect(sheets.get(name)).toEqual(namesOf(report(name)))
    expect(differences(written.get(name), computed.get(name))).toEqual([])
    const isError = /^#(N\/A|VALUE|REF|DIV|NAME|NUM)/
    expect(formulasOf(computed.get(name)).filter(({ value }) => isError.test(String(value)))).toEqual([])
  })

  it('has formulas only where they explain a figure', () => {
    const kinds = formulasOf(written.get('mixed')).map(({ place, formula }) => {
      const kind = formula.replaceAll(/\$?\b[A-Z]+\$?\d+/g, 'cell').replace(/,\d+\)$/, ',offer)')
      return `${place.split('!')[0]} =${kind}`
    })
    expect([...new Set(kinds)].sort()).toEqual(KINDS)
  })

  it('computes on Choices what marked offers have together, against the limits and the recommendation', () => {
    const { offers, rfq } = report('mixed')
    const marked = offers.filter(({ sequence }) => MARKED.includes(sequence))
    const volume = sum(marked.map(({ metrics }) => metrics.volume ?? 0))
    const total = sum(marked.map(({ compared }) => compared.total ?? 0))
    const cells = computed.get('own') ?? new Map()
    const figures = (label: string) => {
      const [place = ''] = [...cells].find(([at, { value }]) => at.startsWith('Choices!B') && value === label) ?? []
      return ['D', 'E', 'F', 'G'].map((column) => cells.get(place.replace('!B', `!${column}`))?.value)
    }
    expect(figures('Marked offers').slice(0, 2)).toEqual([volume, expect.closeTo(total, 3)])
    expect(figures('Marked offers')[2]).toBeCloseTo(total / volume, 9)
    expect(figures('Minimum')).toEqual([
      rfq.minVolume,
      undefined,
      undefined,
      volume < (rfq.minVolume ?? 0) ? 'below' : 'reached',
    ])
    expect(figures('Maximum')[3]).toBe(volume > (rfq.maxVolume ?? 0) ? 'above' : 'within')
    expect(figures('Price limit')[3]).toBe(total / volume > (rfq.comparedMaxUnitPrice ?? 0) ? 'above' : 'within')
    const [tonnes = null] = figures('Accepted and recommended offers')
    expect(figures('Difference')[0]).toBe(volume - Number(tonnes))
  })

  it('never turns outside text into formulas or links', () => {
    const cells = written.get('hostile')
    const recognisable = HOSTILE.filter((message) => message.length > 4)
    const formulas = formulasOf(cells).map(({ formula }) => formula)
    expect(formulas.filter((formula) => recognisable.some((message) => formula.includes(message)))).toEqual([])
    expect(formulas.every((formula) => /^[A-Z0-9_a-z$('"]/.test(formula))).toBe(true)
    const outside = [...(cells?.values() ?? [])].flatMap(({ link = '#' }) => (link.startsWith('#') ? [] : link))
    expect(new Set(outside)).toEqual(new Set(['https://fine.example/p?a=1&b=%222%22']))
  })
})

/** Each kind of formula. */
const KINDS = [
  'Choices =IF(cell=0,"",IF(ROUND(cell-cell,6)<0,"below","reached"))',
  'Choices =IF(cell=0,"",IF(ROUND(cell-cell,6)>0,"above","within"))',
  'Choices =IF(cell>0,cell-cell,"")',
  'Choices =IF(cell>0,cell/cell,"")',
  'Choices =SUMIF(cell:cell,"x",cell:cell)',
  'Choices =cell-cell',
  'Deliveries =cell*cell',
  'Offers =SUMIFS(Deliveries!cell:cell,Deliveries!cell:cell,offer)',
  'Offers =cell*cell',
  'Offers =cell/cell',
]

/** The workbook with other offers marked on Choices. */
async function withMarks(bytes: Buffer): Promise<Buffer> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(bytes as never)
  const sheet = workbook.getWorksheet('Choices') as ExcelJS.Worksheet
  let inCalculator = false
  sheet.eachRow((row) => {
    if (inCalculator && typeof row.getCell(1).value === 'number')
      row.getCell(3).value = MARKED.includes(row.getCell(1).value as number) ? 'x' : null
    inCalculator ||= row.getCell(3).value === 'Mark'
  })
  return Buffer.from(await workbook.xlsx.writeBuffer())
}
/** Numbers of offers. */
const MARKED = [1, 2]
