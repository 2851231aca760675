import { formatCount } from '../../../core/text/number-format.js'
import type { AwardItem } from '../../../views/awards/award-list.js'
import { awardPath, rfqPath } from '../../../views/page-paths.js'
import { plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { type Column, parseSorting, sortRows, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { FilterForm } from '../lists/filter-form.js'
import { type PageContent, type PageRequest, readChannel, readPast, withAsOf } from '../page.js'
import { awardColumns } from './award-columns.js'

/** The newest awards that are listed. */
const MAX_AWARDS = 2_000

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
  const past = await readPast(page, { ...channel, kind: 'rfqs' })
  const first = rfqColumns(channels.length > 1, query.as_of)
  const columns = awardColumns(first, true)
  const sorting = parseSorting(query.sort, columns, suggest)
  const awards = await queries.awards({ ...channel, ...(past && { asOf: past.asOf }), now, limit: MAX_AWARDS })
  const rows = sortRows(awards, columns, sorting)
  const empty = (
    <>
      No award was recorded yet. Open <a href="/rfqs?state=open">an open RFQ</a> and choose “Record award”.
    </>
  )
  const all: Table<AwardItem> = { name: 'awards', caption: 'Awards', columns, rows, empty }
  const tables = GROUPS.map(({ name, title, states }) => ({
    ...all,
    ...{ name, caption: title, columns: awardColumns(first, states.length > 1) },
    rows: rows.filter(({ state }) => (states as readonly string[]).includes(state)),
  }))
  return {
    title: 'Awards',
    current: '/awards',
    past,
    tables: [all, ...tables].map((table) => downloadOf(table)),
    body: (
      <>
        <h1>Awards</h1>
        <p class="lead">
          {awards.length === 0
            ? 'What the desk decided to award.'
            : `${summaryText(awards)} Offers are accepted on the marketplace, not here.`}
          {awards.length === MAX_AWARDS && ` Only the newest ${formatCount(MAX_AWARDS, 'award')} are listed.`}
        </p>
        <FilterForm query={query} choices={[{ name: 'channel', title: 'Channel', values: channels }]} />
        {awards.length === 0 && <div class="notice empty">{empty}</div>}
        {tables
          .filter((table) => table.rows.length > 0)
          .map((table) => (
            <section key={table.name}>
              <h2>
                {table.caption} <span class="muted">{table.rows.length}</span>
              </h2>
              <TableView table={table} sorting={sorting} link={link} />
            </section>
          ))}
      </>
    ),
  }
}

/** `3 awards stand: 1 waits for acceptance, 1 differs from the marketplace, 1 is accepted. 1 was withdrawn.` */
function summaryText(awards: readonly AwardItem[]): string {
  const count = (state: AwardItem['state']) => awards.filter((award) => award.state === state).length
  const [waiting, differs, accepted, withdrawn] = (['waiting', 'differs', 'accepted', 'withdrawn'] as const).map(count)
  const parts = [
    ...(waiting ? [`${waiting} ${waiting === 1 ? 'waits' : 'wait'} for acceptance`] : []),
    ...(differs ? [`${differs} ${differs === 1 ? 'differs' : 'differ'} from the marketplace`] : []),
    ...(accepted ? [`${accepted} ${accepted === 1 ? 'is' : 'are'} accepted`] : []),
    ...(withdrawn ? [`${withdrawn} ${withdrawn === 1 ? 'was' : 'were'} withdrawn`] : []),
  ]
  return `${formatCount(awards.length, 'award')}: ${parts.join(', ')}.`
}

/** Which RFQ an award is of. */
function rfqColumns(showChannel: boolean, asOf: string | undefined): readonly Column<AwardItem>[] {
  return [
    {
      key: 'rfq',
      width: 'wide',
      title: 'RFQ',
      value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
      cell: ({ channel, rfqName, rfqNumber, rfqTitle, state }) => (
        <>
          <a href={state === 'withdrawn' ? awardPath(channel, rfqName) : withAsOf(rfqPath(channel, rfqName), asOf)}>
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
