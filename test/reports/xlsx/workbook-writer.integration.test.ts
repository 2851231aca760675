import { finished } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { bar, here, is, mark } from '../../../reports/layout/marks.js'
import type { SheetChart } from '../../../reports/layout/sheet-chart.js'
import type { ReportIdentity, SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rowSheet } from '../../../reports/layout/table-sheet.js'
import { calendarDate, link, numberStyles, plain } from '../../../reports/xlsx/cell-styles.js'
import { date, formula, number, sheetLink, text, webLink } from '../../../reports/xlsx/cells.js'
import { streamWorkbook } from '../../../reports/xlsx/workbook-writer.js'
import type { ColumnChart } from '../../../src/presentation/chart.js'
import { anyCharacter } from '../../helpers/data/any-text.js'
import { shareOf } from '../../helpers/long-tests.js'
import { schemaFaults } from '../support/conformity.js'
import { decoded, descendants, type Element, parseXml, partsOf } from '../support/parts.js'
import { HOSTILE } from '../support/rfq-cases.js'
import { buildWorkbook } from '../support/workbooks.js'

const styles = numberStyles([1], [2])
const identity: ReportIdentity = {
  title: 'RFQ 42',
  subject: 'Removals',
  footer: '1 & 2 · as of 2026-03-16',
  asOf: new Date('2026-03-16T12:00:00.000Z'),
}
const chart: ColumnChart & Pick<SheetChart, 'anchor'> = {
  title: 'Price & <more>',
  alt: 'Columns "of" prices',
  stacked: false,
  categories: { ref: "'One'!$A$2:$A$3", cached: ['a', '=b'] },
  categoryTitle: 'Offers',
  valueTitle: 'USD/t',
  format: '#,##0.00',
  series: [
    { name: { ref: "'One'!$B$1", cached: ['price'] }, values: { ref: "'One'!$B$2:$B$3", cached: [1, null] } },
    { name: { ref: "'One'!$C$1", cached: ['limit'] }, values: { ref: "'One'!$C$2:$C$3", cached: [2, 2] } },
  ],
  anchor: { column: 0, row: 5, toColumn: 4, toRow: 20 },
}

/** A sheet that uses every feature. */
const everything = (message: readonly string[] = ['x', 'y']): SheetPlan =>
  rowSheet({
    name: 'One',
    widths: [20, 12, 12, 12, 12, 12, 12],
    rows: () => [
      { cells: ['name', 'price', 'limit', 'due', 'link'].map((word) => text(word)) },
      ...message.map((word, index) => ({
        cells: [
          text(word),
          number(index + 1, styles.money('USD')),
          formula(`B${index + 2}*2`, (index + 1) * 2),
          date('2026-03-16', calendarDate),
          webLink(word, 'https://example.com/?a=1&b=2', link),
          formula('MAX(B2:B3)', message.length),
          sheetLink('two', 'Two', link),
        ],
      })),
      { cells: [text('merged')], merged: [[0, 1]], newPage: true },
      { cells: [text('working')], working: true },
    ],
    workingColumns: [5, 6],
    frozen: { rows: 1, columns: 1 },
    filter: 'A1:E3',
    names: [{ name: 'Rate_USD', address: '$B$2' }],
    marks: [mark('B2:B3', is(here, '>', 1), 'good')],
    validations: [
      { address: 'B2', rule: { type: 'decimal', operator: 'between', formulae: [0, 9], allowBlank: true } },
    ],
    charts: [chart],
    print: { titleRows: [1, 1], titleColumns: 'A:A', firstRowIfWide: 1 },
  })
const two = (): SheetPlan => rowSheet({ name: 'Two', widths: [10], rows: () => [{ cells: [text('second', plain)] }] })

const order = (element: Element | undefined) => element?.children.map(({ name }) => name) ?? []

describe('workbook writer', () => {
  it('has valid parts with every feature and with almost none', async () => {
    const nothing = rowSheet({ name: 'One', widths: [10], rows: () => [] })
    for (const sheets of [[() => everything(), two], [two], [() => nothing]]) {
      expect(schemaFaults(await partsOf(await buildWorkbook(sheets, identity)))).toEqual([])
    }
  })

  it('collapses working columns and rows and does not print them', async () => {
    const parts = await partsOf(await buildWorkbook([() => everything(), two], identity))
    const sheet = parseXml(parts.get('xl/worksheets/sheet1.xml') ?? '')
    const collapsed = (name: string) =>
      [...descendants(sheet, name)]
        .filter(({ attributes }) => attributes.hidden === '1')
        .map(({ attributes }) => attributes)
    expect(collapsed('col')).toEqual([expect.objectContaining({ min: '6', max: '7', outlineLevel: '1' })])
    expect(collapsed('row')).toEqual([expect.objectContaining({ r: '5', outlineLevel: '1' })])
    expect([...descendants(sheet, 'sheetFormatPr')][0]?.attributes).toMatchObject({
      outlineLevelRow: '1',
      outlineLevelCol: '1',
    })
    expect(decoded(parts.get('xl/workbook.xml') ?? '')).toMatch(/_xlnm\.Print_Area"[^>]*>'One'!\$A\$1:\$E\$4</)
    expect(parts.get('xl/charts/chart1.xml')).toContain('<c:plotVisOnly val="0"/>')
  })

  it('has equal bytes when built again later', async () => {
    const first = await buildWorkbook([() => everything(), two], identity)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 100_000_000 })
    onTestFinished(() => void vi.useRealTimers())
    expect(first.equals(await buildWorkbook([() => everything(), two], identity))).toBe(true)
  })

  it('uses the as-of date as its creation date and contains no other time', async () => {
    const parts = await partsOf(await buildWorkbook([two], identity))
    const core = parts.get('docProps/core.xml') ?? ''
    expect(core.match(/\d{4}-\d\d-\d\dT[\d:]+Z/g)).toEqual(['2026-03-16T12:00:00Z', '2026-03-16T12:00:00Z'])
    expect(core).toContain('<dc:title>RFQ 42</dc:title>')
  })

  it('doubles ampersands in the footer and separates digits from the font size', async () => {
    const parts = await partsOf(await buildWorkbook([() => everything(), two], identity))
    const sheet = parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(sheet).toContain('<oddFooter>&amp;L&amp;8 1 &amp;&amp; 2 · as of 2026-03-16&amp;R&amp;8&amp;A')
  })

  it('limits footers to 255 characters without splitting a doubled ampersand', async () => {
    const long = { ...identity, footer: '&'.repeat(400) }
    const sheet = (await partsOf(await buildWorkbook([two], long))).get('xl/worksheets/sheet1.xml') ?? ''
    const footer = (/<oddFooter>(.*?)<\/oddFooter>/.exec(sheet)?.[1] ?? '').replaceAll('&amp;', '&')
    expect(footer.length).toBeLessThanOrEqual(255)
    expect((/^&L&8(&*)&R&8/.exec(footer)?.[1] ?? '?').length % 2).toBe(0)
  })

  it('gives each chart alternative text and cached values', async () => {
    const parts = await partsOf(await buildWorkbook([() => everything(), two], identity))
    expect(parts.get('xl/drawings/drawing1.xml')).toContain('descr="Columns &#34;of&#34; prices"')
    const drawn = parseXml(parts.get('xl/charts/chart1.xml') ?? '')
    expect([...descendants(drawn, 'c:ser')]).toHaveLength(2)
    expect([...descendants(drawn, 'c:ptCount')].map(({ attributes }) => attributes.val)).toEqual([
      '1',
      '2',
      '2',
      '1',
      '2',
      '2',
    ])
  })

  it('links each data bar to the extension that draws no bar for the minimum', async () => {
    const marks = [bar('B2:B9', 9)]
    const sheets = ['Bars', 'More'].map((name) => () => ({ ...two(), name, marks }))
    const parts = await partsOf(await buildWorkbook(sheets, identity))
    const ids = ['sheet1', 'sheet2'].map((name) => {
      const sheet = parseXml(parts.get(`xl/worksheets/${name}.xml`) ?? '')
      const drawn = [...descendants(sheet, 'x14:cfRule')].map(({ attributes }) => attributes.id)
      expect([...descendants(sheet, 'x14:dataBar')].map(({ attributes }) => attributes.minLength)).toEqual(['0'])
      expect(drawn).toEqual([/<x14:id>(.*?)<\/x14:id>/.exec(parts.get(`xl/worksheets/${name}.xml`) ?? '')?.[1]])
      return drawn[0]
    })
    expect(new Set(ids).size).toBe(2)
  })

  it('writes font elements in the order Excel uses', async () => {
    const parts = await partsOf(await buildWorkbook([() => everything(), two], identity))
    const fonts = [...descendants(parseXml(parts.get('xl/styles.xml') ?? ''), 'font')].map(order)
    expect(fonts).toContainEqual(['u', 'sz', 'color', 'name', 'family'])
  })

  it('writes one data validation for a range, however many cells share it', async () => {
    const rule = { type: 'decimal', operator: 'between', formulae: [0, 9] } as never
    const validations = [8, 9, 10, 11].map((row) => ({ address: `B${row}`, rule }))
    const sheet = await partsOf(await buildWorkbook([() => ({ ...two(), validations })], identity))
    const rules = [...descendants(parseXml(sheet.get('xl/worksheets/sheet1.xml') ?? ''), 'dataValidation')]
    expect(rules.map(({ attributes }) => attributes.sqref).sort()).toEqual(['B10:B10', 'B11:B11', 'B8:B8', 'B9:B9'])
  })

  it('escapes text that looks like an escape sequence, in charts and footers too', async () => {
    const coded = { ...chart, categories: { ...chart.categories, cached: ['_x0041_'] } }
    const sheet = () => ({ ...everything(), charts: [coded] })
    const cells = [text('_x0041_', plain), formula('X', '_x0042_', plain)]
    const texts = rowSheet({ name: 'Three', widths: [10], rows: () => [{ cells }] })
    const parts = await partsOf(await buildWorkbook([sheet, () => texts], { ...identity, footer: '_x0041_' }))
    expect(parts.get('xl/sharedStrings.xml')).toContain('>_x005F_x0041_<')
    expect(parts.get('xl/worksheets/sheet2.xml')).toContain('<v>_x005F_x0042_</v>')
    expect(parts.get('xl/charts/chart1.xml')).toContain('<c:v>_x005F_x0041_</c:v>')
    expect(parts.get('xl/worksheets/sheet1.xml')).toContain('<oddFooter>&amp;L&amp;8_x005F_x0041_&amp;R')
  })

  it('has valid parts whatever the text', async () => {
    const anyText = fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE)), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(anyText, async (message) => {
        const named = { ...identity, title: message[0] ?? '', footer: message.join('&'), subject: message.at(-1) ?? '' }
        const parts = await partsOf(await buildWorkbook([() => everything(message), two], named))
        expect(schemaFaults(parts)).toEqual([])
      }),
      { numRuns: shareOf(25) },
    )
  })

  it('starts like an Office document, for programs that check the first bytes', async () => {
    const bytes = await buildWorkbook([two], identity)
    expect(bytes.subarray(30, 41).toString('latin1')).toBe('_rels/.rels')
  })

  it('stops when the output stream is closed', async () => {
    const made: string[] = []
    const sheets = ['One', 'Two', 'Three'].map((name) => () => {
      made.push(name)
      return { ...two(), name }
    })
    const stream = streamWorkbook(sheets, identity)
    stream.destroy()
    await finished(stream).catch(() => undefined)
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(made).toEqual(['One'])
  })

  it('stops when it is aborted', async () => {
    const stop = new AbortController()
    stop.abort(new Error('enough'))
    await expect(buildWorkbook([two], identity, { signal: stop.signal })).rejects.toThrow('enough')
  })
})
