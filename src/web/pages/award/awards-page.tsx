import { sum } from '../../../core/numbers.js'
import { formatCount } from '../../../core/text/number-format.js'
import type { AwardItem, AwardPage } from '../../../tables/awards/award-list.js'
import { awardPath, rfqPath } from '../../../tables/page-paths.js'
import { plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { FilterForm } from '../lists/filter-form.js'
import { type PageContent, type PageRequest, pagesOf, rangeOf, readChannel } from '../page.js'
import { awardColumns } from './award-columns.js'

/** The newest awards that are listed. */
const MAX_AWARDS = 1_000

/** What has to be settled comes first. */
const GROUPS = [
  { name: 'differs', title: 'Differs from the marketplace', states: ['differs'] },
  { name: 'waiting', title: 'Waiting for acceptance', states: ['waiting'] },
  { name: 'settled', title: 'Accepted and withdrawn', states: ['accepted', 'withdrawn'] },
] as const satisfies readonly { name: string; title: string; states: readonly AwardItem['state'][] }[]

/** `/awards`: every award that the desk recorded, with what the marketplace shows of it. */
export async function awardsPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, now, link, channels, suggest } = page
  const channel = await readChannel(page)
  parseSorting(query.sort, [], suggest)
  const { items, counts } = await queries.awardPage({
    ...channel,
    ...{ now, limit: MAX_AWARDS, page: rangeOf(query) },
  })
  const total = sum(Object.values(counts))
  const pages = pagesOf(query, total)
  const first = rfqColumns(channels.length > 1)
  const empty = (
    <>
      No award was recorded yet. Open <a href="/rfqs?state=open">an open RFQ</a> and choose “Record award”.
    </>
  )
  const all: Table<AwardItem> = {
    ...{ name: 'awards', caption: 'Awards', columns: awardColumns(first, true), rows: items, empty },
  }
  const groups = GROUPS.map(({ title, states, ...group }) => ({
    count: sum(states.map((state) => counts[state])),
    table: {
      ...{ ...all, ...group, caption: title, columns: awardColumns(first, states.length > 1) },
      rows: items.filter(({ state }) => (states as readonly string[]).includes(state)),
    },
  })).filter(({ table }) => table.rows.length > 0)
  return {
    title: 'Awards',
    current: '/awards',
    tables: [all, ...groups.map(({ table }) => table)].map((table) => downloadOf(table)),
    body: (
      <>
        <div class="listhead">
          <h1>Awards</h1>
          <FilterForm query={query} choices={[{ name: 'channel', title: 'Channel', values: channels }]} />
        </div>
        <p class="lead">
          {total === 0
            ? 'What the desk decided to award.'
            : `${summaryText(counts, total)} Offers are accepted on the marketplace, not here.`}
          {total === MAX_AWARDS && ` Only the newest ${formatCount(MAX_AWARDS, 'award')} are listed.`}
        </p>
        {total === 0 && <div class="notice empty">{empty}</div>}
        {groups.map(({ table, count }, at) => (
          <section key={table.name}>
            <h2>
              {table.caption} <span class="muted">{count}</span>
            </h2>
            <TableView table={table} link={link} {...(at === groups.length - 1 && { pages })} />
          </section>
        ))}
      </>
    ),
  }
}

/** `3 awards: 1 waits for acceptance, 1 is accepted, 1 was withdrawn.` */
function summaryText({ waiting, differs, accepted, withdrawn }: AwardPage['counts'], total: number): string {
  const parts = [
    ...(waiting > 0 ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for acceptance`] : []),
    ...(differs > 0 ? [`${differs} ${differs === 1 ? 'differs' : 'differ'} from the marketplace`] : []),
    ...(accepted > 0 ? [`${accepted} ${accepted === 1 ? 'is' : 'are'} accepted`] : []),
    ...(withdrawn > 0 ? [`${withdrawn} ${withdrawn === 1 ? 'was' : 'were'} withdrawn`] : []),
  ]
  return `${formatCount(total, 'award')}: ${parts.join(', ')}.`
}

/** Which RFQ an award is of. */
function rfqColumns(showChannel: boolean): readonly Column<AwardItem>[] {
  return [
    {
      key: 'rfq',
      width: 'wide',
      title: 'RFQ',
      value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
      cell: ({ channel, rfqName, rfqNumber, rfqTitle, state }) => (
        <>
          <a href={(state === 'withdrawn' ? awardPath : rfqPath)(channel, rfqName)}>
            {plain([rfqNumber, rfqTitle].filter((part) => part !== null).join(' ') || rfqName)}
          </a>
          {showChannel && <div class="muted small">{channel}</div>}
        </>
      ),
    },
    { key: 'rfqTitle', fileOnly: true, title: 'Title', value: ({ rfqTitle }) => rfqTitle },
    { key: 'rfqId', fileOnly: true, title: 'RFQ id', value: ({ rfqId }) => rfqId },
    { key: 'channel', fileOnly: true, title: 'Channel', value: ({ channel }) => channel },
  ]
}
