import { finished } from 'node:stream/promises'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bar, here, is, mark } from '../../../reports/layout/marks.js'
import type { ReportIdentity, SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rowSheet } from '../../../reports/layout/table-sheet.js'
import { calendarDate, link, numberStyles, plain } from '../../../reports/xlsx/cell-styles.js'
import { date, formula, number, sheetLink, text, webLink } from '../../../reports/xlsx/cells.js'
import { streamWorkbook } from '../../../reports/xlsx/workbook-writer.js'
import { anyCharacter } from '../../helpers/data/any-text.js'
import { shareOf } from '../../helpers/long-tests.js'
import { schemaFaults } from '../support/conformity.js'
import { descendants, parseXml, partsOf } from '../support/parts.js'
import { HOSTILE } from '../support/rfq-cases.js'
import { buildWorkbook } from '../support/workbooks.js'

const styles = numberStyles([1], [2])
const identity: ReportIdentity = {
  title: 'RFQ 42',
  subject: 'Removals',
  footer: '1 & 2 · as of 2026-03-16',
  asOf: new Date('2026-03-16T12:00:00.000Z'),
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
    ],
    frozen: { rows: 1, columns: 1 },
    filter: 'A1:E3',
    marks: [mark('B2:B3', is(here, '>', 1), 'good')],
    print: { titleRows: [1, 1], titleColumns: 'A:A', firstRowIfWide: 1, columns: 5 },
  })
const two = (): SheetPlan => rowSheet({ name: 'Two', widths: [10], rows: () => [{ cells: [text('second', plain)] }] })

describe('workbook writer', () => {
  it('has valid parts with every feature and with almost none', async () => {
    const nothing = rowSheet({ name: 'One', widths: [10], rows: () => [] })
    for (const sheets of [[() => everything(), two], [two], [() => nothing]]) {
      expect(schemaFaults(await partsOf(await buildWorkbook(sheets, identity)))).toEqual([])
    }
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

  it('escapes text that looks like an escape sequence, in footers too', async () => {
    const cells = [text('_x0041_', plain), formula('X', '_x0042_', plain)]
    const texts = rowSheet({ name: 'Three', widths: [10], rows: () => [{ cells }] })
    const parts = await partsOf(
      await buildWorkbook([() => everything(), () => texts], { ...identity, footer: '_x0041_' }),
    )
    expect(parts.get('xl/sharedStrings.xml')).toContain('>_x005F_x0041_<')
    expect(parts.get('xl/worksheets/sheet2.xml')).toContain('<v>_x005F_x0042_</v>')
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
