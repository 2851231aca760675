import type { RfqClaim } from '../../core/decision/credit-claim.js'
import type { RecordedRecommendation } from '../../core/decision/recommendation.js'
import { settingsSchema } from '../../core/decision/settings.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import type { EventWriter } from '../events/event-writer.js'
import { type Holder, mayBeAlive } from '../runs/process-holder.js'
import { deleteMeta, findMeta, setMeta } from '../sql/meta.js'
import { allOf, type Queries, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { MARK_RFQS } from './dirty-rfqs.js'
import type {
  ComputedRfq,
  LeaseReply,
  RecommendationQueries,
  Recommendations,
  RecorderLease,
} from './recommendation-contract.js'
import { recordRow } from './rfq-rows.js'
import { storeSettings } from './settings-rows.js'

interface RecommendationRow {
  channel: string
  rfq_id: string
  at: string
  status: string
  offers: string
  tonnes: number | null
  cost: number | null
  price_per_tonne: number | null
  currency: string | null
  coverage: number | null
  best_price: number | null
  settings: string
  reason: string | null
}

const toRecommendation = (row: RecommendationRow): RecordedRecommendation => ({
  channel: row.channel,
  rfqId: fromStoredText(row.rfq_id),
  at: row.at,
  status: row.status,
  offers: JSON.parse(row.offers) as RecordedRecommendation['offers'],
  tonnes: row.tonnes,
  cost: row.cost,
  pricePerTonne: row.price_per_tonne,
  currency: row.currency,
  coverage: row.coverage,
  bestPrice: row.best_price,
  settings: JSON.parse(row.settings) as unknown,
  reason: row.reason === null ? null : fromStoredText(row.reason),
})

/** Queries recorded recommendations. */
function createRecommendationQueries(queries: Queries): RecommendationQueries {
  return {
    async dirtyRfqs({ limit }) {
      const rows = await queries.all<{ channel: string; rfq_id: string; marks: number }>(
        `select channel, id as rfq_id, marks from documents where kind = 'rfq' and marks > 0
        order by channel, id limit @limit`,
        { limit },
      )
      return rows.map(({ channel, rfq_id, marks }) => ({ channel, rfqId: fromStoredText(rfq_id), marks }))
    },
    async newestRecommendations(channel, rfqIds) {
      const rows = await queries.all<RecommendationRow>(
        `select r.*, s.settings from recommendations r join settings s on s.hash = r.settings_hash
        where r.channel = @channel and r.superseded_at is null and ${queries.dialect.anyOf('r.rfq_id', '@ids')}`,
        { channel, ids: rfqIds.map(toStoredText) },
      )
      return rows.map(toRecommendation)
    },
    async recordedSettings() {
      const recorded = JSON.parse((await findMeta(queries, COMPARISON)) ?? '{}') as { settings?: unknown }
      return settingsSchema.safeParse(recorded.settings).data ?? null
    },
    async creditClaims() {
      const rows = await queries.all<{ channel: string; rfq_id: string; number: number | null; claims: string }>(
        'select channel, rfq_id, number, claims from rfq_rows where claims is not null order by channel, number, rfq_id',
      )
      return rows.flatMap(({ channel, rfq_id, number: rfqNumber, claims }) => {
        const rfqId = fromStoredText(rfq_id)
        return (JSON.parse(claims) as RfqClaim[]).map((claim) => ({ ...claim, channel, rfqId, rfqNumber }))
      })
    },
  }
}

/** Records recommendations. */
export function createRecommendations(database: SqlDatabase, events: EventWriter): Recommendations {
  /** Marks the RFQs of rows `r`. */
  const mark = (tx: Transaction, where: string, parameters: Record<string, string>) =>
    tx.run(`${MARK_RFQS} and (channel, id) in (select r.channel, r.rfq_id from rfq_rows r where ${where})`, parameters)

  return {
    ...createRecommendationQueries(database),

    takeRecommendationLease: ({ holder, settings, version, now, leaseMs }: RecorderLease) =>
      database.write(async (tx): Promise<LeaseReply> => {
        await tx.lock(LEASE)
        const comparison = canonicalJson({ settings, version })
        const lease = await findLease(tx)
        const end = lease === null ? 0 : Date.parse(lease.until) - now.getTime()
        // A lease that ends much later was taken while the clock was ahead.
        if (lease !== null && !isOf(lease, holder) && end > 0 && end <= 2 * leaseMs && mayBeAlive(lease.holder, holder))
          return {
            held: false,
            command: lease.holder.command ?? null,
            hasOtherSettings: (await findMeta(tx, COMPARISON)) !== comparison,
          }
        const until = new Date(now.getTime() + leaseMs).toISOString()
        await setMeta(tx, LEASE, JSON.stringify({ holder, until } satisfies Lease))
        if ((await findMeta(tx, COMPARISON)) !== comparison) {
          await setMeta(tx, COMPARISON, comparison)
          await mark(tx, 'true', {})
        }
        return { held: true }
      }),

    async releaseRecommendationLease(holder) {
      await database.write(async (tx) => {
        const lease = await findLease(tx)
        if (lease !== null && isOf(lease, holder)) await deleteMeta(tx, LEASE)
      })
    },

    async markComputedBefore(moment, channel) {
      const where = allOf(channel !== undefined && 'r.channel = @channel', 'r.computed_at < @moment')
      await database.write((tx) => mark(tx, where, { moment, ...(channel !== undefined && { channel }) }))
    },

    recordRecommendations: (holder, computed, settings, now) =>
      database.write(async (tx) => {
        await tx.lock(LEASE)
        const lease = await findLease(tx)
        if (lease === null || !isOf(lease, holder) || Date.parse(lease.until) <= now.getTime()) return 0
        const recorded: ComputedRfq[] = []
        const hash = await storeSettings(tx, settings)
        for (const one of computed) if (await recordOne(tx, one, hash)) recorded.push(one)
        const drafts = recorded.flatMap(({ row: { channel, rfqId, version }, recommendation }) => {
          const { at = '', event = null } = recommendation ?? {}
          const kind = 'recommendation.changed' as const
          return event === null ? [] : [{ kind, at, channel, rfqId, version, data: event }]
        })
        await events.write(tx, drafts)
        return recorded.length
      }),
  }
}

/** The key of `meta` with what recommendations are recorded with: the settings and the version of the comparison, as JSON. */
const COMPARISON = 'comparison'
/** The key of `meta` with the lease of the process that records recommendations. */
const LEASE = 'recommendation_lease'

interface Lease {
  holder: Holder
  until: string
}

async function findLease(queries: Queries): Promise<Lease | null> {
  const text = await findMeta(queries, LEASE)
  return text === null ? null : (JSON.parse(text) as Lease)
}

const isOf = (lease: Lease, { nonce }: Holder): boolean => lease.holder.nonce === nonce

async function recordOne(tx: Transaction, computed: ComputedRfq, settingsHash: string): Promise<boolean> {
  const { dirty, recommendation } = computed
  const key = { channel: dirty.channel, rfqId: toStoredText(dirty.rfqId) }
  const cleaned = await tx.run(
    `update documents set marks = 0
    where channel = @channel and kind = 'rfq' and rfq_id = '' and id = @rfqId and marks = @marks`,
    { ...key, marks: dirty.marks },
  )
  if (cleaned === 0) return false
  if (recommendation !== null) {
    const { at, status, tonnes, cost, pricePerTonne, currency, coverage, bestPrice } = recommendation
    await tx.run(
      `update recommendations set superseded_at = @at
      where channel = @channel and rfq_id = @rfqId and superseded_at is null`,
      { ...key, at },
    )
    await tx.run(
      `insert into recommendations (channel, rfq_id, at, status, offers, tonnes, cost, price_per_tonne, currency, coverage,
        best_price, settings_hash, reason)
      values (@channel, @rfqId, @at, @status, @offers, @tonnes, @cost, @pricePerTonne, @currency, @coverage, @bestPrice,
        @settingsHash, @reason)`,
      {
        ...{ ...key, at, status, tonnes, cost, pricePerTonne, currency, coverage, bestPrice },
        offers: JSON.stringify(recommendation.offers),
        settingsHash,
        reason: recommendation.reason === null ? null : toStoredText(recommendation.reason),
      },
    )
  }
  await recordRow(tx, computed.row)
  return true
}
