import { z } from 'zod'
import { DELIVERY_STATES } from '../../../core/events/deliveries.js'
import { EVENT_KINDS, type EventKind } from '../../../core/events/events.js'
import { CLOSE_OUTCOMES, REVISION_KINDS, RUN_KINDS, RUN_OUTCOMES } from '../../../core/records.js'
import { awardItem } from '../../../tables/awards/award-list.js'
import { changeEntry } from '../../../tables/changes/changes.js'
import { channelItem } from '../../../tables/channels/channels.js'
import { closing } from '../../../tables/closings/closings.js'
import { delivery, eventFeed, notificationTarget } from '../../../tables/events/events.js'
import { listingDetail, listingItem } from '../../../tables/listings/listings.js'
import { dataProblem } from '../../../tables/problems/problems.js'
import { run } from '../../../tables/runs/runs.js'
import { countedListOf, listOf } from '../../../tables/schema.js'
import { todayView } from '../../../tables/today/today-view.js'
import { defined } from '../../http/request-values.js'
import { readEndpoint } from '../endpoint.js'
import {
  asOf,
  channelFilter,
  idPaging,
  limit,
  listOfText,
  momentSince,
  oneOf,
  paging,
  rfqFilter,
  textPaging,
  wholeNumber,
  word,
} from '../parameters.js'
import { unknownName } from '../problem.js'
import { asOfText, channelOf, idPage, pageOf, pathChannel, rfqOf, sinceOf, wholeList } from './request.js'

/** From when `/today` tells changes, unless the request says so. */
const yesterday = (now: Date): Date => new Date(now.getTime() - 24 * 3_600_000)

const MAX_OFFSET = 1_000_000
/** A page of `/today`. */
const todayPage = todayView
  .extend({ nextCursor: z.int().nullable().describe('Pass it as `cursor` to get more `rfqs`; null on the last page.') })
  .meta({ id: 'TodayPage' })
export type TodayPage = z.infer<typeof todayPage>

export const listEndpoints = [
  readEndpoint({
    id: 'listChannels',
    path: '/channels',
    summary: 'List the configured channels, with how fresh they are',
    query: z.object({}),
    result: countedListOf(channelItem),
    async handle({ deps, at }) {
      return wholeList(await deps.views.channels(at.now))
    },
  }),
  readEndpoint({
    id: 'readToday',
    path: '/today',
    summary: 'What needs attention: one row for each RFQ, most urgent first; closings and the system apart',
    description: 'Pages are of `rfqs`; the rest is the same on each.',
    query: z.object({
      ...channelFilter,
      since: momentSince('What changed since; default 24 hours before'),
      due_within_days: wholeNumber(0, 366).default(7),
      cursor: wholeNumber(0, MAX_OFFSET).default(0).describe('`nextCursor` of the previous page.'),
      limit: limit.describe('RFQs on a page.'),
    }),
    result: todayPage,
    async handle(call) {
      const { since: text, due_within_days: dueWithinDays, cursor: from, limit } = call.query
      const to = from + limit
      const since = sinceOf(call, 'since', text) ?? yesterday(call.at.now)
      const options = { now: call.at.now, since, dueWithinDays, page: { from, to }, ...channelOf(call) }
      const found = await call.deps.views.today(options)
      return { ...found, nextCursor: to < found.totalRfqs ? to : null }
    },
  }),
  readEndpoint({
    id: 'listAllAwards',
    path: '/awards',
    summary: 'List the awards that the desk recorded, newest first, with what the marketplace shows of them',
    query: z.object({ ...channelFilter, ...idPaging }),
    result: listOf(awardItem),
    async handle(call) {
      const { cursor, limit } = call.query
      const query = { ...channelOf(call), ...defined({ before: cursor }), limit, now: call.at.now }
      return idPage(await call.deps.views.awards(query), limit)
    },
  }),
  readEndpoint({
    id: 'listListings',
    path: '/listings',
    summary: 'List project listings',
    query: z.object({
      ...channelFilter,
      changed_since: momentSince('Listings that changed since'),
      ...asOf,
      ...paging,
    }),
    result: countedListOf(listingItem),
    reads: 'listings',
    async handle(call) {
      const { changed_since, ...page } = call.query
      const changedSince = sinceOf(call, 'changed_since', changed_since)
      const filter = { ...channelOf(call), ...defined({ asOf: call.at.asOf, changedSince }) }
      return pageOf(await call.deps.views.listings(filter), ({ channel, id }) => `${channel}\t${id}`, page, call.at)
    },
  }),
  readEndpoint({
    id: 'readListing',
    path: '/listings/{org}/{channel}/{listing}',
    summary: 'Read one project listing',
    query: z.object(asOf),
    result: listingDetail,
    reads: 'listings',
    problems: [404],
    async handle(call) {
      const channel = pathChannel(call)
      const id = call.path.listing ?? ''
      const found = await call.deps.views.listing({ ...defined({ asOf: call.at.asOf }), channel, id })
      if (found === null) throw unknownName('listing', id, [], ` in ${channel}`)
      return found
    },
  }),
  readEndpoint({
    id: 'listChanges',
    path: '/changes',
    summary: 'List what changed in all RFQs and their offers, recommendations and awards, newest first',
    query: z.object({
      ...channelFilter,
      ...rfqFilter,
      kind: oneOf(REVISION_KINDS).optional().describe('Only entries with this `entity`.'),
      since: momentSince(
        'Only what was observed after this moment, and without `as_of` also what was committed after something of it',
      ),
      ...asOf,
      ...textPaging,
    }),
    result: listOf(changeEntry),
    problems: [404, 409],
    async handle(call) {
      const { kind, since, cursor, limit } = call.query
      const { entries, nextCursor } = await call.deps.views.changes({
        ...(await rfqOf(call)),
        ...defined({ asOf: call.at.asOf, after: sinceOf(call, 'since', since), before: cursor }),
        ...(kind && { kinds: [kind] }),
        limit,
      })
      return { asOf: asOfText(call.at), items: entries, nextCursor }
    },
  }),
  readEndpoint({
    id: 'listClosings',
    path: '/closings',
    summary: 'List closings: closing decisions with their evidence, newest first',
    query: z.object({
      ...channelFilter,
      ...rfqFilter,
      outcome: oneOf(CLOSE_OUTCOMES).optional(),
      ...asOf,
      ...idPaging,
    }),
    result: listOf(closing),
    problems: [404, 409],
    async handle(call) {
      const { outcome, cursor, limit } = call.query
      const items = await call.deps.views.closings({
        ...(await rfqOf(call)),
        ...defined({ asOf: call.at.asOf, outcome, before: cursor }),
        limit,
      })
      return idPage(items, limit, call.at)
    },
  }),
  readEndpoint({
    id: 'listRuns',
    path: '/runs',
    summary: 'List polls and closing rounds, newest first',
    query: z.object({
      ...channelFilter,
      kind: oneOf(RUN_KINDS).optional(),
      outcome: oneOf(RUN_OUTCOMES).optional(),
      ...idPaging,
    }),
    result: listOf(run),
    async handle(call) {
      const { kind, outcome, cursor, limit } = call.query
      const items = await call.deps.views.runs({
        ...channelOf(call),
        ...defined({ kind, outcome, before: cursor }),
        limit,
      })
      return idPage(items, limit)
    },
  }),
  readEndpoint({
    id: 'listProblems',
    path: '/problems',
    summary: 'List deviations of documents from the API description of the marketplace, newest first',
    query: z.object({ ...channelFilter, ...paging }),
    result: countedListOf(dataProblem),
    async handle(call) {
      const keyOf = (each: z.infer<typeof dataProblem>) =>
        JSON.stringify([each.channel, each.kind, each.entityId, each.path, each.code])
      return pageOf(await call.deps.views.problems(channelOf(call)), keyOf, call.query)
    },
  }),
  readEndpoint({
    id: 'listEvents',
    path: '/events',
    summary: 'Follow what was observed and decided: all events in the order in which they were committed',
    description: 'Nothing is missing but what was pruned. Ask again with `next` as `after` to go on.',
    query: z.object({
      after: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0).describe('Only events after this sequence.'),
      kinds: listOfText(Object.keys(EVENT_KINDS) as EventKind[])
        .optional()
        .describe('Kinds, with commas between them.'),
      limit,
    }),
    result: eventFeed,
    handle({ query: { after, kinds, limit }, deps }) {
      return deps.views.events({ after, limit, ...defined({ kinds }) })
    },
  }),
  readEndpoint({
    id: 'listDeliveries',
    path: '/notifications',
    summary: 'List notifications, each for one target, newest first',
    query: z.object({
      state: oneOf(DELIVERY_STATES).optional(),
      target: word.optional().describe('Only those for this target.'),
      ...idPaging,
    }),
    result: listOf(delivery),
    quotesErrors: true,
    async handle(call) {
      const { state, target, cursor, limit } = call.query
      const items = await call.deps.views.deliveries({
        states: state === undefined ? DELIVERY_STATES : [state],
        ...defined({ target, before: cursor }),
        limit,
        order: 'newest-first',
      })
      return idPage(items, limit)
    },
  }),
  readEndpoint({
    id: 'listNotificationTargets',
    path: '/notifications/targets',
    summary: 'List the targets of notifications, with what waits for them and what was given up',
    query: z.object({}),
    result: countedListOf(notificationTarget),
    quotesErrors: true,
    async handle({ deps }) {
      return wholeList(await deps.views.targetStates())
    },
  }),
]
