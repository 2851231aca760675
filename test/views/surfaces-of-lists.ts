import { withRoundedNumbers } from '../../src/core/text/number-format.js'
import type { RfqFigures } from '../../src/recommendations/rfq-figures.js'
import type { Scenario } from '../golden/scenario.js'
import type { McpFixture } from '../mcp/mcp-fixture.js'
import { type Figures, listFigures, rounded } from './shown-figures.js'
import { csvRows, tableRows } from './surfaces-of-rfq.js'

/** A list of RFQs: what it shows of each, by id. */
export interface ListSurface {
  name: string
  rfqs: ReadonlyMap<string, Figures>
}

// biome-ignore lint/suspicious/noExplicitAny: answers are compared member by member.
type Answer = any

/** Every list of RFQs, and what details of an RFQ have in common with lists. */
export async function listsOfRfqs(
  { out, get, channels }: Scenario,
  { everyPage, call }: McpFixture,
): Promise<ListSurface[]> {
  const json: Answer[] = JSON.parse(await out('rfqs', '--json'))
  const byId = (name: string, rows: readonly Answer[], figuresOf: (row: Answer) => Figures): ListSurface => ({
    name,
    rfqs: new Map(rows.map((row) => [row.id, figuresOf(row)])),
  })
  const api: Answer[] = JSON.parse(await get(`/api/v1/rfqs?figures=true&limit=500`)).items
  const listed = await everyPage('list_rfqs', { figures: true }, (answer) => answer)
  const page: Answer[] = JSON.parse(await get('/rfqs?format=json'))
  const details = []
  const told = []
  for (const { channel, id } of api) {
    const name = encodeURIComponent(`id:${id}`)
    details.push(JSON.parse(await get(`/api/v1/rfqs/${channel}/${name}`)))
    told.push((await call('get_rfq', { rfq: `id:${id}`, channel })).rfq)
  }
  const withFigures = (row: Answer) => ({ ...counted(row), ...listFigures(row.figures as RfqFigures) })
  const ids = json.map(({ id }) => id)
  const inOrder = (name: string, rows: readonly Figures[]): ListSurface => ({
    name,
    rfqs: new Map(rows.map((row, at) => [ids[at], row])),
  })
  const overviews = await Promise.all(
    channels.map(
      async (channel): Promise<Answer> =>
        withRoundedNumbers(JSON.parse(await out('report', '--channel', channel, '--json'))),
    ),
  )
  return [
    byId('API RFQs', api, withFigures),
    byId('API RFQ', details, counted),
    byId('assistant, RFQs', listed, withFigures),
    byId('assistant, RFQ', told, counted),
    byId('rfqs --json', json, withFigures),
    inOrder('rfqs --csv', csvRows(await out('rfqs', '--csv', '--wide')).map(csvFigures)),
    inOrder('rfqs', tableRows(await out('rfqs', '--wide')).map(tableFigures)),
    byId('JSON of the page of RFQs', page, pageFigures),
    byId(
      'channel report',
      overviews.flatMap(({ rfqs }) => rfqs),
      overviewFigures,
    ),
  ]
}

const counted = ({ number, offers }: Answer): Figures => ({ number, offers })

const numberOf = (text = '') => (text === '' ? null : Number(text))
const textOf = (text = '') => (text === '' ? null : text)

const csvFigures = (row: Record<string, string>): Figures => ({
  offers: numberOf(row.offers),
  bestPricePerTonne: numberOf(row['best-price']),
  coverage: numberOf(row.covered),
  ranked: numberOf(row.ranked),
  currency: textOf(row['best-price-currency']),
})

const tableFigures = (row: Record<string, string>): Figures => ({
  offers: row.Offers?.endsWith('unread') ? 0 : rounded(row.Offers),
  bestPricePerTonne: rounded(row['Best price']?.split(' ')[0]),
  currency: textOf(row['Best price currency']),
  coverage: rounded(row.Covered),
  ranked: rounded(row.Ranked),
})

const pageFigures = (row: Answer): Figures => ({
  ...counted(row),
  ...{ wanted: row.wanted, coverage: row.coverage, bestPricePerTonne: row.bestPricePerTonne, currency: row.currency },
})

const overviewFigures = (row: Answer): Figures => ({
  ...counted(row),
  ...{ ranked: row.ranked, wanted: row.wanted, volume: row.volume, coverage: row.coverage, currency: row.currency },
  bestPricePerTonne: row.bestPricePerTonne,
})
