import { hash } from 'node:crypto'
import type { AwardRecord, AwardWithdrawal, NewAward } from '../../core/decision/award-record.js'
import { awardTerms, describeMove } from '../../core/events/event-text.js'
import { cleanLine } from '../../core/text/clean-text.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import type { FigureWriter } from '../figures/figures.js'
import { storeSettings } from '../figures/settings-rows.js'
import { lockChain, nextLink } from '../sql/hash-chain.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import {
  type AwardContent,
  type AwardRow,
  awardContent,
  COLUMNS,
  createAwardQueries,
  findAwards,
  toAward,
  withdrawalContent,
} from './award-rows.js'

/** Characters of a reason that are quoted. */
const MAX_QUOTED = 400

/** The desk's awards: an append-only log (docs/DATABASE.md). */
export const createAwards = (database: SqlDatabase, figures: FigureWriter) => ({
  ...createAwardQueries(database),

  /**
   * Records an award with its settings and its workbook in one transaction. An RFQ has at most one standing award.
   * @returns the recorded award; or the standing award, if nothing was recorded because of it
   */
  recordAward: ({
    workbook,
    settings,
    ...award
  }: NewAward): Promise<{ recorded: AwardRecord } | { standing: AwardRecord }> =>
    database.write(async (tx) => {
      await lockChain(tx)
      const { channel, rfqId } = award
      const [standing] = await findAwards(tx, { channel, rfqId, standing: true, limit: 1 })
      if (standing !== undefined) return { standing: toAward(standing) }
      const workbookSha256 = hash('sha256', workbook)
      const settingsHash = await storeSettings(tx, settings)
      const content = awardContent({ ...award, settingsHash, workbookSha256 })
      const row = await append(tx, content, workbook.toString('base64'))
      const recorded = toAward({ ...row, ...NOT_WITHDRAWN })
      await writeEvents(tx, [await awardEvent(tx, recorded), ...(await writeFigures(tx, figures, row))])
      return { recorded }
    }),

  /**
   * Withdraws an award.
   * @returns null if there is no such award, or it was already withdrawn
   */
  withdrawAward: ({
    award: id,
    ...withdrawal
  }: Omit<AwardWithdrawal, 'id'> & { award: number; programVersion: string }): Promise<AwardRecord | null> =>
    database.write(async (tx) => {
      await lockChain(tx)
      const [award] = await findAwards(tx, { id })
      if (award === undefined || award.withdrawn_id !== null) return null
      const row = await append(tx, withdrawalContent(award, withdrawal), null)
      const [withdrawn] = await findAwards(tx, { id })
      if (withdrawn === undefined) return null
      await writeEvents(tx, [await awardEvent(tx, toAward(withdrawn)), ...(await writeFigures(tx, figures, row))])
      return toAward(withdrawn)
    }),
})

export type Awards = ReturnType<typeof createAwards>

const NOT_WITHDRAWN = { withdrawn_id: null, withdrawn_at: null, withdrawn_by: null, withdrawn_because: null }

/** The event of an award that is recorded or withdrawn: what the RFQ was to be awarded by, and is from then on. */
async function awardEvent(tx: Transaction, award: AwardRecord): Promise<EventDraft> {
  const { channel, rfqId, withdrawn, id, followed } = award
  const [recommended, own] = [await newestRecommendation(tx, award), awardTerms(award)]
  const moved = withdrawn === null ? { before: recommended, after: own } : { before: own, after: recommended }
  const { at, by, because } = withdrawn ?? award
  const names = new Intl.ListFormat('en-GB').format(own?.offers.map((name) => cleanLine(name)) ?? []) || 'no award'
  const how = withdrawn === null ? `, ${followed ? 'as recommended' : 'not as recommended'}` : ''
  const why = because === null ? '' : `, because “${cleanLine(because, MAX_QUOTED)}”`
  const what = `${withdrawn === null ? 'Recorded' : 'Withdrawn'} by ${cleanLine(by)}: ${names}${how}${why}.`
  return {
    kind: withdrawn === null ? 'award.recorded' : 'award.withdrawn',
    ...{ at, channel, rfqId },
    data: { award: { id, by, because, followed }, moved, messages: [what, ...describeMove(moved)] },
  }
}

async function newestRecommendation(tx: Transaction, { channel, rfqId }: AwardRecord) {
  const row = await tx.get<RecommendationRow>(
    `select offers, tonnes, cost as total, price_per_tonne as "pricePerTonne", currency from recommendations
    where channel = @channel and rfq_id = @rfqId and superseded_at is null and status <> 'accepted'`,
    { channel, rfqId },
  )
  return row === undefined ? null : awardTerms({ ...row, offers: JSON.parse(row.offers) })
}

type RecommendationRow = Omit<Parameters<typeof awardTerms>[0], 'offers'> & { offers: string }

async function append(tx: Transaction, content: AwardContent, workbook: string | null): Promise<AwardRow> {
  const { previousHash: previous_hash, ...link } = await nextLink(tx, content)
  const row = { ...link, previous_hash }
  await tx.run(INSERT, { ...row, workbook })
  return row
}

/** Lists show the state of the standing award. */
const writeFigures = (tx: Transaction, figures: FigureWriter, { channel, rfq_id, at }: AwardRow) =>
  figures.writeFigures(tx, { channel, ids: new Set([rfq_id]) }, new Date(at))

const INSERT = `insert into awards (${COLUMNS.join(', ')}, workbook)
values (${COLUMNS.map((column) => `@${column}`).join(', ')}, @workbook)`
