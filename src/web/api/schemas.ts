import { z } from 'zod'

/*
 * The bodies of responses. The OpenAPI document is made from these schemas, and the tests validate every response against
 * them. A member is only added, never renamed or removed.
 */

const timestamp = z.iso.datetime().describe('UTC, ISO 8601 with milliseconds.')
const text = z.string()
const nullableText = z.string().nullable()
const number = z.number().nullable()
const count = z.int().min(0)
const channelKey = z.string().describe('`org/slug`.')
const documentBody = {
  body: z.unknown().describe('The document as received, parsed, with fields that the API description lacks.'),
  bodyText: nullableText.describe('Its text, if parsing it loses something, such as digits of a number; else null.'),
}

export const RUN_KINDS = ['listings', 'rfqs', 'close'] as const
export const RUN_OUTCOMES = ['complete', 'partial', 'failed', 'interrupted'] as const
export const CLOSE_OUTCOMES = ['closed', 'already-closed', 'refused', 'failed', 'unknown'] as const

/** What Quotekeeper knows about a document besides its content. */
const observation = {
  version: z.int().min(1),
  notBefore: timestamp.nullable().describe('The last observation that still showed the version before it.'),
  observedAt: timestamp.describe('The first observation of this version.'),
  firstObservedAt: timestamp,
  lastObservedAt: timestamp.nullable().describe('Null as of a past moment.'),
  missingSince: timestamp.nullable(),
  valid: z.boolean().describe('Whether the document matches the API description.'),
}

export const apiChannel = z
  .strictObject({
    channel: channelKey,
    autoClose: z.enum(['on', 'dry-run', 'off']),
    timeZone: text,
    graceHours: z.number(),
    polls: z.array(
      z.strictObject({
        kind: z.enum(['listings', 'rfqs']),
        completeAt: timestamp.nullable(),
        ok: z.boolean().describe('Whether one completed within three intervals of the schedule.'),
        message: text,
      }),
    ),
    rfqs: z
      .strictObject({ open: count, closed: count, other: count, overdue: count })
      .describe('Without missing ones.'),
  })
  .meta({ id: 'Channel' })

const rfqTerms = {
  channel: channelKey,
  id: text,
  number,
  reference: nullableText,
  title: nullableText,
  state: nullableText.describe('`open`, `closed`, or what else the marketplace sent.'),
  responseDueDate: nullableText,
  fulfilmentDueDate: nullableText,
  minVolume: number,
  maxVolume: number,
  minUnitPrice: number,
  maxUnitPrice: number,
  currency: nullableText,
}

export const rfqFigures = z
  .strictObject({
    ranked: count.describe('Offers that can be ranked.'),
    meetRequirements: count.describe('Offers that meet all hard requirements.'),
    wanted: number.describe('Wanted tonnes.'),
    volume: z.number().describe('Tonnes of the ranked offers.'),
    coverage: number.describe('The share of the wanted volume that they cover, at most 1.'),
    currency: nullableText,
    bestPricePerTonne: number,
    bestPriceOffer: nullableText,
    award: z
      .strictObject({
        status: z.enum(['award', 'partial', 'none', 'no-target', 'no-offers']),
        offers: z.array(z.string()).describe('Labels of the awarded offers.'),
        tonnes: z.number(),
        pricePerTonne: number,
      })
      .nullable()
      .describe('The recommended award; null if the award rule depends on scores: see the comparison.'),
  })
  .meta({ id: 'RfqFigures' })

export const rfqItem = z
  .strictObject({
    ...rfqTerms,
    name: text.describe('What to call it in paths and commands.'),
    daysToDue: z.int().nullable().describe('Negative after the due date. Counted in the time zone of the channel.'),
    overdue: z.boolean().describe('Open, past due and past the grace period.'),
    offers: count.describe('Offers that are not missing.'),
    changedAt: timestamp,
    missingSince: timestamp.nullable(),
    valid: z.boolean(),
    version: z.int().min(1),
    figures: rfqFigures.optional().describe('Only with `figures=true`.'),
  })
  .meta({ id: 'RfqItem' })

export const rfqDetail = z
  .strictObject({ ...rfqTerms, closedAt: nullableText, offers: count, ...observation, ...documentBody })
  .meta({ id: 'Rfq' })

const offerTerms = {
  channel: channelKey,
  rfqId: text,
  id: text,
  late: z.boolean().nullable().describe('Submitted after the response due date.'),
  listingId: nullableText,
  projectDeveloperName: nullableText,
  projectName: nullableText,
  status: nullableText,
  submittedAt: nullableText,
  contractType: nullableText,
  currency: nullableText,
  totalVolume: number,
  totalPrice: number,
  pricePerTonne: number,
  priceBasis: z.enum(['lines', 'stated']).nullable().describe('What the price per tonne is derived from.'),
  expiryDate: nullableText,
  deliveries: count.nullable(),
  prePayments: count.nullable(),
  ...observation,
}
export const offerItem = z.strictObject(offerTerms).meta({ id: 'OfferItem' })

export const offerDetail = z
  .strictObject({
    ...offerTerms,
    ...documentBody,
    versions: z.array(
      z.strictObject({
        version: z.int().min(1),
        contentHash: text,
        notBefore: timestamp.nullable(),
        observedAt: timestamp,
        supersededAt: timestamp.nullable(),
        valid: z.boolean(),
        ...documentBody,
      }),
    ),
  })
  .meta({ id: 'Offer' })

const listingTerms = {
  channel: channelKey,
  id: text,
  projectName: nullableText,
  organizationName: nullableText,
  country: nullableText,
  registry: nullableText,
  registryId: nullableText,
  currency: nullableText,
  minUnitPrice: number,
  maxUnitPrice: number,
  totalAvailableVolume: number,
  ...observation,
}
export const listingItem = z.strictObject(listingTerms).meta({ id: 'ListingItem' })
export const listingDetail = z.strictObject({ ...listingTerms, ...documentBody }).meta({ id: 'Listing' })

const fieldValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
export const change = z
  .strictObject({
    after: timestamp.nullable().describe('The last observation before the change.'),
    seenBy: timestamp.describe('The first observation after it.'),
    entity: z.enum(['rfq', 'offer']),
    id: text,
    label: text,
    version: z.int().nullable(),
    event: text,
    field: nullableText.describe('Path within the document.'),
    before: fieldValue,
    value: fieldValue,
    difference: number,
    unit: z.enum(['number', 'days']).nullable(),
    words: text,
  })
  .meta({ id: 'Change' })

export const changeEntry = z
  .strictObject({
    channel: channelKey,
    rfqId: text,
    rfqNumber: number,
    rfqTitle: nullableText,
    entity: z.enum(['rfq', 'offer']),
    id: text,
    label: text,
    version: z.int().nullable(),
    after: timestamp.nullable(),
    seenBy: timestamp,
    changes: z.array(change),
    words: z.array(text),
    cursor: text,
  })
  .meta({ id: 'ChangeEntry' })

export const decision = z
  .strictObject({
    id: z.int(),
    runId: z.int(),
    channel: channelKey,
    rfqId: text,
    rfqNumber: number,
    dueDate: nullableText,
    timeZone: text,
    decidedAt: timestamp,
    decision: z.enum(['close', 'would-close', 'keep', 'held']),
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
  .meta({ id: 'Decision' })

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
    suspicious: z.boolean(),
    failedItems: count.nullable(),
    notBefore: timestamp.nullable(),
    times: count.describe('How many runs it stands for.'),
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

export const todayModel = z
  .strictObject({
    asOf: timestamp,
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
        words: text,
        since: nullableText,
        action: z.strictObject({ words: text, command: text, path: text }),
      }),
    ),
  })
  .meta({ id: 'Today' })

/** The parts of the comparison that other programs need most; docs/COMPARISON.md describes the rest. */
export const comparison = z
  .looseObject({
    schema: z.literal('quotekeeper.rfq-report/1'),
    context: z.looseObject({ channel: channelKey, timeZone: text, asOf: timestamp, generatedAt: timestamp }),
    settings: z.looseObject({}).describe('The settings it was computed with.'),
    currency: z.looseObject({ comparison: nullableText }),
    rfq: z.looseObject({ id: text, number }),
    summary: z.looseObject({}),
    decision: z.looseObject({}).describe('Whom to award, why, and what could change that.'),
    offers: z.array(z.looseObject({ id: text, rank: z.int().nullable() })).describe('Ranked offers first, by rank.'),
    awards: z.array(z.looseObject({})),
    awardsByWanted: z.array(z.looseObject({})),
    sensitivity: z.looseObject({}),
    changes: z.array(change),
    checks: z.looseObject({}),
    decisions: z.array(z.looseObject({})),
    problems: z.array(z.looseObject({})),
    about: z.looseObject({}),
  })
  .describe('As printed by `quotekeeper report --json`.')
  .meta({ id: 'Comparison' })

/** A list, and the cursor of its next page. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.strictObject({
    asOf: timestamp.nullable().describe('The moment of `as_of`; null for the current state.'),
    items: z.array(item),
    nextCursor: z.string().nullable().describe('For `cursor`; null on the last page.'),
  })
/** A list that is known as a whole. */
export const countedListOf = <Item extends z.ZodType>(item: Item) =>
  listOf(item).extend({ total: count.describe('Of all pages.') })

export const acceptedJob = z
  .strictObject({ job: text, href: text.describe('Answers what became of the job.') })
  .meta({ id: 'AcceptedJob' })

export const jobStatus = z
  .strictObject({
    job: text,
    name: text,
    channel: channelKey,
    rfqId: nullableText,
    state: z.enum(['waiting', 'active', 'completed', 'failed']),
    addedAt: timestamp,
    finishedAt: timestamp.nullable(),
    error: nullableText.describe('Why it failed.'),
    report: nullableText.describe('The file that was written, below `reports.directory`.'),
    reportHref: nullableText.describe('Downloads it.'),
  })
  .meta({ id: 'Job' })

export type ApiChannel = z.input<typeof apiChannel>
export type RfqDetail = z.input<typeof rfqDetail>
export type OfferItem = z.input<typeof offerItem>
export type OfferDetail = z.input<typeof offerDetail>
export type ListingItem = z.input<typeof listingItem>
export type ListingDetail = z.input<typeof listingDetail>
/** What became of a job, and whose work it was. */
export type JobStatusView = z.input<typeof jobStatus>
