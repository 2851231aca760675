import { z } from 'zod'
import { DELIVERY_STATES } from '../../core/events/deliveries.js'
import { EVENT_KINDS, type EventKind } from '../../core/events/events.js'
import { CLOSE_OUTCOMES, DECISION_KINDS, RUN_KINDS, RUN_OUTCOMES, STOP_CODES } from '../../core/records.js'
import { channelKey, count, incomplete, nullableText, number, text, timestamp } from './common.js'

const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
/** What changed, and between which observations. */
const observedChange = {
  after: timestamp.nullable().describe('The last observation before the change.'),
  seenBy: timestamp.describe('The first observation after it.'),
  entity: z.enum(['rfq', 'offer', 'recommendation']),
  id: text,
  label: text,
  version: z.int().nullable(),
}

export const change = z
  .strictObject({
    ...observedChange,
    event: text,
    field: nullableText.describe('Path within the document.'),
    before: fieldValue,
    value: fieldValue,
    difference: number,
    unit: z.enum(['number', 'days']).nullable(),
    message: text,
  })
  .meta({ id: 'Change' })

export const changeEntry = z
  .strictObject({
    channel: channelKey,
    rfqId: text,
    rfqNumber: number,
    rfqTitle: nullableText,
    ...observedChange,
    changes: z.array(change),
    messages: z.array(text),
    cursor: text,
  })
  .meta({ id: 'ChangeEntry' })

export const closing = z
  .strictObject({
    id: z.int(),
    runId: z.int(),
    channel: channelKey,
    rfqId: text,
    rfqNumber: number,
    dueDate: nullableText,
    timeZone: text,
    decidedAt: timestamp,
    decision: z.enum(DECISION_KINDS),
    reason: text,
    outcome: z.enum(CLOSE_OUTCOMES).nullable(),
    httpStatus: z.int().nullable(),
    message: nullableText,
    versionBefore: z.int().nullable(),
    versionAfter: z.int().nullable(),
    evidence: z.record(z.string(), z.unknown()),
    previousHash: text,
    hash: text,
    approvedBy: nullableText,
    times: count.describe('How many rounds in a row came to this decision.'),
    repeatedUntil: timestamp.nullable(),
  })
  .meta({ id: 'Closing' })

export const run = z
  .strictObject({
    id: z.int(),
    channel: channelKey,
    kind: z.enum(RUN_KINDS),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    outcome: z.enum(RUN_OUTCOMES).nullable().describe('Null while it runs.'),
    requests: count,
    seen: count,
    inserted: count,
    changed: count,
    unchanged: count,
    missing: count,
    invalid: count,
    error: nullableText,
    cause: nullableText.describe('`error` without the RFQs that a closing round leaves to a person.'),
    stop: z
      .strictObject({
        code: z.enum(STOP_CODES),
        clocks: nullableText.describe('What the comparison of the clocks found, if that is why.'),
      })
      .nullable()
      .describe('Why a closing round closed nothing more; null if nothing stopped it.'),
    suspicious: z.boolean(),
    failedItems: count.nullable(),
    notBefore: timestamp.nullable(),
    times: count.describe('How many runs it stands for.'),
    postponed: count.describe('Documents left to the next poll, because the request budget was exceeded.'),
    requestRates: z
      .strictObject({ required: z.number(), allowed: z.number(), ageMinutes: z.number() })
      .nullable()
      .describe(
        'Requests per second that are needed so that nothing exceeds its maximum age, those that the limit allows, and how old documents become. Null if the run planned none.',
      ),
    futureStoredAt: timestamp
      .nullable()
      .describe(
        'The newest time that was stored on the channel when the run began, if the clock of its process was behind it by more than a minute.',
      ),
  })
  .meta({ id: 'Run' })

export const dataProblem = z
  .strictObject({
    channel: channelKey,
    kind: z.enum(['listing', 'rfq', 'response']),
    entityId: text,
    path: text,
    code: text,
    message: text,
    firstSeenAt: timestamp,
    lastSeenAt: timestamp,
    times: count,
  })
  .meta({ id: 'DataProblem' })

export const delivery = z
  .strictObject({
    id: z.int(),
    eventId: text,
    sequence: z.int().describe('Of the event.'),
    kind: text.describe('The kind of the event.'),
    channel: channelKey.nullable(),
    target: text,
    state: z.enum(DELIVERY_STATES).describe('`dead`: given up; `POST /notifications/retry` sends it again.'),
    attempts: count,
    createdAt: timestamp,
    attemptedAt: timestamp.nullable(),
    nextAt: timestamp.nullable().describe('Not sent before; null: at once.'),
    settledAt: timestamp.nullable().describe('When it was delivered, or given up.'),
    status: z.int().nullable().describe('HTTP or SMTP status of the newest attempt.'),
    error: nullableText.describe('What went wrong with the newest attempt.'),
  })
  .meta({ id: 'Delivery' })

export const event = z
  .strictObject({
    sequence: z.int().describe('In the order in which events were committed, without gaps; the same in webhooks.'),
    id: text,
    kind: z.enum(Object.keys(EVENT_KINDS) as [EventKind, ...EventKind[]]),
    at: timestamp.describe('When it was observed.'),
    channel: channelKey.nullable(),
    rfqId: nullableText,
    offerId: nullableText,
    version: z.int().nullable().describe('Of the offer, or otherwise of the RFQ: the version that it speaks of.'),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'Event' })

export const eventFeed = z
  .strictObject({
    items: z.array(event).describe('By `sequence`, ascending.'),
    next: z.int().describe('For `after`: what was committed since, also if this page has no items.'),
    beginsAt: z.int().describe('From this sequence on, nothing was pruned: events before it may be missing.'),
  })
  .meta({ id: 'EventFeed' })

export const notificationTarget = z
  .strictObject({
    target: text,
    since: timestamp.describe('When the service was first started with it.'),
    failures: count.describe('Attempts in a row that failed because of the target.'),
    retryAt: timestamp.nullable(),
    succeededAt: timestamp.nullable(),
    error: nullableText,
    pending: count,
    dead: count,
  })
  .meta({ id: 'NotificationTarget' })

export const retriedDeliveries = z
  .strictObject({ ids: z.array(z.int()).describe('Deliveries that the service now sends again.') })
  .meta({ id: 'RetriedDeliveries' })

export const todayModel = z
  .strictObject({
    asOf: timestamp,
    incomplete,
    since: timestamp,
    dueWithinDays: z.number(),
    items: z.array(
      z.strictObject({
        kind: text,
        severity: z.enum(['high', 'medium', 'low']),
        channel: channelKey,
        rfqId: nullableText,
        rfqNumber: number,
        rfqTitle: nullableText,
        dueDate: nullableText,
        rfqVersion: z.int().nullable().describe('The version of the RFQ that was current.'),
        rfqObservedAt: timestamp.nullable().describe('When that version was first observed.'),
        message: text,
        since: nullableText,
        action: z.strictObject({ message: text, command: text, path: text }),
      }),
    ),
  })
  .meta({ id: 'Today' })

export const acceptedJob = z
  .strictObject({ job: text, href: text.describe('Answers the status of the job.') })
  .meta({ id: 'AcceptedJob' })

export const jobStatus = z
  .strictObject({
    job: text,
    name: text,
    channel: channelKey,
    rfqId: nullableText,
    asOf: timestamp.nullable().describe('Of a report: the moment it is about; null: when it is made.'),
    format: nullableText.describe('Of a report, if it is not a workbook.'),
    state: z.enum(['waiting', 'active', 'completed', 'failed']),
    addedAt: timestamp,
    finishedAt: timestamp.nullable(),
    error: nullableText.describe('Why it failed.'),
    report: nullableText.describe('The file that was written, below `reports.directory`.'),
    reportHref: nullableText.describe('Downloads it.'),
  })
  .meta({ id: 'Job' })

/** The status of a job, and whose work it is. */
export type JobStatusView = z.input<typeof jobStatus>
