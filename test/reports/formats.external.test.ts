import { readFileSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { RFQ_TABLES, renderChannelReport, renderRfqReport } from '../../reports/formats.js'
import { summariseChannel } from '../../src/compare/channel/summarise-channel.js'
import { compareOffers } from '../../src/compare/report/compare-offers.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { REPORT_FORMATS } from '../../src/core/report-record.js'
import { formatDecimal } from '../../src/core/text/number-format.js'
import { writeChannelReport, writeRfqReport } from '../../src/report-files/write-report.js'
import { channelInput, comparisonInput, response } from '../helpers/data/comparison-inputs.js'
import { CHANNEL_CASES } from './support/channel-cases.js'
import { CHECKED_CASES, HOSTILE, RFQ_CASES } from './support/rfq-cases.js'
import { Bench } from './support/tools.js'

const made = new Map<string, RfqReport>()
/** The report of a case, made once for all tests. */
function report(name: string): RfqReport {
  const found = made.get(name) ?? compareOffers((RFQ_CASES[name] as NonNullable<(typeof RFQ_CASES)[string]>)())
  made.set(name, found)
  return found
}

/** A strict parser of CSV (RFC 4180). */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y
  while (field.lastIndex < text.length) {
    const found = field.exec(text)
    if (!found) throw new Error('not CSV')
    rows.at(-1)?.push(found[1]?.replaceAll('""', '"') ?? found[2] ?? '')
    if (found[3] === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

describe('CSV report', () => {
  it('has one row per offer, each as long as the header', async () => {
    for (const name of CHECKED_CASES) {
      const text = renderRfqReport(report(name), 'csv')
      expect(text.startsWith('\uFEFF')).toBe(true)
      const [head, ...rows] = readCsv(text.slice(1))
      const offers = report(name).offers.length
      expect(rows, name).toHaveLength(offers)
      expect(
        rows.filter((row) => row.length !== head?.length),
        name,
      ).toEqual([])
      expect(new Set(head).size, name).toBeGreaterThan(60)
    }
  })
  it('has unique names, no line breaks within values, and no references to sheets of the workbook', () => {
    const notes = 'long\nnote '.repeat(4_000)
    const long = comparisonInput({ responses: [response(1, { offer: { additionalNotesToBuyer: notes } })] })
    const channel = summariseChannel(CHANNEL_CASES.busy())
    const tables = [
      ...[...CHECKED_CASES.map(report), compareOffers(long)].flatMap((model) =>
        RFQ_TABLES.map((table) => renderRfqReport(model, 'csv', { table })),
      ),
      ...(['RFQs', 'Offers', 'Closings', 'Listings'] as const).map((table) =>
        renderChannelReport(channel, 'csv', { table }),
      ),
    ]
    for (const text of tables) {
      const [head = [], ...rows] = readCsv(text.slice(1))
      expect(new Set(head).size, head.join()).toBe(head.length)
      expect(head).not.toContain('')
      expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]|on About/)
      expect(rows.every((row) => row.length === head.length)).toBe(true)
    }
    const [head = [], row = []] = readCsv(renderRfqReport(compareOffers(long), 'csv').slice(1))
    expect(row[head.indexOf('Notes to the buyer')]).toBe('long | note '.repeat(4_000))
  })
  it('contains the figures of the model', async () => {
    const model = report('sample')
    const [head = [], ...rows] = readCsv(renderRfqReport(model, 'csv').slice(1))
    const column = (name: string) => rows.map((row) => row[head.indexOf(name)])
    expect(column('Offer no.')).toEqual(model.offers.map(({ sequence }) => String(sequence)))
    expect(column('Price per tonne (USD/t)')).toEqual(
      model.offers.map(({ compared }) => formatDecimal(compared.pricePerTonne as number)),
    )
    expect(column('Last delivery')).toEqual(model.offers.map(({ metrics }) => metrics.lastDelivery))
    expect(column('Expires')).toEqual(model.offers.map(({ terms }) => terms.expiryDate))
    expect(column('Coverage')).toEqual(model.offers.map(({ metrics }) => formatDecimal(metrics.coverage as number)))
    expect(column('Submitted')[0]).toBe(model.offers[0]?.submittedAt)
  })
  it('writes numbers with 15 digits, like spreadsheets, as does the HTML page', async () => {
    const model = report('twelve-deliveries')
    const noisy = /\d*\.\d*(?:0{6,}|9{6,})\d/
    expect(model.offers.some(({ metrics }) => noisy.test(String(metrics.total)))).toBe(true)
    for (const table of RFQ_TABLES) {
      const fields = readCsv(renderRfqReport(model, 'csv', { table }).slice(1)).flat()
      const numbers = fields.filter((one) => /^-?[\d.]+$/.test(one))
      expect(numbers.filter((one) => one.replace(/^-?[0.]*|\./g, '').length > 15)).toEqual([])
      expect(fields.join(' '), table).not.toMatch(noisy)
    }
    expect(renderRfqReport(model, 'html')).not.toMatch(noisy)
  })
  it('contains nothing that a spreadsheet would run as a formula', async () => {
    for (const table of RFQ_TABLES) {
      const rows = readCsv(renderRfqReport(report('hostile'), 'csv', { table }).slice(1))
      for (const value of rows.flat()) {
        if (/^-?[\d.]+(e[+-]?\d+)?$/.test(value)) continue
        if (/^\s*[=+\-@|%]/.test(value)) expect.fail(`${table}: ${value}`)
      }
    }
    const deliveries = readCsv(renderRfqReport(report('hostile'), 'csv', { table: 'Deliveries' }).slice(1)).flat()
    expect(deliveries).toContain(`'${HOSTILE[0]}`)
  })
})

describe('JSON report', () => {
  it('is the report model, identified by its schema', async () => {
    const model = report('mixed')
    expect(JSON.parse(renderRfqReport(model, 'json'))).toEqual(model)
    expect(model.schema).toBe('quotekeeper.rfq-report/2')
  })
})

describe('HTML report', () => {
  const page = async (name: string) => renderRfqReport(report(name), 'html')

  it('loads no resources and runs no scripts', async () => {
    const html = await page('hostile')
    expect(html).not.toMatch(/<script|<link|<img|<iframe|<object|javascript:|\son[a-z]+=|url\(|@import/i)
    expect(html).toContain("default-src 'none'")
    const targets = [...html.matchAll(/href="([^"]*)"/g)].map(([, target]) => target ?? '')
    expect(targets.every((target) => /^(#[A-Za-z]+|https:\/\/)/.test(target))).toBe(true)
    expect(targets.filter((target) => target.startsWith('https:'))).toEqual([
      'https://fine.example/p?a=1&#38;b=%222%22',
    ])
  })
  it('closes every element, and every internal link has a target', async () => {
    for (const name of CHECKED_CASES) {
      const html = await page(name)
      const open: string[] = []
      for (const [, closing, tag = '', rest = ''] of html.matchAll(/<(\/?)([a-z0-9]+)\b([^>]*)>/gi)) {
        if (rest.endsWith('/') || ['meta', 'br', 'col'].includes(tag)) continue
        if (!closing) open.push(tag)
        else if (open.pop() !== tag) expect.fail(`${name}: </${tag}> ends another element`)
      }
      expect(open, name).toEqual([])
      const ids = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      const targets = new Set([...html.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target))
      expect(
        [...targets].filter((target) => !ids.has(target)),
        name,
      ).toEqual([])
    }
  })
  it('escapes text from outside', async () => {
    const html = await page('hostile')
    expect(html).toContain(']]&#62;&#60;script&#62;alert(1)&#60;/script&#62;')
  })
  it('draws the charts and contains the figures of the workbook', async () => {
    const html = await page('sample')
    expect(html.match(/<svg class="plot"/g)).toHaveLength(1)
    for (const message of [
      'USD 9.80',
      'Savanna Carbon · Tsavo Corridor',
      '2026-03-16 12:00 UTC',
      'Efficient awards (line) and offers (by number)',
    ])
      expect(html).toContain(message)
  })
})

describe('writing a report', () => {
  it('uses the format as the file extension, for RFQs and channels', async () => {
    const bench = new Bench()
    const channel = summariseChannel(channelInput([{}]))
    for (const format of REPORT_FORMATS) {
      const one = await writeRfqReport(report('one-offer'), format, { directory: bench.folder })
      const all = await writeChannelReport(channel, format, { directory: bench.folder })
      expect(one.path.endsWith(`/rfq-4711_asof-20260316T1200Z.${format}`)).toBe(true)
      expect(all.path.endsWith(`/channel-acme-forest_asof-20260316T1200Z.${format}`)).toBe(true)
      expect(readFileSync(one.path)).toHaveLength(one.bytes)
    }
    rmSync(bench.folder, { recursive: true, force: true })
  })
  it('rejects a table that the report does not have', async () => {
    const channel = summariseChannel(channelInput([{}]))
    expect(() => renderChannelReport(channel, 'csv', { table: 'Nothing' as never })).toThrow('no table')
  })
})
