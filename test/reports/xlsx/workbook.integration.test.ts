import fc from 'fast-check'
import { strFromU8, unzipSync } from 'fflate'
import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { describe, expect, it } from 'vitest'
import { sheetColumns } from '../../../reports/layout/list-sheet.js'
import { calendarDate, link, priceIn } from '../../../reports/xlsx/cell-styles.js'
import { blank, date, formula, number, text, webLink } from '../../../reports/xlsx/cells.js'
import { buildWorkbook, type ReportIdentity, streamWorkbook, type WriteSheet } from '../../../reports/xlsx/workbook.js'
import { type Column, column } from '../../../src/tables/column.js'
import { anyCharacter } from '../../helpers/data/any-text.js'
import { shareOf } from '../../helpers/long-tests.js'
import { HOSTILE } from '../support/rfq-cases.js'
import { valuesOf } from '../support/workbooks.js'

const identity: ReportIdentity = {
  title: 'RFQ 42',
  subject: 'Removals',
  footer: '1 & 2 · as of 2026-03-16',
  asOf: new Date('2026-03-16T12:00:00.000Z'),
}

/** A sheet that uses every feature. */
const everything =
  (texts: readonly string[] = ['x', 'y']): WriteSheet =>
  (add) => {
    const columns: Column<string>[] = [
      column('name', 'Name', 'text', 9, (each) => each),
      column('length', 'Length', 'count', 9, (each) => each.length),
    ]
    const sheet = add({ widths: [20, 12, 12, 12, 12], frozen: { rows: 1, columns: 1 } })
    sheet.addTable(sheetColumns(columns, texts), texts, 'Names')
    sheet.add([
      text(texts[0]),
      number(1, priceIn('USD')),
      formula('B2*2', (texts[0]?.length ?? 0) * 2),
      date('2026-03-16', calendarDate),
      webLink('open', 'https://example.com/?a=1&b=2', link),
    ])
    sheet.addAcross(text('merged')).printLegible()
  }
const two: WriteSheet = (add) => void add({ widths: [10] }).add([text('second')])
const WRITERS = { whole: buildWorkbook, streamed: streamWorkbook }

describe.each(Object.entries(WRITERS))('a workbook, %s', (_, build) => {
  it('uses the as-of date as its creation date and contains no other time', async () => {
    const bytes = await build({ Two: two }, identity)
    expect(
      partsOf(bytes)
        .get('docProps/core.xml')
        ?.match(/\d{4}-\d\d-\d\dT[\d:]+Z/g),
    ).toEqual(['2026-03-16T12:00:00Z', '2026-03-16T12:00:00Z'])
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    expect(bytes.equals(await build({ Two: two }, identity))).toBe(true)
  })

  it('escapes text that looks like an escape sequence, and doubles ampersands in footers of at most 255 characters', async () => {
    const escaped: WriteSheet = (add) => void add({ widths: [10] }).add([text('_x0041_'), formula('X', '_x0042_')])
    const parts = partsOf(await build({ One: escaped }, { ...identity, footer: `_x0041_${'&'.repeat(400)}` }))
    expect(parts.get('xl/sharedStrings.xml')).toContain('>_x005F_x0041_<')
    const sheet = parts.get('xl/worksheets/sheet1.xml') ?? ''
    expect(sheet).toContain('<v>_x005F_x0042_</v>')
    const footer = (/<oddFooter>(.*?)<\/oddFooter>/.exec(sheet)?.[1] ?? '').replaceAll('&amp;', '&')
    expect(footer.length).toBeLessThanOrEqual(255)
    expect((/^&L&8_x005F_x0041_(&*)&R&8/.exec(footer)?.[1] ?? '?').length % 2).toBe(0)
  })

  it('has its elements in the order that Excel requires, with every feature', async () => {
    const entry: WriteSheet = (add) => void add({ widths: [10] }).add([{ ...blank(), choices: 'x' }])
    const parts = partsOf(await build({ One: everything(), Two: entry }, identity))
    const sheet = elementsOf(parts.get('xl/worksheets/sheet1.xml') ?? '')
    const elements = sheet.filter(({ depth }) => depth === 1).map(({ name }) => name)
    expect(elements).toEqual(ORDER.filter((name) => elements.includes(name)))
    expect(elements).toEqual(expect.arrayContaining(['mergeCells', 'hyperlinks', 'pageSetup']))
    expect(parts.get('xl/worksheets/sheet2.xml')).toContain('<formula1>&quot;x&quot;</formula1>')
  })

  it('keeps whatever text it is given, except for characters that XML cannot hold', async () => {
    const anyText = fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOSTILE)), {
      minLength: 1,
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(anyText, async (texts) => {
        const named = { ...identity, title: texts[0] ?? '', footer: texts.join('&'), subject: texts.at(-1) ?? '' }
        const bytes = await build({ One: everything(texts), Two: two }, named)
        for (const [part, xml] of partsOf(bytes)) expect(() => elementsOf(xml), part).not.toThrow()
        const shown = (await valuesOf(bytes, 'One')).slice(2, 2 + texts.length).map((cells) => cells[1] ?? null)
        expect(shown).toEqual(texts.map((each) => text(each).value))
      }),
      { numRuns: shareOf(25) },
    )
  })

  it('stops when it is aborted', async () => {
    const stop = new AbortController()
    const aborting: WriteSheet = (add) => {
      two(add)
      stop.abort(new Error('enough'))
    }
    await expect(build({ One: aborting, Two: two }, identity, { signal: stop.signal })).rejects.toThrow('enough')
  })
})

it('has a table only where it is not streamed', async () => {
  const tables = (bytes: Buffer) => [...partsOf(bytes).keys()].filter((part) => part.startsWith('xl/tables/'))
  expect(tables(await buildWorkbook({ One: everything() }, identity))).toHaveLength(1)
  const streamed = await streamWorkbook({ One: everything() }, identity)
  expect(tables(streamed)).toEqual([])
  const elements = elementsOf(partsOf(streamed).get('xl/worksheets/sheet1.xml') ?? '')
  expect(elements.filter(({ name }) => name === 'autoFilter')).toMatchObject([{ attributes: { ref: 'A1:B3' } }])
})

/** ECMA-376 part 1, CT_Worksheet. */
const ORDER = [
  ...['sheetPr', 'dimension', 'sheetViews', 'sheetFormatPr', 'cols', 'sheetData', 'autoFilter', 'mergeCells'],
  ...['conditionalFormatting', 'dataValidations', 'hyperlinks', 'printOptions', 'pageMargins', 'pageSetup'],
  ...['headerFooter', 'rowBreaks', 'tableParts', 'extLst'],
]

/** The parts of a workbook by name. */
function partsOf(bytes: Buffer): Map<string, string> {
  const parts = unzipSync(bytes, { filter: ({ name }) => !name.endsWith('/') })
  return new Map(Object.entries(parts).map(([name, part]) => [name, strFromU8(part)]))
}

/** The elements of XML in their order, each with its depth. Rejects XML that is not well-formed. */
function elementsOf(xml: string): { name: string; depth: number; attributes: Record<string, string> }[] {
  const found: ReturnType<typeof elementsOf> = []
  let depth = 0
  const parser = new SaxesParser()
  parser.on('error', (error) => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => found.push({ name, depth: depth++, attributes }))
  parser.on('closetag', () => void depth--)
  parser.write(xml).close()
  return found
}
