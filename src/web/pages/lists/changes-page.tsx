import { REVISION_KINDS } from '../../../core/records.js'
import type { ChangeEntry } from '../../../tables/changes/changes.js'
import { ChangeList } from '../../components/change-list.js'
import { HttpError } from '../../http/errors.js'
import { defined } from '../../http/request-values.js'
import { type Column, parseSorting, type Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { type PageContent, type PageRequest, readChannel, readChoice, readMoment, requireFound } from '../page.js'
import { FilterForm } from './filter-form.js'

const PAGE_GROUPS = 20
const KINDS = { offer: 'offers', recommendation: 'recommendations', award: 'awards', rfq: 'RFQs' }
const MOMENTS = ['today', 'yesterday', '3 hours ago', '7 days ago', '30 days ago']

/** `/changes`: what changed in RFQs, offers, recommendations and awards, newest first. */
export async function changesPage(page: PageRequest): Promise<PageContent> {
  const { query, queries, link, suggest, channels } = page
  const after = readMoment(page, 'since', 'start')
  const kind = readChoice(page, 'kind', REVISION_KINDS)
  parseSorting(query.sort, [], suggest)
  const filter = { ...(await readChannel(page)), ...(await rfqOf(page)), ...(kind && { kinds: [kind] }) }
  const { groups, nextCursor } = await queries
    .changeGroups({ ...filter, ...defined({ after, before: query.before }), limit: PAGE_GROUPS })
    .catch(refuseCursor)
  const table: Table<ChangeEntry> = {
    name: 'changes',
    caption: 'Changes, newest first',
    columns: COLUMNS,
    rows: groups.flatMap(({ entries }) => entries),
    empty: null,
  }
  return {
    title: 'Changes',
    current: '/changes',
    tables: [downloadOf(table)],
    body: (
      <>
        <h1>Changes</h1>
        <p class="lead">Times are those of the poll that saw the change, and of the poll before it.</p>
        <FilterForm
          query={query}
          search={{ name: 'rfq', title: 'RFQ' }}
          choices={[
            { name: 'channel', title: 'Channel', values: channels },
            { name: 'kind', title: 'About', values: Object.entries(KINDS) },
          ]}
          moment={{ name: 'since', title: 'Since (a day or time, UTC)', suggestions: MOMENTS }}
        />
        {groups.length === 0 ? (
          <p class="notice">Nothing changed in this period. Clear a filter to see more.</p>
        ) : (
          <ChangeList groups={groups} />
        )}
        <div class="under noprint">
          {nextCursor === null ? (
            <span />
          ) : (
            <a class="button" href={link({ before: nextCursor })} rel="next">
              Earlier changes
            </a>
          )}
          <span>
            <a href={link({ format: 'csv', table: 'changes' })} aria-label="Download these changes as CSV">
              CSV
            </a>{' '}
            <a href={link({ format: 'json', table: 'changes' })} aria-label="Download these changes as JSON">
              JSON
            </a>
          </span>
        </div>
      </>
    ),
  }
}

/**
 * The RFQ to filter by. Its channel can be left out if only one has such an RFQ.
 * @throws HttpError 404 if there is no such RFQ, 409 if there are several
 */
async function rfqOf({ query, queries, now }: PageRequest) {
  const { rfq, channel } = query
  if (rfq === undefined) return {}
  const found = requireFound(await queries.findRfq({ ...(channel !== undefined && { channel }), name: rfq, now }))
  return { channel: found.channel, rfqId: found.id }
}

/** @throws HttpError 400 for a `before` that no page has linked to */
function refuseCursor(error: Error): never {
  if (error.name !== 'InvalidCursorError') throw error
  throw new HttpError(400, 'before is not the address of a page of changes; open /changes for the newest')
}

/** Of the files, which have a row for each RFQ, offer, recommendation or award. */
const COLUMNS: readonly Column<ChangeEntry>[] = [
  { key: 'observedAt', title: 'Seen', value: ({ observedAt }) => observedAt },
  { key: 'notBefore', title: 'After', value: ({ notBefore }) => notBefore },
  { key: 'channel', title: 'Channel', value: ({ channel }) => channel },
  { key: 'rfq', title: 'RFQ', value: ({ rfqNumber, rfqId }) => rfqNumber ?? rfqId },
  { key: 'of', title: 'Of', value: ({ label }) => label },
  { key: 'changes', title: 'What changed', value: ({ messages }) => messages.join(' ') },
]
