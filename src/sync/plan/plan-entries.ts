import { isAddressable } from '../../core/documents/identifier.js'
import type { Observation, RfqListItem } from '../../core/documents/observation.js'
import { createCalendar, endOfDate } from '../../core/time/expiry.js'
import { TimeSlice } from '../../core/time/time-slice.js'
import type { RfqPollState } from '../../store/contract.js'
import type { PollPlanning, PollRfqsOptions } from '../contract.js'
import type { RfqEntry } from '../list-entries.js'
import type { Poll } from '../poll.js'
import { loadResponses, type StoredResponses } from '../stored-responses.js'
import { isEntryRead, reasonToRead } from './read-reasons.js'
import { planRequests } from './request-plan.js'
import type { ListedRfq, PlannableRfq, PlannedRfq, RequestPlan } from './request-plan-model.js'

/** What a poll does with the entries of the list. */
export interface Selection {
  /** RFQs that cannot be read; recorded from their entry. */
  unreadable: RfqEntry[]
  /** RFQs to read, in this order. */
  toRead: RfqEntry[]
  /** RFQs that are not read, because nothing shows a change. */
  unchanged: RfqEntry[]
  /** RFQs that were never read and are left to the next poll; recorded from their entry. */
  listOnly: RfqEntry[]
  /** The responses to request of each RFQ; of an RFQ that is not here, all. */
  planned: ReadonlyMap<string, Pick<PlannedRfq, 'responses' | 'postponed'>>
  /** Requests reserved for responses whose summaries turn out to have changed. */
  left: number
  /** The stored responses that were loaded, by RFQ. */
  responses: ReadonlyMap<string, StoredResponses>
}

interface PlanningContext {
  known: ReadonlyMap<string, RfqPollState>
  options: Pick<PollRfqsOptions, 'recheckClosedHours'>
  planning: PollPlanning
}

/** Plans the requests of a scheduled poll (docs/POLLING.md), and counts the documents left to the next one. */
export async function planEntries(
  { context, run, progress }: Poll,
  entries: ReadonlyMap<string, RfqEntry>,
  { known, options: { recheckClosedHours }, planning }: PlanningContext,
): Promise<Selection> {
  const now = context.now()
  const rules = { full: false, recheckClosedHours, now }
  const listed = await plannableRfqs([...entries.values()], context.timeZone ?? 'UTC', (rfq) =>
    reasonToRead(rfq, known.get(rfq.id), rules),
  )
  const toPlan = listed.filter((rfq) => rfq.reasonToRead !== null)
  const sizes = toPlan.map(({ id, responseIds }) => ({ id, responses: responseIds?.length ?? 0 }))
  const responses = await loadResponses(context.store, run.channel, sizes)
  const plan = await planRequests({ listed, known, responses, now, planning })
  progress.requestRates = plan.rates
  progress.postponed += plan.postponed.reduce((sum, rfq) => sum + 1 + rfq.postponed.size, 0)
  return toSelection(plan, { entries, known, responses })
}

/** Whether an RFQ can be requested; others are recorded from their entry. */
export const isReadable = (entry: Pick<RfqEntry, 'id' | 'document'>): boolean =>
  entry.document !== null && isAddressable(entry.id)

/** The entries of a list that can be read, as planning needs them. */
async function plannableRfqs(
  entries: readonly (Observation<RfqListItem> & { entryHash?: string })[],
  timeZone: string,
  reasonOf: (rfq: ListedRfq) => string | null,
): Promise<PlannableRfq[]> {
  const calendar = createCalendar(timeZone)
  const ends = new Map<string, Date | null>()
  const dueAt = (date: string | null | undefined): Date | null => {
    if (date == null) return null
    const known = ends.get(date)
    if (known !== undefined) return known
    const end = endOfDate(date, calendar)
    ends.set(date, end)
    return end
  }
  const slice = new TimeSlice()
  const rfqs: PlannableRfq[] = []
  for (const entry of entries) {
    if (!isReadable(entry)) continue
    const { id, entryHash: hash = '', document } = entry
    const rfq = { id, hash, state: document?.state ?? null }
    rfqs.push({
      ...rfq,
      reasonToRead: reasonOf(rfq),
      responseIds: document?.responses?.map((response) => response.id) ?? null,
      dueAt: dueAt(document?.responseDueDate),
    })
    if (slice.isOver) await slice.next()
  }
  return rfqs
}

interface SelectionContext {
  entries: ReadonlyMap<string, RfqEntry>
  known: ReadonlyMap<string, RfqPollState>
  responses: ReadonlyMap<string, StoredResponses>
}

function toSelection(plan: RequestPlan, { entries, known, responses }: SelectionContext): Selection {
  const entriesOf = (ids: readonly string[]) => ids.flatMap((id) => entries.get(id) ?? [])
  const postponed = entriesOf(plan.postponed.map(({ id }) => id))
  const isRead = ({ id }: RfqEntry) => known.get(id)?.detailReadAt != null
  const isSame = (entry: RfqEntry) => {
    const rfq = known.get(entry.id)
    return rfq !== undefined && isEntryRead(rfq, entry.entryHash)
  }
  return {
    unreadable: [...entries.values()].filter((entry) => !isReadable(entry)),
    toRead: entriesOf(plan.reads.map(({ id }) => id)),
    unchanged: [...entriesOf(plan.unchanged), ...postponed.filter((entry) => isRead(entry) && isSame(entry))],
    listOnly: postponed.filter((entry) => !isRead(entry)),
    planned: new Map(plan.reads.map((rfq) => [rfq.id, rfq])),
    left: plan.unused,
    responses,
  }
}
