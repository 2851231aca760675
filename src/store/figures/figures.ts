import type { RfqClaim } from '../../core/decision/credit-claim.js'
import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import { settingsSchema } from '../../core/decision/settings.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import { createAwardQueries } from '../awards/award-rows.js'
import { createHistory } from '../documents/queries/history.js'
import { createPollStates } from '../documents/queries/poll-states.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { createRateQueries } from '../rates/exchange-rates.js'
import { type Holder, isGone } from '../runs/process-holder.js'
import { findMeta, setMeta } from '../sql/meta.js'
import { membersOf, type Queries, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import {
  type ComputedFigures,
  type FigureChanges,
  type FigureComputer,
  type FigureQueries,
  type FigureRow,
  type FigureSource,
  type Figures,
  type FigureWriter,
  SETTLED,
} from './figure-contract.js'
import { storeSettings } from './settings-rows.js'

/** A row of `recommendations` with its settings, with the names of members. */
type RecommendationRow = Omit<RecordedRecommendation, 'offers' | 'settings'> & { offers: string; settings: string }
const RECOMMENDATION = membersOf(
  ...[
    'channel',
    'rfqId',
    'at',
    'status',
    'offers',
    'tonnes',
    'cost',
    'pricePerTonne',
    'currency',
    'coverage',
    'bestPrice',
  ],
  ...['reason', 'settings'],
)

const toRecommendation = (row: RecommendationRow): RecordedRecommendation => ({
  ...row,
  offers: JSON.parse(row.offers) as RecordedRecommendation['offers'],
  settings: JSON.parse(row.settings) as unknown,
})

const createFigureQueries = (queries: Queries): FigureQueries => ({
  async newestRecommendations(channel, rfqIds) {
    const rows = await queries.all<RecommendationRow>(
      `select ${RECOMMENDATION} from recommendations join settings on hash = settings_hash
      where channel = @channel and superseded_at is null and ${queries.dialect.anyOf('rfq_id', '@ids')}`,
      { channel, ids: rfqIds },
    )
    return rows.map(toRecommendation)
  },
  async recordedSettings() {
    const text = await findMeta(queries, SETTINGS)
    return settingsSchema.safeParse(JSON.parse(text ?? 'null')).data ?? null
  },
  async creditClaims() {
    const rows = await queries.all<{ channel: string; rfq_id: string; number: number | null; claims: string }>(
      'select channel, rfq_id, number, claims from figures where claims is not null order by channel, number, rfq_id',
    )
    return rows.flatMap(({ channel, rfq_id: rfqId, number: rfqNumber, claims }) =>
      (JSON.parse(claims) as RfqClaim[]).map((claim) => ({ ...claim, channel, rfqId, rfqNumber })),
    )
  },
})

/** RFQs computed in one transaction of `refreshFigures`: some megabytes of documents in memory. */
const BATCH_SIZE = 20
/** The keys of `meta` with the settings of all figures, as canonical JSON, and the process that set them. */
const SETTINGS = 'figure_settings'
const SET_BY = 'figure_settings_by'

/**
 * Figures and recommendations.
 * @param computer null in a process that writes no figures
 * @param self holds the settings
 */
export function createFigures(
  database: SqlDatabase,
  { computer, self }: { computer: FigureComputer | null; self: Holder },
): Figures & FigureWriter {
  const own = computer && canonicalJson(computer.settings)
  /** The computer, if figures have the settings of this process; else null. */
  const computerIn = async (tx: Transaction) => ((await findMeta(tx, SETTINGS)) === own ? computer : null)
  /** RFQs that could not be computed, which are tried again when they change. */
  const failed = new Set<string>()
  const nameOf = (channel: string, id: string) => `${channel}\t${id}`

  /** Computes and writes rows. @returns the events */
  async function compute(
    tx: Transaction,
    by: FigureComputer,
    { channel, ids, now }: { channel: string; ids: readonly string[]; now: Date },
  ): Promise<EventDraft[]> {
    const source = sourceOf(tx)
    const basis = await by.basisOf(source, channel, now)
    const computed = await by.compute(source, { channel, ids }, basis, now)
    const written = new Set(computed.map(({ row }) => row.rfqId))
    const left = ids.filter((id) => !written.has(id))
    await outdate(tx, { channel, rfqs: new Set(left) })
    const settingsHash = await storeSettings(tx, basis.settings)
    for (const each of computed) await recordRecommendation(tx, each, settingsHash)
    await recordRows(tx, channel, computed)
    // At the end: an error of the database is not one of an RFQ.
    for (const id of written) failed.delete(nameOf(channel, id))
    for (const id of left) failed.add(nameOf(channel, id))
    return computed.flatMap(({ row: { rfqId, version }, recommendation }) => {
      const { at = '', event = null } = recommendation ?? {}
      return event === null ? [] : [{ kind: 'recommendation.changed', at, channel, rfqId, version, data: event }]
    })
  }

  return {
    ...createFigureQueries(database),

    outdateFigures: outdate,

    async writeFigures(tx, { channel, ids }, now) {
      if (ids.size === 0) return []
      await tx.lock('figures', channel)
      const by = await computerIn(tx)
      if (by !== null) return compute(tx, by, { channel, ids: [...ids], now })
      await outdate(tx, { channel, rfqs: ids })
      return []
    },

    claimFigures: (from) =>
      database.write(async (tx) => {
        await tx.lock('figures')
        if (own === null || (await computerIn(tx)) !== null) return null
        const holder = JSON.parse((await findMeta(tx, SET_BY)) ?? 'null') as Holder | null
        if (from === 'command' && holder !== null && !isGone(holder, self)) return holder.command ?? 'another process'
        await setMeta(tx, SETTINGS, own)
        await setMeta(tx, SET_BY, JSON.stringify(self))
        return null
      }),

    refreshFigures: (channel, now) =>
      database.write(async (tx) => {
        await tx.lock('figures', channel)
        const by = await computerIn(tx)
        if (by === null) return null
        const { key } = await by.basisOf(sourceOf(tx), channel, now)
        const rows = await tx.all<{ id: string }>(SELECT_OUTDATED, { channel, key, settled: SETTLED })
        const outdated = rows.map(({ id }) => id).filter((id) => !failed.has(nameOf(channel, id)))
        if (outdated.length === 0) return 0
        const ids = outdated.slice(0, BATCH_SIZE)
        await writeEvents(tx, await compute(tx, by, { channel, ids, now }))
        return outdated.length - ids.length
      }),
  }
}

/** What a transaction sees. */
const sourceOf = (tx: Transaction): FigureSource => ({
  ...createHistory(tx),
  ...createPollStates(tx),
  ...createAwardQueries(tx),
  ...createRateQueries(tx),
  ...createFigureQueries(tx),
})

const SELECT_OUTDATED = `select d.id from documents d
left join figures f on f.channel = d.channel and f.rfq_id = d.id
where d.channel = @channel and d.kind = 'rfq' and d.rfq_id = '' and (f.key is null or f.key not in (@key, @settled))
order by d.id`

/** Outdates rows, which lists show until they are written anew. */
async function outdate(tx: Transaction, { channel, rfqs, listings = new Set() }: FigureChanges): Promise<void> {
  const { anyOf } = tx.dialect
  const outdated = `update figures set key = '' where channel = @channel`
  if (rfqs.size > 0) await tx.run(`${outdated} and ${anyOf('rfq_id', '@ids')}`, { channel, ids: [...rfqs] })
  if (listings.size > 0)
    await tx.run(
      `${outdated} and key <> @settled
      and rfq_id in (select rfq_id from documents where channel = @channel and ${anyOf('listing_id', '@listings')})`,
      { channel, listings: [...listings], settled: SETTLED },
    )
}

async function recordRecommendation(
  tx: Transaction,
  { recommendation, row }: ComputedFigures,
  settingsHash: string,
): Promise<void> {
  if (recommendation === null) return
  const { at, status, tonnes, cost, pricePerTonne, currency, coverage, bestPrice } = recommendation
  const key = { channel: row.channel, rfqId: row.rfqId, at }
  await tx.run(
    `update recommendations set superseded_at = @at
    where channel = @channel and rfq_id = @rfqId and superseded_at is null`,
    key,
  )
  await tx.run(
    `insert into recommendations (channel, rfq_id, at, status, offers, tonnes, cost, price_per_tonne, currency, coverage,
      best_price, settings_hash, reason)
    values (@channel, @rfqId, @at, @status, @offers, @tonnes, @cost, @pricePerTonne, @currency, @coverage, @bestPrice,
      @settingsHash, @reason)`,
    {
      ...{ ...key, status, tonnes, cost, pricePerTonne, currency, coverage, bestPrice, settingsHash },
      offers: JSON.stringify(recommendation.offers),
      reason: recommendation.reason,
    },
  )
}

/** The columns of a row, and the members with their values. */
const COLUMNS = {
  ...{ channel: 'channel', rfq_id: 'rfqId', key: 'key', version: 'version', valid: 'valid', offers: 'presentOffers' },
  ...{ facts: 'facts', figures: 'figures', award: 'award', search: 'search', number: 'number', title: 'title' },
  ...{ offer_count: 'offers', recommended: 'recommended', wanted: 'wanted', coverage: 'coverage' },
  ...{ best_price: 'bestPricePerTonne', attention: 'attention', computed_at: 'computedAt' },
  ...{ award_status: 'awardStatus', stakes: 'stakes', claims: 'claims', price: 'price', total: 'total' },
} satisfies Record<string, keyof FigureRow>

async function recordRows(tx: Transaction, channel: string, computed: readonly ComputedFigures[]): Promise<void> {
  const ids = computed.map(({ row }) => row.rfqId)
  await tx.run(`delete from figures where channel = @channel and ${tx.dialect.anyOf('rfq_id', '@ids')}`, {
    channel,
    ids,
  })
  const rows = computed.map(({ row }) => ({
    ...{ ...row, valid: row.valid ? 1 : 0 },
  }))
  await tx.insertAll(
    'figures',
    Object.keys(COLUMNS),
    rows.map((row) => Object.fromEntries(Object.entries(COLUMNS).map(([column, member]) => [column, row[member]]))),
  )
}
