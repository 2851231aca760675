import { readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import exceljs from 'exceljs'
import { withoutNoise, withRoundedNumbers } from '../../src/core/text/number-format.js'
import type { OfferView } from '../../src/views/offer/offer-view.js'
import type { RfqView } from '../../src/views/rfq/rfq-view.js'
import { visibleText } from '../golden/readable.js'
import type { Scenario } from '../golden/scenario.js'
import { locationsOf } from '../helpers/store/store-engine.js'
import type { McpFixture } from '../mcp/mcp-fixture.js'
import { type Figures, offerFigures, Rounded, rounded, type Shown } from './shown-figures.js'

/** An RFQ, by its id, and the moment of which it is shown; default now. */
export interface NamedRfq {
  channel: string
  id: string
  asOf: string | undefined
}

/** What a surface shows: figures of its offers, in its order, and its text. */
export interface Surface {
  name: string
  /** Each has at least the number of the offer, or its id. */
  offers?: Figures[]
  /** It has some of the offers only. */
  isPart?: boolean
  /** In which the sentences of the recommendation are looked for. */
  text?: string
}

// biome-ignore lint/suspicious/noExplicitAny: answers are compared member by member.
type Answer = any

/** Every surface of one RFQ, besides lists. */
export async function* surfacesOfRfq(scenario: Scenario, mcp: McpFixture, rfq: NamedRfq): AsyncGenerator<Surface> {
  yield* commands(scenario, rfq)
  yield* page(scenario, rfq)
  yield* api(scenario, rfq)
  yield* assistant(mcp, rfq)
  yield* reports(scenario, rfq)
}

const argumentsOf = ({ channel, id, asOf }: NamedRfq) => [
  ...[`id:${id}`, '--channel', channel],
  ...(asOf === undefined ? [] : ['--as-of', asOf]),
]

const pathOf = ({ channel, id, asOf }: NamedRfq, below = '') =>
  `/rfqs/${channel}/${encodeURIComponent(`id:${id}`)}${below}?${asOf === undefined ? '' : `as_of=${asOf}`}`

export const readComparison = async ({ get }: Scenario, rfq: NamedRfq): Promise<RfqView> =>
  JSON.parse(await get(`/api/v1${pathOf(rfq, '/comparison')}`))

const inJson = (name: string, offers: readonly OfferView[]): Surface => ({
  name,
  offers: offers.map((offer) => ({ id: offer.id, ...offerFigures(offer) })),
})

// --- command line ----------------------------------------------------------------------------------------------------

async function* commands({ out }: Scenario, rfq: NamedRfq): AsyncGenerator<Surface> {
  const args = ['compare', ...argumentsOf(rfq)]
  yield inJson('compare --json', JSON.parse(await out(...args, '--json')).offers)
  yield { name: 'compare --csv', offers: csvRows(await out(...args, '--csv')).map(exactRow) }
  const table = await out(...args, '--wide')
  yield { name: 'compare', offers: tableRows(table).map(roundedRow), text: table }
}

/** The rows of the last table of a terminal, without the texts below them. */
export function tableRows(text: string): Record<string, string>[] {
  const lines = text.split('\n')
  const rule = lines.findLastIndex((line) => line.startsWith('──'))
  if (rule === -1) return []
  const columns = [...(lines[rule] ?? '').matchAll(/─+/g)].map(({ index, 0: dashes }) => [index, index + dashes.length])
  const cellsOf = (line: string) => columns.map(([from, to]) => line.slice(from, to).trim())
  const heads = cellsOf(lines[rule - 1] ?? '')
  const end = lines.indexOf('', rule)
  return lines
    .slice(rule + 1, end === -1 ? undefined : end)
    .filter((line) => /^ *(\d+|–) /.test(line))
    .map((line) => Object.fromEntries(cellsOf(line).map((cell, at) => [heads[at] ?? '', cell])))
}

const numberOf = (text = '') => (text === '' ? null : Number(text))
const textOf = (text = '') => (text === '' ? null : text)

const exactRow = (row: Record<string, string>): Figures => ({
  ...{ number: numberOf(row.no), rank: numberOf(row.rank), tonnes: numberOf(row.tonnes), why: textOf(row.why) },
  ...{ comparedPricePerTonne: numberOf(row['per-tonne']), comparedTotal: numberOf(row.total) },
  ...{ comparedCurrency: textOf(row.currency), costPerTonne: numberOf(row['cost-per-tonne']) },
  ...{ ownPricePerTonne: numberOf(row['own-per-tonne']), ownTotal: numberOf(row['own-total']) },
  ownCurrency: textOf(row['own-currency']),
  ...{ coverage: numberOf(row.covers), standing: textOf(row.standing) },
  ...{ awardedTonnes: numberOf(row.award) ?? 0, notMet: textOf(row.failed) },
})

const roundedRow = (row: Record<string, string>): Figures => ({
  ...{ number: numberOf(row['No.']), rank: row.Rank === '–' ? null : numberOf(row.Rank) },
  ...{ tonnes: rounded(row.Tonnes), why: textOf(row['Not ranked because']) },
  ...moneyText('compared', row['Per tonne'], row.Total, row.Currency),
  ...(row['Own per tonne'] !== '' && moneyText('own', row['Own per tonne'], row['Own total'], row['Own currency'])),
  costPerTonne: rounded(withoutUnit(row['Cost per tonne'])),
  ...{ coverage: rounded(row.Covers), standing: textOf(row.Standing) },
  awardedTonnes: row.Award === '' ? 0 : rounded(row.Award),
})

/** `12.30 USD` without its unit. */
const withoutUnit = (text = '') => text.split(' ')[0]
const unitOf = (text = '') => text.split(' ').slice(1).join(' ').replace(/^–$/, '') || null

/** A price per tonne and a total, each with its currency beside it, which must be that of the row. */
function moneyText(kind: 'own' | 'compared', price: string | undefined, total: string | undefined, currency?: string) {
  const units = [price, total].flatMap((text) => unitOf(text) ?? [])
  const found = [...new Set([...units, ...(currency ? [currency] : [])])]
  return {
    [`${kind}PricePerTonne`]: rounded(withoutUnit(price)),
    [`${kind}Total`]: rounded(withoutUnit(total)),
    ...(found.length > 0 && { [`${kind}Currency`]: found.join(' and ') }),
  } as Figures
}

// --- page ------------------------------------------------------------------------------------------------------------

async function* page({ get }: Scenario, rfq: NamedRfq): AsyncGenerator<Surface> {
  const path = pathOf(rfq)
  const html = await get(path)
  yield { name: 'page', offers: pageRows(html), text: visibleText(html) }
  const rows: Answer[] = JSON.parse(await get(`${path}&format=json&table=offers`))
  yield { name: 'JSON of the page', offers: rows.map(pageFileRow) }
  const csv = csvRows(await get(`${path}&format=csv&table=offers`))
  const numeric = new Set(Object.keys(rows[0] ?? {}).filter((key) => rows.some((row) => typeof row[key] === 'number')))
  const typed = (row: Record<string, string>) =>
    Object.fromEntries(
      Object.entries(row).map(([key, text]) => [key, numeric.has(key) ? numberOf(text) : textOf(text)]),
    )
  yield { name: 'CSV of the page', offers: csv.map((row) => pageFileRow(typed(row))) }
}

const pageFileRow = (row: Answer): Figures => ({
  ...{ id: row.id, number: row.number, rank: row.rank, standing: row.standing, why: row.why, tonnes: row.tonnes },
  ...{ coverage: row.coverage, awardedTonnes: row.awardedTonnes, notMet: row.notMet },
  ...{ ownTotal: row.ownTotal, ownPricePerTonne: row.ownPricePerTonne, ownCurrency: row.ownCurrency },
  ...{ comparedTotal: row.comparedTotal, comparedPricePerTonne: row.comparedPricePerTonne },
  ...{ comparedCurrency: row.comparedCurrency, costPerTonne: row.comparedCostPerTonne },
})

/** The rows of a table of a page by column, each cell as its lines. */
export function htmlRows(html: string, name: string): Record<string, string[]>[] {
  const [, table = ''] = html.split(`<div class="table" id="${name}">`)
  const [rows = ''] = table.split('</table>')
  return [...rows.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) => {
    const cells = [...row.matchAll(/<td[^>]*data-label="([^"]*)"[^>]*>(.*?)<\/td>/gs)]
    return Object.fromEntries(
      cells.map(([, column = '', cell = '']) => [column, visibleText(cell).trimEnd().split('\n')]),
    )
  })
}

const pageRows = (html: string): Figures[] => {
  const currency = /data-label="Price, ([^"]*)\/t"/.exec(html)?.[1]
  const priceTitle = currency === undefined ? 'Price' : `Price, ${currency}/t`
  const totalTitle = currency === undefined ? 'Total' : `Total, ${currency}`
  return htmlRows(html, 'offers').map((row) => {
    const [price, offered] = row[priceTitle] ?? []
    const [rank] = row.Rank ?? []
    const unit = currency === undefined ? '' : ` ${currency}`
    const withUnit = (text = '–') => (text === '–' ? text : `${text}${unit}`)
    const number = Number(/no\. (\d+)/.exec(row.Offer?.join(' ') ?? '')?.[1])
    return {
      number,
      rank: rank === '–' ? null : Number(rank),
      tonnes: rounded(row.Tonnes?.[0]),
      notMet: notMetOnPage(html, number),
      ...moneyText('compared', withUnit(price), withUnit(row[totalTitle]?.[0])),
      ...(offered !== undefined && {
        ownPricePerTonne: rounded(withoutUnit(offered)),
        ownCurrency: unitOf(offered.replace(/\/t$/, '')),
      }),
    }
  })
}

/** The sentences in the tags of an offer's row, without its flags and notes. */
function notMetOnPage(html: string, number: number): string[] {
  const [, table = ''] = html.split('<div class="table" id="offers">')
  const row = table.split('</tr>').find((one) => new RegExp(`>no\\. ${number}\\b`).test(one)) ?? ''
  const tags = [...row.matchAll(/<details class="tag[^>]*><summary>(.*?)<\/summary>(.*?)<\/details>/gs)]
  return tags.flatMap(([, label = '', text = '']) =>
    /^(\d+ flags?|notes)$/.test(label) ? [] : [visibleText(text).trim()],
  )
}

/** The rows of a CSV file by column. */
export function csvRows(csv: string): Record<string, string>[] {
  const records: string[][] = [[]]
  for (const [, quoted, plain, end] of csv.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    records.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain ?? '')
    if (end === '\r\n') records.push([])
    if (end === '') break
  }
  const [columns = [], ...rows] = records.filter((record) => record.length > 1)
  // An apostrophe keeps a spreadsheet from running a text as a formula.
  const cell = (text = '') => (text.startsWith("'") ? text.slice(1) : text)
  return rows.map((row) => Object.fromEntries(columns.map((column, at) => [column, cell(row[at])])))
}

// --- API and assistant -----------------------------------------------------------------------------------------------

async function* api({ get }: Scenario, rfq: NamedRfq): AsyncGenerator<Surface> {
  const read = async (below: string) => JSON.parse(await get(`/api/v1${pathOf(rfq, below)}`))
  const { items } = await read('/offers')
  yield inJson('API offers', items)
  const details = await Promise.all(items.map(({ id }: OfferView) => read(`/offers/${encodeURIComponent(id)}`)))
  yield inJson('API offer', details)
}

async function* assistant({ call, everyPage }: McpFixture, { channel, id, asOf }: NamedRfq): AsyncGenerator<Surface> {
  const args = { rfq: `id:${id}`, channel, ...(asOf && { as_of: asOf }) }
  const comparison = await call('compare_offers', args)
  const compared = await everyPage('compare_offers', args, ({ offers }) => offers)
  yield { ...inJson('assistant, comparison', compared), text: sentencesOf(comparison.decision).join(' ') }
  const listed = await everyPage('get_rfq', args, ({ offers }) => offers)
  yield inJson('assistant, RFQ', listed)
  const details = []
  for (const { id: offer } of listed) details.push((await call('get_offer', { ...args, offer })).offer)
  yield inJson('assistant, offer', details)
}

/** Every text in a value. */
const sentencesOf = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(Object(value)).flatMap(sentencesOf)

// --- reports ---------------------------------------------------------------------------------------------------------

async function* reports({ store, out }: Scenario, rfq: NamedRfq): AsyncGenerator<Surface> {
  const report = withRoundedNumbers(JSON.parse(await out('report', ...argumentsOf(rfq), '--json')))
  yield { name: 'report --json', offers: report.offers.map(reportedOffer(report)) }
  const workbook = new exceljs.Workbook()
  const file = join(dirname(locationsOf(store).file), 'shown.xlsx')
  await out('report', ...argumentsOf(rfq), '--out', file)
  await workbook.xlsx.load((await readFile(file)) as never)
  await rm(file)
  yield* workbookSurfaces(workbook)
}

/** The model of reports has every digit, and other names. */
const reportedOffer =
  ({ currency }: Answer) =>
  ({ id, sequence, rank, standing, why, metrics, terms, compared }: Answer): Figures => ({
    ...{ id, number: sequence, rank, standing, why, tonnes: metrics.volume, coverage: metrics.coverage },
    ...{ ownTotal: metrics.total, ownPricePerTonne: metrics.pricePerTonne, ownCurrency: terms.currency },
    ...{ comparedTotal: compared.total, comparedPricePerTonne: compared.pricePerTonne },
    ...{ comparedCurrency: currency.comparison, costPerTonne: compared.costPerTonne },
  })

function* workbookSurfaces(workbook: exceljs.Workbook): Generator<Surface> {
  const sheet = (name: string) => workbook.getWorksheet(name)
  const offers = sheet('Offers')
  const text = workbook.worksheets.flatMap((each) => sheetRows(each).flat()).join(' ')
  if (offers === undefined) return yield { name: 'workbook', text, offers: [] }
  const rows = sheetRows(offers)
  const heads = rows.find(([head]) => head === 'Attribute') ?? []
  const columns = offers.columnCount - 2
  yield {
    name: 'workbook, Offers',
    text,
    offers: Array.from({ length: columns }, (_, at) => ({
      number: Number.parseInt(String(heads[at + 2]), 10),
      ...attributes(rows.map(([title, , ...cells]) => [String(title), cells[at] ?? null])),
    })),
  }
  for (const [name, first] of [
    ['Summary', 'Rank'],
    ['Choices', 'No.'],
  ] as const) {
    const all = sheetRows(sheet(name) as exceljs.Worksheet)
    const from = all.findLastIndex(([head, offer]) => head === first && offer === 'Offer')
    const heads = all[from]?.map(String) ?? []
    const length = all.slice(from + 1).findIndex(([, offer]) => typeof offer !== 'string' || offer === 'Your award')
    yield {
      name: `workbook, ${name}`,
      isPart: name === 'Choices',
      offers: all.slice(from + 1, from + 1 + length).map((cells) => {
        const own = heads.map((head, at): [string, CellValue] => [head, cells[at] ?? null])
        const number = name === 'Choices' ? cells[0] : Number.parseInt(String(cells[1]), 10)
        return attributes([['Offer no.', number ?? null], ...own.filter(([head]) => head !== 'No.')])
      }),
    }
  }
}

type CellValue = string | number | null

function sheetRows(sheet: exceljs.Worksheet): CellValue[][] {
  return Array.from({ length: sheet.rowCount }, (_, row) =>
    Array.from({ length: sheet.columnCount }, (_, column) => cellValue(sheet.getCell(row + 1, column + 1))),
  )
}

/** The value of a cell as a spreadsheet has it: with 15 digits. */
function cellValue(cell: exceljs.Cell): CellValue {
  if (cell.isMerged && cell.master !== cell) return null
  const value = (cell.formula ? cell.result : cell.value) as exceljs.CellValue | undefined
  if (typeof value === 'number') return withoutNoise(value)
  if (typeof value === 'string') return value
  return value !== null && typeof value === 'object' && 'text' in value ? String(value.text) : null
}

const STANDING_TEXTS: Record<string, string> = { 'not compliant': 'not-compliant' }

/** What each title of reports shows: the figure, and for money in the currency of the comparison, that currency. */
const TITLES: readonly [title: RegExp, name: string][] = [
  [/^Offer no\.$/, 'number'],
  [/^Rank$/, 'rank'],
  [/^Standing$/, 'standing'],
  [/^Not met/, 'notMet'],
  [/^(In the recommended award|Accepted or recommended) \(t\)$/, 'awardedTonnes'],
  [/^(Volume \(t\)|Tonnes|Offered \(t\))$/, 'tonnes'],
  [/^Coverage$/, 'coverage'],
  [/^Own price per tonne$/, 'ownPricePerTonne'],
  [/^Own total$/, 'ownTotal'],
  [/^Own currency$/, 'ownCurrency'],
  [/^Price per tonne( \((.*)\/t\))?$/, 'comparedPricePerTonne'],
  [/^Total( \((.*)\))?$/, 'comparedTotal'],
  [/^Cost per tonne(?:, by the price basis)?( \((.*)\/t\))?$/, 'costPerTonne'],
]

/** The figures of an offer by the titles that reports give them. */
function attributes(titled: readonly (readonly [string, Shown])[]): Figures {
  const figures: Figures = {}
  for (const [title, value] of titled) {
    for (const [pattern, name] of TITLES) {
      const found = pattern.exec(title)
      if (found === null || (name === 'comparedTotal' && 'comparedTotal' in figures)) continue
      figures[name] = name === 'standing' ? (STANDING_TEXTS[String(value)] ?? value) : unknownAsNull(value)
      if (found[2] !== undefined) figures.comparedCurrency = found[2]
    }
  }
  const { awardedTonnes } = figures
  if (awardedTonnes === null || (awardedTonnes instanceof Rounded && awardedTonnes.text === ''))
    figures.awardedTonnes = 0
  return figures
}

/** `–` and words instead of sentences about nothing. */
const unknownAsNull = (value: Shown): Shown =>
  typeof value === 'string' && /^(–|none|Meets every requirement\.|unknown)?$/.test(value) ? null : value
