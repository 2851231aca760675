import { hash } from 'node:crypto'
import type { AwardRecord, AwardWithdrawal, NewAward } from '../../core/decision/award-record.js'
import { awardTerms, describeMove } from '../../core/events/event-text.js'
import { cleanLine } from '../../core/text/clean-text.js'
import { createHistory } from '../documents/queries/history.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { createFigureQueries } from '../figures/figure-queries.js'
import { type FigureWriter, storeSettings } from '../figures/figures.js'
import { appendLink, lockChain } from '../sql/hash-chain.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import { AWARD_LOG, createAwardQueries } from './award-queries.js'

/** Characters of a reason that are quoted. */
const MAX_QUOTED = 400

/** The desk's awards: an append-only log (docs/DATABASE.md). */
export function createAwards(database: SqlDatabase, figures: FigureWriter) {
  /** Appends an award or a withdrawal, with its event and the figures, which show the standing award. @returns the award */
  const append = async (
    tx: Transaction,
    row: Parameters<typeof appendLink>[2] & { withdraws: number | null; at: string },
    workbook: string | null,
  ): Promise<AwardRecord> => {
    const id = await appendLink(tx, AWARD_LOG, row, { workbook })
    const [award] = (await createAwardQueries(tx).awards({ id: row.withdraws ?? id })) as [AwardRecord]
    const { channel, rfqId } = award
    const rfqs = await createHistory(tx).rfqs({ channel, ids: [rfqId] })
    const recommended = await figures.writeFigures(tx, channel, rfqs, new Date(row.at))
    await writeEvents(tx, [await awardEvent(tx, award), ...recommended])
    return award
  }

  return {
    ...createAwardQueries(database),

    /**
     * Records an award with its settings and its workbook in one transaction. An RFQ has at most one standing award.
     * @returns the recorded award; or the standing award, if nothing was recorded because of it
     */
    recordAward: (award: NewAward): Promise<{ recorded: AwardRecord } | { standing: AwardRecord }> =>
      database.write(async (tx) => {
        await lockChain(tx)
        const { channel, rfqId, rfqNumber, at, by, asOf, offers, currency, because, programVersion, workbook } = award
        const [standing] = await createAwardQueries(tx).awards({ channel, rfqId, standing: true, limit: 1 })
        if (standing !== undefined) return { standing }
        const { tonnes, total, pricePerTonne } = award
        const row = {
          ...{ channel, rfqId, rfqNumber, at, byWhom: by, withdraws: null, asOf, offers: JSON.stringify(offers) },
          ...(offers.length === 0 ? NO_FIGURES : { tonnes, total, pricePerTonne }),
          ...{ currency, because, warnings: JSON.stringify(award.warnings) },
          recommendation: JSON.stringify(award.recommendation),
          followed: Number(award.followed),
          settingsHash: await storeSettings(tx, award.settings),
          workbookSha256: hash('sha256', workbook),
          programVersion,
        }
        return { recorded: await append(tx, row, workbook.toString('base64')) }
      }),

    /**
     * Withdraws an award.
     * @returns null if there is no such award, or it was already withdrawn
     */
    withdrawAward: (withdrawal: Omit<AwardWithdrawal, 'id'> & { award: number; programVersion: string }) =>
      database.write(async (tx) => {
        const { award: id, at, by, because, programVersion } = withdrawal
        await lockChain(tx)
        const [award] = await createAwardQueries(tx).awards({ id })
        if (award === undefined || award.withdrawn !== null) return null
        const { channel, rfqId, rfqNumber } = award
        const row = {
          ...{ channel, rfqId, rfqNumber, at, byWhom: by, withdraws: id, asOf: at, because, programVersion },
          ...{ offers: '[]', ...NO_FIGURES, currency: null, warnings: '[]', recommendation: null },
          ...{ followed: null, settingsHash: null, workbookSha256: null },
        }
        return append(tx, row, null)
      }),
  }
}

/** Of a withdrawal, and of an award of nothing. */
const NO_FIGURES = { tonnes: null, total: null, pricePerTonne: null }

/**
 * The event of an award that is recorded or withdrawn: what the RFQ was to be awarded by, and is from then on, unless an offer is accepted,
 * which stays.
 */
async function awardEvent(tx: Transaction, award: AwardRecord): Promise<EventDraft> {
  const { channel, rfqId, withdrawn, id, followed } = award
  const [newest] = await createFigureQueries(tx).newestRecommendations(channel, [rfqId])
  const [recommended, own] = [newest ? awardTerms(newest) : null, awardTerms({ ...award, cost: award.total })]
  const terms = withdrawn === null ? { before: recommended, after: own } : { before: own, after: recommended }
  const moved = newest?.status === 'accepted' ? null : terms
  const { at, by, because } = withdrawn ?? award
  const names = new Intl.ListFormat('en-GB').format(own?.offers.map((name) => cleanLine(name)) ?? []) || 'no award'
  const how = withdrawn === null ? `, ${followed ? 'as recommended' : 'not as recommended'}` : ''
  const why = because === null ? '' : `, because “${cleanLine(because, MAX_QUOTED)}”`
  const what = `${withdrawn === null ? 'Recorded' : 'Withdrawn'} by ${cleanLine(by)}: ${names}${how}${why}.`
  return {
    kind: withdrawn === null ? 'award.recorded' : 'award.withdrawn',
    ...{ at, channel, rfqId },
    data: {
      award: { id, by, because, followed },
      ...(moved && { moved }),
      messages: [what, ...(moved ? describeMove(moved) : [])],
    },
  }
}
