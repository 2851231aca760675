import { hash } from 'node:crypto'
import type { Settings } from '../../core/decision/settings.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { RfqWithResponses } from '../../core/records.js'
import { createHistory } from '../documents/queries/history.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { type Holder, isGone } from '../runs/process-holder.js'
import { findMeta, setMeta } from '../sql/meta.js'
import { insertMembers, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { type ComputedFigures, type FigureComputer, SETTLED } from './figure-contract.js'
import { createFigureQueries, figureSource, SETTINGS } from './figure-queries.js'

/** RFQs computed in one transaction of `refreshFigures`: some megabytes of documents in memory. */
const BATCH_SIZE = 20
/** The key of `meta` with the process that set the settings of all figures. */
const SET_BY = 'figure_settings_by'

/**
 * Figures and recommendations.
 * @param computer null in a process that writes no figures
 * @param self holds the settings
 */
export function createFigures(
  database: SqlDatabase,
  { computer, self }: { computer: FigureComputer | null; self: Holder },
) {
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
    { channel, rfqs, now }: { channel: string; rfqs: readonly RfqWithResponses[]; now: Date },
  ): Promise<EventDraft[]> {
    const source = figureSource(tx)
    const basis = await by.basisOf(source, channel, now)
    const computed = await by.compute(source, { channel, rfqs }, basis, now)
    const written = new Set(computed.map(({ row }) => row.rfqId))
    const left = rfqs.flatMap(({ rfq }) => (written.has(rfq.id) ? [] : rfq.id))
    await outdate(tx, { channel, rfqs: new Set(left) })
    await recordFigures(tx, channel, computed, await storeSettings(tx, basis.settings))
    // At the end: an error of the database is not one of an RFQ.
    for (const id of written) failed.delete(nameOf(channel, id))
    for (const id of left) failed.add(nameOf(channel, id))
    return computed.flatMap(({ event }) => event ?? [])
  }

  return {
    ...createFigureQueries(database),

    /** Outdates rows, which lists show until they are written anew. */
    outdateFigures: outdate,

    /**
     * Writes the figures of RFQs anew, or outdates them in a process that does not write figures, in the transaction that records what they
     * depend on.
     * @returns the events of changed recommendations, which the transaction writes last
     */
    async writeFigures(
      tx: Transaction,
      channel: string,
      rfqs: readonly RfqWithResponses[],
      now: Date,
    ): Promise<EventDraft[]> {
      if (rfqs.length === 0) return []
      await tx.lock('figures', channel)
      const by = await computerIn(tx)
      if (by !== null) return compute(tx, by, { channel, rfqs, now })
      await outdate(tx, { channel, rfqs: new Set(rfqs.map(({ rfq }) => rfq.id)) })
      return []
    },

    /**
     * Makes the settings of this process those of all figures.
     * @param from `process` replaces those of a process that still runs, too
     * @returns the command of the process whose settings stay; null if they are those of this process
     */
    claimFigures: (from: 'process' | 'command'): Promise<string | null> =>
      database.write(async (tx) => {
        await tx.lock('figures')
        if (own === null || (from === 'command' && (await computerIn(tx)) !== null)) return null
        const holder = JSON.parse((await findMeta(tx, SET_BY)) ?? 'null') as Holder | null
        if (from === 'command' && holder !== null && !isGone(holder, self)) return holder.command
        await setMeta(tx, SETTINGS, own)
        await setMeta(tx, SET_BY, JSON.stringify(self))
        return null
      }),

    /**
     * Writes figures of a channel that are not current: of another day, settings or rates, or of a listing or award that changed since.
     * @returns how many are left; null if figures have the settings of another process
     */
    refreshFigures: (channel: string, now: Date): Promise<number | null> =>
      database.write(async (tx) => {
        await tx.lock('figures', channel)
        const by = await computerIn(tx)
        if (by === null) return null
        const { key } = await by.basisOf(figureSource(tx), channel, now)
        const rows = await tx.all<{ id: string }>(SELECT_OUTDATED, { channel, key, settled: SETTLED })
        const outdated = rows.map(({ id }) => id).filter((id) => !failed.has(nameOf(channel, id)))
        if (outdated.length === 0) return 0
        const rfqs = await createHistory(tx).rfqs({ channel, ids: outdated.slice(0, BATCH_SIZE) })
        await writeEvents(tx, await compute(tx, by, { channel, rfqs, now }))
        return outdated.length - rfqs.length
      }),
  }
}

export type FigureWriter = Pick<ReturnType<typeof createFigures>, 'writeFigures' | 'outdateFigures'>

const SELECT_OUTDATED = `select d.id from documents d
left join figures f on f.channel = d.channel and f.rfq_id = d.id
where d.channel = @channel and d.kind = 'rfq' and d.rfq_id = '' and (f.key is null or f.key not in (@key, @settled))
order by d.id`

/** Outdates rows of RFQs, and of all with offers for these listings. */
async function outdate(
  tx: Transaction,
  {
    channel,
    rfqs,
    listings = new Set(),
  }: { channel: string; rfqs: ReadonlySet<string>; listings?: ReadonlySet<string> },
): Promise<void> {
  const { anyOf } = tx.dialect
  const outdated = `update figures set key = '' where channel = @channel`
  if (rfqs.size > 0) await tx.run(`${outdated} and ${anyOf('rfq_id', '@ids')}`, { channel, ids: [...rfqs] })
  // Without an index by listing, which would be half of what recording writes, while few RFQs are not settled.
  if (listings.size > 0)
    await tx.run(
      `${outdated} and key not in ('', @settled) and exists (
        select 1 from documents d where d.channel = @channel and d.kind = 'response' and d.rfq_id = figures.rfq_id
          and ${anyOf('d.listing_id', '@listings')})`,
      { channel, listings: [...listings], settled: SETTLED },
    )
}

async function recordFigures(
  tx: Transaction,
  channel: string,
  computed: readonly ComputedFigures[],
  settingsHash: string,
): Promise<void> {
  const recommendations = computed.flatMap(({ recommendation: made }) =>
    made === null ? [] : { settingsHash, ...made, offers: JSON.stringify(made.offers) },
  )
  for (const { rfqId, at } of recommendations)
    await tx.run(
      `update recommendations set superseded_at = @at
      where channel = @channel and rfq_id = @rfqId and superseded_at is null`,
      { channel, rfqId, at },
    )
  await insertMembers(tx, 'recommendations', recommendations)
  await tx.run(`delete from figures where channel = @channel and ${tx.dialect.anyOf('rfq_id', '@ids')}`, {
    channel,
    ids: computed.map(({ row }) => row.rfqId),
  })
  const rows = computed.map(({ row }) => row)
  await insertMembers(tx, 'figures', rows)
}

/**
 * Stores settings if they are not stored yet.
 * @returns the SHA-256 hash of their canonical JSON
 */
export async function storeSettings(tx: Transaction, settings: Settings): Promise<string> {
  const text = canonicalJson(settings)
  const row = { hash: hash('sha256', text), settings: text }
  await tx.run('insert into settings (hash, settings) values (@hash, @settings) on conflict (hash) do nothing', row)
  return row.hash
}
