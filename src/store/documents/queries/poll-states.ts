import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { isAddressable } from '../../../core/documents/identifier.js'
import type { PollStates, ResponsePollState, RfqPollState } from '../../contract.js'
import type { Dialect, Queries } from '../../sql/sql-database.js'
import { CURRENT_VERSION, sameDocument } from '../document-rows.js'
import { fromStoredText, toStoredText } from '../stored-text.js'

/** Queries the state by which a poll decides which documents to read again. */
export function createPollStates(queries: Queries): PollStates {
  const selectRfqStates = rfqStates(queries.dialect)
  const selectResponseStates = responseStates(queries.dialect)

  return {
    async rfqStates(channel) {
      const states: RfqPollState[] = []
      for (let after = ''; ; ) {
        const rows = await queries.all<RfqStateRow>(selectRfqStates, { channel, after })
        for (const row of rows) states.push(toRfqState(row))
        if (rows.length < RFQS_PER_STEP) return states
        after = rows.at(-1)?.id ?? ''
        await yieldToEventLoop()
      }
    },
    async responseStates(channel, rfqIds) {
      const ids = rfqIds.map(toStoredText)
      return (await queries.all<ResponseStateRow>(selectResponseStates, { channel, ids })).map(toResponseState)
    },
    async presentIds(channel, kind) {
      const rows = await queries.all<{ id: string }>(
        'select id from documents where channel = @channel and kind = @kind and missing_since is null',
        { channel, kind },
      )
      return rows.map((row) => fromStoredText(row.id))
    },
  }
}

/** RFQs read before yielding to the event loop after some milliseconds. */
const RFQS_PER_STEP = 300

const rfqStates = ({ listOf, joinOne, leftJoin }: Dialect) => `
select e.id, l.content_hash as entry_hash, case when e.read_run_id >= l.run_id then 1 else 0 end as entry_is_read, v.shape, e.state, e.full_read_at,
  coalesce(e.requested_at, case v.shape when 'full' then e.full_read_at end) as requested_at,
  e.missing_since, e.first_observed_at,
  e.text_hash,
  (select ${listOf('r.id')} from documents r
    ${joinOne('versions', 'w', `${sameDocument('w', 'r')} and w.version = r.version`)}
    where r.channel = e.channel and r.kind = 'response' and r.rfq_id = e.id and r.missing_since is null
      and (w.shape = 'summary' or r.requested_at > r.full_read_at)) as unread
from documents e
${joinOne('versions', 'v', CURRENT_VERSION)}
${leftJoin('documents', 'd', `d.channel = e.channel and d.kind = 'rfq-entry' and d.rfq_id = '' and d.id = e.id`)}
${leftJoin('versions', 'l', `${sameDocument('l', 'd')} and l.version = d.newest_version`)}
where e.channel = @channel and e.kind = 'rfq' and e.rfq_id = '' and e.id > @after
order by e.id limit ${RFQS_PER_STEP}`

interface RfqStateRow {
  id: string
  entry_hash: string | null
  entry_is_read: number
  shape: 'full' | 'list'
  state: string | null
  full_read_at: string | null
  requested_at: string | null
  missing_since: string | null
  first_observed_at: string
  text_hash: string | null
  /** JSON: ids of the responses that are known only by their summary, or whose last request failed. */
  unread: string
}
const toRfqState = (row: RfqStateRow): RfqPollState => ({
  id: fromStoredText(row.id),
  entryHash: row.entry_hash,
  isEntryRead: row.entry_is_read === 1,
  shape: row.shape,
  state: row.state,
  detailReadAt: row.shape === 'full' ? row.full_read_at : null,
  requestedAt: row.requested_at,
  incomplete: (JSON.parse(row.unread) as string[]).some((id) => isAddressable(fromStoredText(id))),
  missingSince: row.missing_since,
  firstObservedAt: row.first_observed_at,
  textHash: row.text_hash,
})

const responseStates = ({ anyOf }: Dialect) => `
select rfq_id, id, full_read_at, coalesce(requested_at, full_read_at) as requested_at,
  summary_hash, read_summary_hash,
  first_observed_at, missing_since, text_hash
from documents
where channel = @channel and kind = 'response' and ${anyOf('rfq_id', '@ids')}`

interface ResponseStateRow {
  rfq_id: string
  id: string
  full_read_at: string | null
  requested_at: string | null
  summary_hash: string | null
  read_summary_hash: string | null
  first_observed_at: string
  missing_since: string | null
  text_hash: string | null
}
const toResponseState = (row: ResponseStateRow): ResponsePollState => ({
  rfqId: fromStoredText(row.rfq_id),
  id: fromStoredText(row.id),
  readAt: row.full_read_at,
  requestedAt: row.requested_at,
  summaryHash: row.summary_hash,
  readSummaryHash: row.read_summary_hash,
  firstObservedAt: row.first_observed_at,
  missingSince: row.missing_since,
  textHash: row.text_hash,
})
