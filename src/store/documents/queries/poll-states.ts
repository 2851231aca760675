import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { Timestamp } from '../../../core/time/clock.js'
import type { Dialect, Queries } from '../../sql/sql-database.js'
import { sameDocument } from '../document-rows.js'

/** The stored state by which a poll decides whether to read a document again. */
export interface PollState {
  id: string
  /** When the document itself was last read; null if only its list entry or summary is known. */
  readAt: Timestamp | null
  /** When it was last requested, even if the request failed. */
  requestedAt: Timestamp | null
  firstObservedAt: Timestamp
  missingSince: Timestamp | null
  /** Hash of the text last received; another one if it must be parsed again, because of problems. */
  textHash: string | null
}

export interface RfqPollState extends PollState {
  /** Whether the RFQ itself was read since its newest list entry was recorded. */
  isEntryRead: 0 | 1
  state: string | null
  /** Whether some response is known only by its summary, or its last request failed, and it can be requested. */
  incomplete: 0 | 1
}

export interface ResponsePollState extends PollState {
  rfqId: string
  /** The hash of its summary as of its last request; null if none was made, or the summary has changed since. */
  summaryHash: string | null
}

/** Queries the state by which a poll decides which documents to read again. */
export function createPollStates(queries: Queries) {
  const selectResponseStates = responseStates(queries.dialect)

  return {
    /** All RFQs of the channel. */
    async rfqStates(channel: string): Promise<RfqPollState[]> {
      const states: RfqPollState[] = []
      for (let after = ''; ; ) {
        const rows = await queries.all<RfqPollState>(SELECT_RFQ_STATES, { channel, after })
        states.push(...rows)
        if (rows.length < RFQS_PER_STEP) return states
        after = rows.at(-1)?.id ?? ''
        await yieldToEventLoop()
      }
    },

    /** The responses of some RFQs. */
    responseStates: (channel: string, rfqIds: readonly string[]) =>
      queries.all<ResponsePollState>(selectResponseStates, { channel, ids: rfqIds }),

    /** The text of the newest list entry of an RFQ; of several that differ, the array of them. Null if the newest list does not have it. */
    async listEntry(channel: string, id: string): Promise<string | null> {
      const row = await queries.get<{ text: string | null }>(selectListEntry(queries.dialect), { channel, id })
      return row?.text ?? null
    },

    /** The documents that a list had, with the hash of the newest text; null if it does not have them now. */
    listedDocuments: (channel: string, kind: 'listing' | 'rfq-entry') =>
      queries.all<{ id: string; textHash: string | null }>(
        `select id, case when missing_since is null then coalesce(text_hash, '') end as "textHash" from documents
        where channel = @channel and kind = @kind`,
        { channel, kind },
      ),
  }
}

/** RFQs read before yielding to the event loop after some milliseconds. */
const RFQS_PER_STEP = 300

const STATE = `e.full_read_at as "readAt", e.requested_at as "requestedAt", e.first_observed_at as "firstObservedAt",
  e.missing_since as "missingSince", e.text_hash as "textHash"`

/** A response that cannot be requested (`isAddressable`) never becomes complete. */
const SELECT_RFQ_STATES = `
select e.id, e.entry_read as "isEntryRead", e.state, ${STATE},
  case when exists (select 1 from documents r
    where r.channel = e.channel and r.kind = 'response' and r.rfq_id = e.id and r.missing_since is null
      and r.id not in ('.', '..') and (r.full_read_at is null or r.requested_at > r.full_read_at)) then 1 else 0 end as incomplete
from documents e
where e.channel = @channel and e.kind = 'rfq' and e.rfq_id = '' and e.id > @after
order by e.id limit ${RFQS_PER_STEP}`

const selectListEntry = ({ joinOne }: Dialect) => `
select coalesce(e.latest_body, n.body) as text from documents e
${joinOne('versions', 'n', `${sameDocument('n', 'e')} and n.version = e.newest_version`)}
where e.channel = @channel and e.kind = 'rfq-entry' and e.rfq_id = '' and e.id = @id`

const responseStates = ({ anyOf }: Dialect) => `
select e.id, e.rfq_id as "rfqId", e.summary_hash as "summaryHash", ${STATE}
from documents e
where e.channel = @channel and e.kind = 'response' and ${anyOf('e.rfq_id', '@ids')}`
