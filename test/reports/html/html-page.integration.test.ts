import { describe, expect, it } from 'vitest'
import { MAX_ROWS_PER_SHEET, renderHtmlPage } from '../../../reports/html/html-page.js'
import { columnsOf } from '../../../reports/layout/columns.js'
import { titleRow } from '../../../reports/layout/rows.js'
import type { SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rowSheet, tableSheet } from '../../../reports/layout/table-sheet.js'
import { rfqIdentity } from '../../../reports/rfq/layout.js'
import { rfqSheets } from '../../../reports/rfq/workbook.js'
import * as style from '../../../reports/xlsx/cell-styles.js'
import { text } from '../../../reports/xlsx/cells.js'
import { compareOffers } from '../../../src/compare/report/compare-offers.js'
import { RFQ_CASES } from '../support/rfq-cases.js'

const ASIDE = { title: 'Many rows', subject: 'Rows', footer: 'RFQ 1', asOf: new Date(0) }

const { number, text: textColumn } = columnsOf<number>()

/** A sheet with one table of this many rows. */
const table = (name: string, count: number): SheetPlan =>
  tableSheet(
    { subject: 'The same on all' },
    {
      grid: name,
      title: `Table ${name}`,
      note: `About ${name}`,
      rows: Array.from({ length: count }, (_, row) => row + 1),
      emptyText: 'None.',
      frozenColumns: 1,
      columns: {
        no: number('No.', (row) => row, style.integer),
        message: textColumn('Words', (row) => `row ${row}`),
      },
    },
  )

const page = (name: string) => {
  const report = compareOffers((RFQ_CASES[name] as NonNullable<(typeof RFQ_CASES)[string]>)())
  return renderHtmlPage(
    rfqSheets(report).map((make) => make()),
    rfqIdentity(report),
  )
}
const section = (html: string, name: string) => html.split(`<section id="${name}"`)[1]?.split('</section>')[0] ?? ''

describe('HTML page', () => {
  it('shows every row and repeats the headers in each part of a long table', () => {
    const html = renderHtmlPage([table('Few', 3), table('Many', 1_001)], ASIDE)
    const rows = [...html.matchAll(/>row (\d+)</g)].map(([, row]) => Number(row))
    expect(rows).toEqual([1, 2, 3, ...Array.from({ length: 1_001 }, (_, row) => row + 1)])
    expect(section(html, 'Many').match(/<thead>/g)).toHaveLength(5)
    expect(section(html, 'Many').match(/class="lazy"/g)).toHaveLength(5)
    expect(section(html, 'Few').match(/<thead>/g)).toHaveLength(1)
    expect(html).not.toContain('not on this page')
    expect(html).not.toContain('This page is incomplete')
  })

  it('states at the top and in the section which rows are omitted and where to find them', () => {
    const html = renderHtmlPage([table('Few', 1), table('Many', MAX_ROWS_PER_SHEET + 1_234)], ASIDE)
    expect(html).toContain('This page is incomplete: Many shows 20,000 of 21,234 rows. The workbook (--format xlsx)')
    expect(section(html, 'Many')).toContain('1,234 more rows are not on this page')
    expect(section(html, 'Many')).toContain(`>row ${MAX_ROWS_PER_SHEET}<`)
    expect(section(html, 'Many')).not.toContain(`>row ${MAX_ROWS_PER_SHEET + 1}<`)
    expect(section(html, 'Few')).not.toContain('not on this page')
  })

  it('shows the lines common to all sheets only once', () => {
    const html = renderHtmlPage([table('One', 1), table('Two', 1)], ASIDE)
    expect(html.match(/The same on all/g)).toHaveLength(1)
    expect(html.match(/About (One|Two)/g)).toHaveLength(2)
    expect(page('sample')).not.toContain('Inputs changed since')
  })

  it('gives every row of a table the same number of columns', () => {
    for (const name of ['sample', 'hostile', 'no-offers', 'invalid-documents']) {
      for (const found of page(name).matchAll(/<colgroup>(.*?)<\/colgroup>(.*?)<\/table>/gs)) {
        const columns = found[1]?.match(/<col /g)?.length
        for (const [, row = ''] of (found[2] ?? '').matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)) {
          const spans = [...row.matchAll(/<t[dh]\b([^>]*)>/g)].map(([, rest = '']) =>
            Number(/colspan="(\d+)"/.exec(rest)?.[1] ?? 1),
          )
          expect(
            spans.reduce((sum, span) => sum + span, 0),
            `${name}: ${row.slice(0, 80)}`,
          ).toBe(columns)
        }
      }
    }
  })

  it('applies the conditional formats of the workbook and collapses the figures behind the charts', () => {
    const html = page('sample')
    expect(section(html, 'Offers')).toMatch(/class="[^"]*good">USD 9\.80</)
    expect(section(html, 'Scoring')).toMatch(/class="n r b? ?good">1</)
    expect(section(html, 'About')).toContain('>What was received<')
    const summary = section(html, 'Summary')
    expect(summary.indexOf('<svg')).toBeLessThan(summary.indexOf('<summary>Chart data</summary>'))
    expect(page('no-offers')).not.toContain('<details>')
  })

  it('labels the dots of charts, and shows bars behind the figures that have bars in the workbook', () => {
    const html = page('sample')
    expect(section(html, 'Summary')).toMatch(/class="value">recommended</)
    expect(section(html, 'Scoring')).toMatch(/class="n r bar" style="--bar:100%">100\.0</)
  })

  it('begins with the recommendation, and repeats headers in the cards that offers become on narrow screens', () => {
    const html = page('sample')
    const summary = section(html, 'Summary')
    expect(summary.indexOf('Award ')).toBeLessThan(summary.indexOf('>Choices: '))
    for (const header of ['Price per tonne (USD/t)', 'Score (0–100)', 'Not met (hard unless marked)']) {
      expect(summary, header).toContain(`<td data-label="${header}"`)
    }
    expect(section(html, 'Offers')).not.toContain('data-label')
  })

  it('omits what only a workbook needs: cells to fill in, and what a reader changed', () => {
    const html = page('sample')
    for (const text of ['Your own award', 'Sign-off', 'yellow cells, and the figures', 'Original value'])
      expect(html).not.toContain(text)
    expect(section(html, 'Inputs')).toContain('Effect and source')
  })

  it('labels the reasons of a recommendation in the cards of narrow screens', () => {
    expect(section(page('sample'), 'Summary')).toMatch(/data-label="Check before signing"[^>]*>• /)
  })

  it('omits columns and rows of intermediate results, but not the figures behind charts', () => {
    const html = page('sample')
    expect(section(html, 'Deliveries')).not.toContain('Discount factor')
    expect(section(html, 'Deliveries')).toContain('Vintage year')
    expect(section(html, 'Summary')).toContain('<summary>Chart data</summary>')
  })

  it('takes titles and headers from the roles of rows, not from how cells look', () => {
    const cells = [text('Loud', style.title)]
    const rows = [titleRow('One'), { cells }, { role: 'section' as const, cells: [text('Quiet', style.body)] }]
    const html = renderHtmlPage([table('Few', 1), rowSheet({ name: 'Rows', widths: [20], rows: () => rows })], ASIDE)
    expect(section(html, 'Rows')).toMatch(/<h2[^>]*>One<\/h2>/)
    expect(section(html, 'Rows')).toMatch(/<td[^>]*>Loud</)
    expect(section(html, 'Rows')).toMatch(/<th class="section-title"[^>]*><span>Quiet</)
  })
})
