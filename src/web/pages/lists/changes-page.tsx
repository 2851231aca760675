import { nameById } from '../../../core/text/rfq-name.js'
import type { ChangeEntry } from '../../../views/changes/changes.js'
import { rfqPath } from '../../../views/page-paths.js'
import { momentColumn } from '../../components/columns.js'
import { Moment, plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import { defined } from '../../http/request-values.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { type PageContent, type PageRequest, readChannel, readMoment, requireFound, withAsOf } from '../page.js'
import { FilterForm } from './filter-form.js'

const PAGE_ENTRIES = 100

/** `/changes`: what changed in RFQs and offers, newest first. */
export async function changesPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, link, suggest, channels } = page
  const after = readMoment(page, 'since', 'start')
  parseSorting(query.sort, [], suggest)
  const filter = { ...(await readChannel(page)), ...(await rfqOf(page)) }
  const { entries, nextCursor } = await queries
    .changes({ ...filter, ...defined({ after, before: query.before }), limit: PAGE_ENTRIES })
    .catch(refuseCursor)
  const table: Table<ChangeEntry> = {
    name: 'changes',
    caption: 'Changes, newest first',
    columns: COLUMNS,
    rows: entries,
    empty: <>Nothing changed in this period.</>,
  }
  return {
    title: 'Changes',
    current: '/changes',
    tables: [downloadOf(table)],
    body: (
      <>
        <h1>Changes</h1>
        <p class="lead">
          What changed in RFQs and their offers. A change happened between two polls: after the first time and before
          the second.
        </p>
        <FilterForm query={query} choices={[{ name: 'channel', title: 'Channel', values: channels }]} />
        <TableView table={table} link={link} />
        <p class="small noprint">
          <a href={query.channel ? `/changes.atom?channel=${encodeURIComponent(query.channel)}` : '/changes.atom'}>
            Follow in a feed reader (Atom)
          </a>
        </p>
        {nextCursor !== null && (
          <p class="noprint">
            <a class="button" href={link({ before: nextCursor })} rel="next">
              Earlier changes
            </a>
          </p>
        )}
      </>
    ),
  }
}

/**
 * The RFQ to filter by. Its channel can be left out if only one is configured.
 * @throws HttpError 400 without its channel, 404 if the channel has no such RFQ, 409 if it has several
 */
async function rfqOf({ query, queries, now, channels }: PageRequest) {
  const { rfq } = query
  if (rfq === undefined) return {}
  const [only, ...others] = channels
  const channel = query.channel ?? (others.length === 0 ? only : undefined)
  if (channel === undefined)
    throw new HttpError(400, `rfq needs channel too, because numbers repeat; channels: ${channels.join(', ')}`)
  const { id } = requireFound(await queries.findRfq({ channel, name: rfq, now }))
  return { channel, rfqId: id }
}

/** @throws HttpError 400 for a `before` that no page has linked to */
function refuseCursor(error: Error): never {
  if (error.name !== 'InvalidCursorError') throw error
  throw new HttpError(400, 'before is not the address of a page of changes; open /changes for the newest')
}

const COLUMNS: readonly Column<ChangeEntry>[] = [
  {
    key: 'seenBy',
    title: 'Seen (UTC)',
    value: ({ seenBy }) => seenBy,
    cell: ({ channel, rfqId, seenBy }) => (
      <a href={withAsOf(rfqPath(channel, nameById(rfqId)), seenBy)} title="The RFQ as of then">
        <Moment at={seenBy} />
      </a>
    ),
  },
  momentColumn('after', 'After (UTC)', ({ after }) => after),
  { key: 'channel', fileOnly: true, title: 'Channel', value: ({ channel }) => channel },
  {
    key: 'rfq',
    width: 'wide',
    title: 'RFQ, channel',
    value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId,
    cell: ({ channel, rfqNumber, rfqId, rfqTitle }) => (
      <>
        <a href={rfqPath(channel, nameById(rfqId))}>{plain(`${rfqNumber ?? rfqId} ${rfqTitle ?? ''}`)}</a>
        <div class="muted small">{channel}</div>
      </>
    ),
  },
  { key: 'of', title: 'Of', value: ({ label }) => label },
  {
    key: 'changes',
    title: 'What changed',
    width: 'wide',
    value: ({ messages }) => messages.join(' '),
    cell: ({ messages, label }) => (
      <ul class="plain">
        {messages.slice(0, MAX_MESSAGES).map((one) => (
          <li>{plain(one.startsWith(`${label}: `) ? one.slice(label.length + 2) : one)}</li>
        ))}
        {messages.length > MAX_MESSAGES && <li class="muted">{`and ${messages.length - MAX_MESSAGES} more`}</li>}
      </ul>
    ),
  },
]

/** Changes of one document that are listed on the page; the file has all. */
const MAX_MESSAGES = 8
