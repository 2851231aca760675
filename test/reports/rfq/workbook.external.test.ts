import JSZip from 'jszip'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fittedHeight } from '../../../reports/layout/rows.js'
import type { SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import type { RfqReport } from '../../../src/compare/report/rfq-report-model.js'
import { writeRfqReport } from '../../../src/report-files/write-report.js'
import { comparisonInput } from '../../helpers/data/comparison-inputs.js'
import { labelledCases } from '../../helpers/long-tests.js'
import { descendants, parseXml, partsOf } from '../support/parts.js'
import { crowdedInput, HOSTILE, RFQ_CASES } from '../support/rfq-cases.js'
import {
  Bench,
  differences,
  formulasOf,
  type ReadWorkbook,
  readValues,
  readWorkbooks,
  whyNoTools,
} from '../support/tools.js'
import { rfqWorkbook } from '../support/workbooks.js'

const SHEETS = ['Summary', 'Offers', 'Deliveries', 'Prepayments', 'Choices', 'Questions', 'About']
/** Without offers, there is nothing to compare; without pre-payments, no sheet of them. */
function sheetsOf({ offers }: RfqReport): string[] {
  if (offers.length === 0) return ['Summary', 'About']
  const hasPrepayments = offers.some(({ prepayments }) => prepayments.length > 0)
  return SHEETS.filter((name) => name !== 'Prepayments' || hasPrepayments)
}
const inputs = { ...RFQ_CASES, crowded: crowdedInput }
/** LibreOffice needs a second or two for each workbook, and for the crowded one as long as for all others. */
const names = Object.keys(inputs)
const cases = labelledCases(Object.fromEntries(names.map((name) => [name, name])), ['mixed', 'hostile', 'no-offers'])
const compared = new Map<string, RfqReport>()
/** The report of a case, made once for all tests. */
function report(name: string): RfqReport {
  const found = compared.get(name) ?? compareOffers((inputs[name as keyof typeof inputs] ?? crowdedInput)())
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

const planOf = (name: string, sheet: string) =>
  rfqSheets(report(name))
    .map((make) => make())
    .find((plan) => plan.name === sheet)

describe('the workbook of an RFQ', () => {
  it.each(cases)('has its sheets in order: %s', async (_, name) => {
    const parts = await partsOf(await workbookOf(name))
    const workbook = parseXml(parts.get('xl/workbook.xml') ?? '')
    expect([...descendants(workbook, 'sheet')].map(({ attributes }) => attributes.name)).toEqual(sheetsOf(report(name)))
  })

  it('is the same, byte for byte, from the same data, whenever it is generated', async () => {
    const later = { ...RFQ_CASES.mixed?.(), generatedAt: new Date('2031-01-01T00:00:00.000Z') } as never
    expect((await rfqWorkbook(compareOffers(later))).equals(await workbookOf('mixed'))).toBe(true)
  })

  it('contains no volatile functions', async () => {
    for (const [name, xml] of await partsOf(await workbookOf('mixed'))) {
      expect(xml, name).not.toMatch(/\b(TODAY|NOW|RAND|RANDBETWEEN|INDIRECT|OFFSET|CELL|INFO)\(/)
    }
  })

  it('is written to a file named after the RFQ and the as-of time', async () => {
    const bench = new Bench()
    const written = await writeRfqReport(report('one-offer'), { directory: bench.folder })
    expect(written.path).toBe(`${bench.folder}/rfq-4711_asof-20260316T1200Z.xlsx`)
    expect(bench.read(written.path)).toHaveLength(written.bytes)
    bench.remove()
  })

  it('reports progress sheet by sheet', async () => {
    const progress: string[] = []
    await rfqWorkbook(report('one-offer'), {
      onProgress: ({ sheet, done, total }) => progress.push(`${sheet} ${done}/${total}`),
    })
    expect(progress).toEqual(sheetsOf(report('one-offer')).map((sheet, index) => `${sheet} ${index + 1}/6`))
  })

  it('keeps row heights and column widths within the limits of Excel', () => {
    for (const [, name] of cases) {
      for (const plan of rfqSheets(report(name)).map((make) => make())) {
        const widths = widthsOf(plan)
        const heights = [...plan.rows()].map((row) => row.height ?? fittedHeight(row, widths))
        expect(
          heights.every((height) => height <= 409),
          plan.name,
        ).toBe(true)
        expect(
          widths.every((width) => width > 0 && width <= 255),
          plan.name,
        ).toBe(true)
      }
    }
  })

  it('shows in full on About the texts it truncates elsewhere', async () => {
    const long = HOSTILE.join(' ').repeat(400)
    const input = comparisonInput({ rfq: { additionalRequirements: long } })
    const about = rfqSheets(compareOffers(input)).at(-1)?.()
    const texts = [...(about?.rows() ?? [])].flatMap(({ cells }) => cells.map((cell) => cell?.value ?? ''))
    const whole = texts.filter((value) => typeof value === 'string').join('')
    expect(whole.split('gnp.exe').length - 1).toBe(400)
  })
})

const missing = whyNoTools()
describe.skipIf(missing !== null)(`the workbook of an RFQ in other programs${missing ? ` (${missing})` : ''}`, () => {
  let bench: Bench
  const written = new Map<string, ReadWorkbook>()
  const recalculated = new Map<string, ReadWorkbook>()

  beforeAll(async () => {
    bench = new Bench()
    const files: string[] = []
    for (const [, name] of cases) {
      files.push(bench.keep(`${name}.xlsx`, await workbookOf(name)))
    }
    files.push(bench.keep('own.xlsx', await withTonnes(await workbookOf('mixed'), planOf('mixed', 'Choices'))))
    const again = readValues(bench.recalculated(files))
    recalculated.set('own', again.at(-1) as ReadWorkbook)
    for (const [index, read] of readWorkbooks(files.slice(0, -1)).entries()) {
      const [, name = ''] = cases[index] ?? []
      written.set(name, read)
      recalculated.set(name, again[index] as ReadWorkbook)
    }
  }, 280_000)
  afterAll(() => bench?.remove())

  it.each(cases)('shows the result of every formula as LibreOffice computes it: %s', (_, name) => {
    expect(differences(written.get(name), recalculated.get(name))).toEqual([])
  })

  it.each(cases)('opens in openpyxl with all its sheets: %s', (_, name) => {
    expect(Object.keys(written.get(name)?.sheets ?? {})).toEqual(sheetsOf(report(name)))
  })

  it('has formulas only where they explain a figure', () => {
    const kinds = formulasOf(written.get('mixed')).map(({ sheet, cell }) => {
      const kind = cell.f?.replaceAll(/\$?\b[A-Z]+\$?\d+/g, 'cell').replace(/,\d+\)$/, ',offer)')
      return `${sheet} ${kind}`
    })
    expect([...new Set(kinds)].sort()).toEqual(KINDS)
  })

  it.each(cases)('shows no error values: %s', (_, name) => {
    const errors = formulasOf(written.get(name)).filter(({ cell }) =>
      /^#(N\/A|VALUE|REF|DIV|NAME|NUM)/.test(String(cell.v)),
    )
    expect(errors).toEqual([])
  })

  it('computes on Choices what the tonnes entered by a reader cost, and says if there are too many', () => {
    const comparable = report('mixed').offers.filter(({ compared }) => compared.cost !== null)
    const total = TONNES.reduce((sum, tonnes, at) => sum + tonnes * (comparable[at]?.compared.pricePerTonne ?? 0), 0)
    const cells = Object.entries(recalculated.get('own')?.sheets.Choices ?? {})
    const row = cells.find(([, { v }]) => v === 'Your award')?.[0].slice(1)
    const found = Object.fromEntries(cells)
    const tonnes = TONNES[0] + TONNES[1]
    expect(found[`F${row}`]?.v).toBe(tonnes)
    expect(found[`G${row}`]?.v).toBeCloseTo(total, 3)
    expect(found[`E${row}`]?.v).toBeCloseTo(total / tonnes, 9)
    expect(cells.filter(([, { v }]) => v === 'more than offered')).toHaveLength(1)
  })

  it('never turns outside text into formulas or links', () => {
    const read = written.get('hostile') as ReadWorkbook
    const recognisable = HOSTILE.filter((message) => message.length > 4)
    const outsideText = ({ cell }: ReturnType<typeof formulasOf>[number]) =>
      recognisable.some((message) => cell.f?.includes(message))
    expect(formulasOf(read).filter(outsideText)).toEqual([])
    expect(formulasOf(read).every(({ cell }) => /^=[A-Z0-9_a-z$('"]/.test(cell.f ?? ''))).toBe(true)
    const outside = read.links.filter((target) => !target.startsWith('#'))
    expect(new Set(outside)).toEqual(new Set(['https://fine.example/p?a=1&b=%222%22']))
  })

  it('keeps outside text unchanged except for characters XML cannot hold', () => {
    const cells = Object.values(written.get('hostile')?.sheets.Deliveries ?? {}).map(({ v }) => v)
    for (const message of ['=HYPERLINK("https://evil.example","click")', '-2+3', '*', '>0', ' =1+1'])
      expect(cells).toContain(message)
  })
})

/** Each kind of formula. */
const KINDS = [
  'Choices =IF(N(cell)<0,"invalid",IF(N(cell)>cell,"more than offered",""))',
  'Choices =IF(SUM(cell:cell)>0,SUM(cell:cell)/SUM(cell:cell),"")',
  'Choices =N(cell)*cell',
  'Choices =SUM(cell:cell)',
  'Deliveries =cell*cell',
  "Offers =SUMIFS('Deliveries'!cell:cell,'Deliveries'!cell:cell,offer)",
  'Offers =cell*cell',
  'Offers =cell/cell',
]

/** The workbook with tonnes entered for the first two offers of the calculator. */
async function withTonnes(bytes: Buffer, plan: SheetPlan | undefined): Promise<Buffer> {
  const rows = [...(plan?.rows() ?? [])]
  const head = rows.findIndex(({ cells }) => cells.some((cell) => cell?.value === 'Your tonnes'))
  const zip = await JSZip.loadAsync(bytes)
  const path = 'xl/worksheets/sheet5.xml'
  let xml = (await zip.file(path)?.async('string')) ?? ''
  for (const [at, tonnes] of TONNES.entries())
    xml = xml.replace(new RegExp(`(<c r="F${head + 2 + at}" s="\\d+")/>`), `$1><v>${tonnes}</v></c>`)
  zip.file(path, xml)
  return zip.generateAsync({ type: 'nodebuffer' })
}
const TONNES = [3_000, 1e9] as const

function widthsOf(plan: SheetPlan): readonly number[] {
  const measure = plan.widths()
  for (let step = measure.next(); ; step = measure.next()) if (step.done) return step.value
}
