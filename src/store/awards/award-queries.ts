import { hash } from 'node:crypto'
import type { AwardRecord } from '../../core/decision/award-record.js'
import type { ChainedTable } from '../sql/hash-chain.js'
import { allOf, matching, membersOf, type Queries } from '../sql/sql-database.js'

/** Its part of the chain of decisions. A row is an award, or the withdrawal of one. */
export const AWARD_LOG: ChainedTable = {
  name: 'awards',
  content: [
    ...['channel', 'rfqId', 'rfqNumber', 'at', 'byWhom', 'withdraws', 'asOf', 'offers', 'tonnes', 'total'],
    ...['pricePerTonne', 'currency', 'because', 'warnings', 'recommendation', 'followed', 'settingsHash'],
    ...['workbookSha256', 'programVersion'],
  ],
}

type Figure = 'tonnes' | 'total' | 'pricePerTonne'

/** A row of `awards`, with the names of members: an award, or the withdrawal of one. */
interface AwardRow
  extends Omit<AwardRecord, Figure | 'by' | 'offers' | 'warnings' | 'recommendation' | 'followed' | 'withdrawn'>,
    Record<Figure, number | null> {
  byWhom: string
  offers: string
  warnings: string
  recommendation: string
  followed: number
  withdraws: number | null
}

function toAward({ byWhom, withdraws, ...row }: AwardRow, withdrawal: AwardRow | undefined): AwardRecord {
  return {
    ...row,
    by: byWhom,
    offers: JSON.parse(row.offers) as AwardRecord['offers'],
    ...{ tonnes: row.tonnes ?? 0, total: row.total ?? 0, pricePerTonne: row.pricePerTonne ?? 0 },
    warnings: JSON.parse(row.warnings) as string[],
    recommendation: JSON.parse(row.recommendation) as AwardRecord['recommendation'],
    followed: row.followed === 1,
    withdrawn: withdrawal
      ? { id: withdrawal.id, at: withdrawal.at, by: withdrawal.byWhom, because: withdrawal.because }
      : null,
  }
}

export interface AwardFilter {
  id?: number
  channel?: string
  rfqId?: string
  /** Only those of these RFQs of a channel. */
  rfqIds?: readonly string[]
  /** Only standing awards, which were not withdrawn. */
  standing?: boolean
  /** As of this moment, ignoring later awards and withdrawals. */
  asOf?: Date
  limit?: number
}

/** Reads awards and their workbooks. */
export const createAwardQueries = (queries: Queries) => ({
  /** Newest first. Withdrawals are part of the awards that they withdraw. */
  async awards({ id, rfqIds, standing, asOf, limit, ...filter }: AwardFilter): Promise<AwardRecord[]> {
    const where = allOf(
      matching(filter),
      id !== undefined && '(id = @id or withdraws = @id)',
      rfqIds !== undefined && queries.dialect.anyOf('rfq_id', '@rfqIds'),
      asOf !== undefined && 'at <= @asOf',
    )
    const rows = await queries.all<AwardRow>(
      `select ${membersOf('id', ...AWARD_LOG.content, 'hash')} from awards where ${where} order by id desc`,
      { ...filter, id, rfqIds, asOf: asOf?.toISOString() },
    )
    const withdrawals = new Map(rows.map((row) => [row.withdraws, row]))
    return rows
      .filter((row) => row.withdraws === null && !(standing && withdrawals.has(row.id)))
      .slice(0, limit)
      .map((row) => toAward(row, withdrawals.get(row.id)))
  },

  /** The workbook of an award; null if there is no such award. */
  async awardFile(id: number): Promise<Buffer | null> {
    const row = await queries.get<{ workbook: string | null }>('select workbook from awards where id = @id', { id })
    return row?.workbook == null ? null : Buffer.from(row.workbook, 'base64')
  },
})

/** The first award of which the settings or the workbook, whose hashes are in the chain, are not as recorded; null if there is none. */
export async function findChangedAward(queries: Queries): Promise<{ id: number; part: string } | null> {
  const awards = await queries.all<{ id: number; hash: string; sha256: string; settings: string }>(
    `select a.id, settings_hash as hash, workbook_sha256 as sha256, coalesce(settings, '') as settings
    from awards a left join settings s on s.hash = settings_hash where withdraws is null order by a.id`,
  )
  for (const { id, sha256, ...recorded } of awards) {
    if (hash('sha256', recorded.settings) !== recorded.hash) return { id, part: 'settings' }
    const workbook = await createAwardQueries(queries).awardFile(id)
    if (workbook === null || hash('sha256', workbook) !== sha256) return { id, part: 'workbook' }
  }
  return null
}
