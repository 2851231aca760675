import { hash } from 'node:crypto'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { awardTerms, describeMove, oneLine } from '../../core/events/event-text.js'
import { storedRfqs } from '../documents/stored-rfq.js'
import { toStoredText } from '../documents/stored-text.js'
import type { EventDraft, EventWriter } from '../events/event-writer.js'
import type { FigureWriter } from '../figures/figure-contract.js'
import { storeSettings } from '../figures/settings-rows.js'
import { type ChainedTable, lockChain, nextLink } from '../sql/hash-chain.js'
import { allOf, NO_LIMIT, type Queries, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import type { AwardFilter, Awards } from './award-contract.js'
import {
  type AwardContent,
  type AwardRow,
  type AwardWithWithdrawal,
  awardContent,
  COLUMNS,
  toAward,
  withdrawalContent,
} from './award-rows.js'

/** The queries of readers. */
type AwardQueries = Pick<Awards, 'awards' | 'awardFile'>

/** Reads awards and their workbooks. */
export const createAwardQueries = (database: Queries): AwardQueries => ({
  awards: async (filter) => (await findAwards(database, filter)).map(toAward),
  async awardFile(id) {
    const workbook = await findWorkbook(database, id)
    return workbook === null ? null : Buffer.from(workbook, 'base64')
  },
})

/** The desk's awards: an append-only log. */
export const createAwards = (database: SqlDatabase, events: EventWriter, figures: FigureWriter): Awards => ({
  ...createAwardQueries(database),

  recordAward: ({ workbook, settings, ...award }) =>
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
      await events.write(tx, [await awardEvent(tx, recorded), ...(await writeFigures(tx, figures, row))])
      return { recorded }
    }),

  withdrawAward: ({ award: id, ...withdrawal }) =>
    database.write(async (tx) => {
      await lockChain(tx)
      const [award] = await findAwards(tx, { id })
      if (award === undefined || award.withdrawn_id !== null) return null
      const row = await append(tx, withdrawalContent(award, withdrawal), null)
      const [withdrawn] = await findAwards(tx, { id })
      if (withdrawn === undefined) return null
      await events.write(tx, [await awardEvent(tx, toAward(withdrawn)), ...(await writeFigures(tx, figures, row))])
      return toAward(withdrawn)
    }),
})

const NOT_WITHDRAWN = { withdrawn_id: null, withdrawn_at: null, withdrawn_by: null, withdrawn_because: null }

/** The event of an award that is recorded or withdrawn: what the RFQ was to be awarded by, and is from then on. */
async function awardEvent(tx: Transaction, award: AwardRecord): Promise<EventDraft> {
  const { channel, rfqId, withdrawn, id, followed } = award
  const rfq = (await storedRfqs(tx, channel, [rfqId])).get(rfqId)
  const [recommended, own] = [await newestRecommendation(tx, award), awardTerms(award)]
  const moved = withdrawn === null ? { before: recommended, after: own } : { before: own, after: recommended }
  const { at, by, because } = withdrawn ?? award
  const names = new Intl.ListFormat('en-GB').format(own?.offers.map((name) => oneLine(name)) ?? []) || 'no award'
  const how = withdrawn === null ? `, ${followed ? 'as recommended' : 'not as recommended'}` : ''
  const why = because === null ? '' : `, because “${oneLine(because)}”`
  const what = `${withdrawn === null ? 'Recorded' : 'Withdrawn'} by ${oneLine(by)}: ${names}${how}${why}.`
  return {
    kind: withdrawn === null ? 'award.recorded' : 'award.withdrawn',
    ...{ at, channel, rfqId, version: rfq?.version ?? null },
    data: {
      ...(rfq && { rfq: rfq.facts }),
      award: { id, by, because, followed },
      ...{ moved, messages: [what, ...describeMove(moved)] },
    },
  }
}

async function newestRecommendation(tx: Transaction, { channel, rfqId }: AwardRecord) {
  const row = await tx.get<RecommendationRow>(
    `select offers, tonnes, cost as total, price_per_tonne as "pricePerTonne", currency from recommendations
    where channel = @channel and rfq_id = @rfqId and superseded_at is null and status <> 'accepted'`,
    { channel, rfqId: toStoredText(rfqId) },
  )
  return row === undefined ? null : awardTerms({ ...row, offers: JSON.parse(row.offers) })
}

type RecommendationRow = Omit<Parameters<typeof awardTerms>[0], 'offers'> & { offers: string }

async function append(tx: Transaction, content: AwardContent, workbook: string | null): Promise<AwardRow> {
  const { id, previousHash: previous_hash, hash } = await nextLink(tx, content)
  const row = { id, ...content, previous_hash, hash }
  await tx.run(INSERT, { ...row, workbook })
  return row
}

/** Lists show the state of the standing award. */
const writeFigures = (tx: Transaction, figures: FigureWriter, { channel, rfq_id, at }: AwardRow) =>
  figures.writeFigures(tx, { channel, ids: new Set([rfq_id]) }, new Date(at))

const INSERT = `insert into awards (${COLUMNS.join(', ')}, workbook)
values (${COLUMNS.map((column) => `@${column}`).join(', ')}, @workbook)`

/** The workbook of an award in Base64; null if there is none. */
const findWorkbook = async (queries: Queries, id: number): Promise<string | null> =>
  (await queries.get<{ workbook: string | null }>('select workbook from awards where id = @id', { id }))?.workbook ??
  null

/** Awards with their withdrawals, newest first. */
async function findAwards(
  queries: Queries,
  { id, channel, rfqId, rfqIds, standing, asOf, before, limit }: AwardFilter & { id?: number },
): Promise<AwardWithWithdrawal[]> {
  const where = allOf(
    'a.withdraws is null',
    id !== undefined && 'a.id = @id',
    channel !== undefined && 'a.channel = @channel',
    rfqId !== undefined && 'a.rfq_id = @rfqId',
    rfqIds !== undefined && queries.dialect.anyOf('a.rfq_id', '@rfqIds'),
    standing === true && 'w.id is null',
    asOf !== undefined && 'a.at <= @asOf',
    before !== undefined && 'a.id < @before',
  )
  return queries.all<AwardWithWithdrawal>(
    `select ${COLUMNS.map((column) => `a.${column}`).join(', ')}, w.id as withdrawn_id, w.at as withdrawn_at, w.by_whom as withdrawn_by, w.because as withdrawn_because
    from awards a left join awards w on ${allOf('w.withdraws = a.id', asOf !== undefined && 'w.at <= @asOf')}
    where ${where} order by a.id desc limit @limit`,
    {
      id: id ?? null,
      channel: channel ?? null,
      rfqId: rfqId === undefined ? null : toStoredText(rfqId),
      rfqIds: rfqIds?.map(toStoredText) ?? [],
      asOf: asOf?.toISOString() ?? null,
      before: before ?? null,
      limit: limit ?? NO_LIMIT,
    },
  )
}

/** Its part of the chain of decisions. */
export const AWARD_LOG: ChainedTable<AwardRow> = {
  name: 'awards',
  columns: COLUMNS.join(', '),
  linkOf({ id, previous_hash: previousHash, hash, ...content }) {
    return { id, previousHash, hash, content }
  },
  problemOf: findChangedPart,
}

/** Why the settings or the workbook of an award are not as recorded; null if they are. */
async function findChangedPart(queries: Queries, row: AwardRow): Promise<string | null> {
  if (row.withdraws !== null) return null
  const settings = await queries.get<{ settings: string }>('select settings from settings where hash = @hash', {
    hash: row.settings_hash,
  })
  if (settings === undefined || hash('sha256', settings.settings) !== row.settings_hash)
    return `The settings of award ${row.id} were changed after it was written.`
  const workbook = await findWorkbook(queries, row.id)
  if (workbook === null) return `The workbook of award ${row.id} was removed.`
  return hash('sha256', Buffer.from(workbook, 'base64')) === row.workbook_sha256
    ? null
    : `The workbook of award ${row.id} was changed after it was written.`
}
