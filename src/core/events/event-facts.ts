import { asResponse, type Change, type ReadBody } from '../changes/compare-documents.js'
import { describeChanges } from '../changes/describe-changes.js'
import { parseDocument } from '../documents/observation.js'
import { truncate } from '../text/clean-text.js'
import type { Timestamp } from '../time/clock.js'
import type { EventData, EventOffer, EventRfq, FieldChange } from './events.js'

/** Longer text of the marketplace is cut in events. */
const MAX_TEXT = 200
/** Changed fields, and sentences, in an event. */
const MAX_CHANGES = 10

/** What events say of an RFQ. Never throws. */
export function eventRfq(id: string, { body }: ReadBody): EventRfq {
  const { document } = parseDocument('rfq', body)
  const { number = null, reference = null, title = null, state = null, responseDueDate = null } = document ?? {}
  return { id, ...cutTexts({ number, reference, title, state, responseDueDate }) }
}

/** What events say of an offer. Never throws. */
export function eventOffer(id: string, read: ReadBody): EventOffer {
  const { document } = parseDocument('response', asResponse(read))
  const { projectDeveloperName = null, projectName = null, status = null, submittedAt = null, offer } = document ?? {}
  const { contractType = null, currency = null, totalVolume = null, totalPrice = null } = offer ?? {}
  return {
    id,
    ...cutTexts({ projectDeveloperName, projectName, status, contractType, currency }),
    ...cutTexts({ totalVolume, totalPrice, submittedAt }),
  }
}

/**
 * The first fields that changed between two versions of the same shape, and the first sentences about all.
 * @param isClosedByUs Quotekeeper closed the RFQ
 */
export const changeData = (
  [before, after]: readonly [ReadBody, ReadBody],
  changes: readonly Change[],
  observedAt: Timestamp,
  isClosedByUs: boolean,
): Pick<EventData, 'changes' | 'messages'> => ({
  changes: changes
    .slice(0, MAX_CHANGES)
    .map(({ field, before: old, after: now }) => cutTexts({ field, before: flat(old), after: flat(now) })),
  messages: describeChanges(before, after, observedAt, isClosedByUs).slice(0, MAX_CHANGES),
})

const flat = (value: unknown) =>
  (typeof value === 'object' && value !== null ? JSON.stringify(value) : value) as FieldChange['before']

const cutTexts = <T extends object>(facts: T): T =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, typeof value === 'string' ? truncate(value, MAX_TEXT) : value]),
  ) as T
