import { createFindClockSkewBlock, createFindClosingBlocker } from '../closing/closing-blockers.js'
import type { Config } from '../config/contract.js'
import type { RfqWithResponses, Version } from '../core/records.js'
import { withListMessage } from '../core/sources/source-text.js'
import { createPollChecks } from '../readiness/poll-freshness.js'
import type { Monitoring, Reader } from '../store/contract.js'
import { databaseName } from '../store/open-database.js'
import { VERSION } from '../version.js'
import type { ApiMoment, ApiQueries, Lookup, NamedRfq, RfqFilter } from './api-contract.js'
import { changeFeed } from './changes/change-feed.js'
import { createRulesLookup } from './channels/channel-rules.js'
import { createIncompleteAt } from './complete-polls.js'
import { takePage } from './cursor.js'
import { listingRow, rfqRow } from './document-rows.js'
import { findRfq } from './find-rfq.js'
import { offerChanges } from './offer/offer-detail.js'
import { offerItems } from './offer/offer-items.js'
import { buildRfqView } from './rfq/build-rfq-view.js'
import type { RfqList, RfqListRow } from './rfqs/rfq-list.js'
import { sortRfqs } from './rfqs/rfq-search.js'
import { today } from './today/today.js'

/** The part of the configuration that the API uses; contains no secret, so that it can be sent to a thread. */
export type ApiConfig = Pick<Config, 'file' | 'database' | 'schedule' | 'scheduleTimeZone' | 'requests' | 'reports'> & {
  closing: Pick<Config['closing'], 'enabled' | 'maxPerRun'>
  channels: Omit<Config['channels'][number], 'apiKey'>[]
}

export const apiConfigOf = ({ channels, closing, ...config }: Config): ApiConfig => ({
  channels: channels.map(({ apiKey: _secret, ...channel }) => channel),
  closing: { enabled: closing.enabled, maxPerRun: closing.maxPerRun },
  file: config.file,
  // A URL without its password.
  database: databaseName(config.database),
  schedule: config.schedule,
  scheduleTimeZone: config.scheduleTimeZone,
  requests: config.requests,
  reports: config.reports,
})

/** The part of the store that the API reads. */
type ApiStore = Omit<Reader, 'close' | keyof Monitoring>

interface Source {
  store: ApiStore
  config: ApiConfig
  rfqs: RfqList
}

/** What the API answers, read from an open database. Keeps what it read of RFQs in memory. */
export function createApiQueries(source: Source): ApiQueries {
  const { store, config, rfqs } = source
  const { channels } = config
  const pollChecks = createPollChecks(config, store)
  const findClosingBlocker = createFindClosingBlocker(config, store)
  const findClockSkewBlock = createFindClockSkewBlock(store)
  return {
    async channels(now) {
      const checks = await pollChecks(now)
      const rows = await rfqs.rows({ now })
      return channels.map(({ key: channel, autoClose, timeZone, graceHours }) => ({
        ...{ channel, autoClose, timeZone, graceHours },
        polls: checks.filter((each) => each.channel === channel).map(({ channel: _channel, ...check }) => check),
        rfqs: countRfqs(rows.filter((row) => row.channel === channel && row.missingSince === null)),
      }))
    },
    incompleteAt: createIncompleteAt(store, channels),
    firstPollAt: (filter) => store.firstPollAt(filter),
    async states(now) {
      return [...new Set((await rfqs.rows({ now })).flatMap(({ state }) => state ?? []))]
    },
    async rfqs({ cursor, limit, figures, listedNow, ...filter }) {
      const moment = momentOf(filter)
      const rows = await rfqs.rows({ ...moment, ...(filter.channel !== undefined && { channel: filter.channel }) })
      const found = rows.filter(matches(filter))
      const sort = sortOf(filter.sort)
      const matching = sort === null ? found : await sortRfqs(found, sort, rfqs, moment)
      const page = takePage(matching, keyOf, { cursor, limit })
      const listed = listedBy(listedNow && filter.asOf !== undefined ? await currentRows(rfqs, filter) : rows)
      const known = figures ? await rfqs.figures(page.items, moment) : []
      return {
        ...page,
        // Further pages are as of the moment of the first one, when it is not known when an RFQ was last read.
        items: page.items.map(({ readAt: _readAt, names: _names, ...row }, at) => ({
          ...row,
          listed: withListMessage(listed.get(keyOf(row)) ?? null),
          ...(known[at] && { figures: known[at] }),
        })),
      }
    },
    rfq: (name) =>
      withRfq(source, name, async (found) => {
        return { ...rfqRow(found), ...bodyOf(found.rfq) }
      }),
    async findRfq({ channel, name, asOf }) {
      const configured = channel === undefined ? { channels: channels.map(({ key }) => key) } : { channel }
      const lookup = await findRfq(store, { ...configured, name, asOf, withoutResponses: true })
      return 'problem' in lookup ? lookup : { found: { channel: lookup.found.rfq.channel, id: lookup.found.rfq.id } }
    },
    offers: (name) =>
      withRfq(source, name, async (found) =>
        offerItems(await viewOf(source, name, found.rfq.id), found).sort((a, b) => a.number - b.number),
      ),
    offer: (name) =>
      withRfq(source, name, async (found) => {
        const { rfq, responses } = found
        const response = responses.find(({ id }) => id === name.offer)
        const items = offerItems(await viewOf(source, name, rfq.id), found)
        const item = items.find(({ id }) => id === name.offer)
        if (response === undefined || item === undefined) return null
        const history = await store.rfqHistory(name.channel, rfq.id, name.asOf)
        const known = history.filter(({ kind, id }) => kind === 'response' && id === name.offer)
        const changesOf = offerChanges(known, item.label, (name.asOf ?? name.now).toISOString())
        const versions = known.map((each) => {
          const { version, contentHash, notBefore, observedAt, supersededAt, valid } = each
          const changes = changesOf(each)
          return { version, contentHash, notBefore, observedAt, supersededAt, valid, changes, ...bodyOf(each) }
        })
        return { ...item, ...bodyOf(response), versions }
      }),
    comparison: (name) => withRfq(source, name, ({ rfq }) => viewOf(source, name, rfq.id)),
    async listings({ cursor, limit, channel, ...moment }) {
      const found = await store.listings({ ...(channel !== undefined && { channel }), ...asOfFilter(moment) })
      return takePage(found.map(listingRow), (row) => `${row.channel}\t${row.id}`, { cursor, limit })
    },
    async listing({ channel, id, ...moment }) {
      const [found] = await store.listings({ channel, ids: [id], ...asOfFilter(moment) })
      return found === undefined ? null : { ...listingRow(found), ...bodyOf(found) }
    },
    changes: (filter) => changeFeed(store, filter),
    closings: (filter) => store.decisions(filter),
    runs: (filter) => store.runs(filter),
    async problems({ cursor, limit, ...filter }) {
      const keyOf = (each: { channel: string; kind: string; entityId: string; path: string; code: string }) =>
        JSON.stringify([each.channel, each.kind, each.entityId, each.path, each.code])
      return takePage(await store.problems(filter), keyOf, { cursor, limit })
    },
    events: (filter) => store.events(filter),
    targetStates: () => store.targetStates(),
    deliveries: (filter) => store.deliveries(filter),
    awards: (name) =>
      withRfq(source, name, ({ rfq }) =>
        store.awards({ channel: name.channel, rfqId: rfq.id, ...(name.asOf && { asOf: name.asOf }) }),
      ),
    today: (options) =>
      today(
        {
          store,
          rfqs,
          channels,
          settings: config.reports.settings,
          pollChecks,
          findClosingBlocker,
          findClockSkewBlock,
        },
        options,
      ),
  }
}

const keyOf = ({ channel, id }: Pick<RfqListRow, 'channel' | 'id'>) => `${channel}\t${id}`

const currentRows = (list: RfqList, { now, channel }: ApiMoment & { channel?: string }): Promise<RfqListRow[]> =>
  list.rows({ now, ...(channel !== undefined && { channel }) })

const listedBy = (rows: readonly RfqListRow[]) => new Map(rows.map((row) => [keyOf(row), row.listed]))

const asOfFilter = ({ asOf }: Pick<ApiMoment, 'asOf'>) => (asOf === undefined ? {} : { asOf })
const momentOf = ({ now, asOf }: ApiMoment): ApiMoment => ({ now, ...(asOf && { asOf }) })

/** The parsed body, because what keeps every digit cannot be sent to another thread; and the text where that matters. */
const bodyOf = ({ body, bodyText, isLossy }: Version) => ({ body, bodyText: isLossy ? bodyText : null })

function countRfqs(rows: readonly RfqListRow[]) {
  const open = rows.filter(({ state }) => state === 'open').length
  const closed = rows.filter(({ state }) => state === 'closed').length
  return { open, closed, other: rows.length - open - closed, overdue: rows.filter(({ overdue }) => overdue).length }
}

function matches(filter: Omit<RfqFilter, 'figures' | 'sort' | 'listedNow'>): (row: RfqListRow) => boolean {
  const { state, search, dueBefore, dueAfter, overdue, missing, changedSince } = filter
  const text = search?.toLowerCase()
  const since = changedSince?.toISOString()
  return (row) => {
    const { responseDueDate: due } = row
    const names = [String(row.number ?? ''), row.reference ?? '', row.title ?? '']
    return (
      (state === undefined || row.state === state) &&
      (text === undefined || names.some((name) => name.toLowerCase().includes(text))) &&
      (dueBefore === undefined || (due !== null && due < dueBefore)) &&
      (dueAfter === undefined || (due !== null && due > dueAfter)) &&
      (overdue === undefined || row.overdue === overdue) &&
      (missing === undefined || (row.missingSince !== null) === missing) &&
      (since === undefined || row.changedAt > since)
    )
  }
}

/** By what RFQs are sorted. */
const SORT_KEYS = { number: 'number', due: 'due', changed: 'changedAt' } as const

/** Null for the order of the list. */
function sortOf(sort: RfqFilter['sort']) {
  if (sort === 'urgency') return null
  return { key: SORT_KEYS[sort.replace('-', '') as keyof typeof SORT_KEYS], descending: sort.startsWith('-') }
}

/** Reads an RFQ with its responses. */
async function withRfq<T>(
  { store }: Source,
  { channel, name, asOf }: NamedRfq,
  read: (found: RfqWithResponses) => Promise<T>,
): Promise<Lookup<T>> {
  const lookup = await findRfq(store, { channel, name, asOf })
  return 'problem' in lookup ? lookup : { found: await read(lookup.found) }
}

/** The comparison of the offers for an RFQ. @param at.settings default: those in force at the moment */
function viewOf({ config, store }: Source, at: Parameters<ApiQueries['comparison']>[0], rfqId: string) {
  const { channel, now, asOf = now, settings } = at
  return buildRfqView({
    store,
    config: { reports: { ...config.reports, ...(settings && { settings, settingsGiven: true }) } },
    channel: { key: channel, timeZone: createRulesLookup(config.channels)(channel).timeZone },
    asOf,
    now,
    version: VERSION,
    rfqId,
  })
}
