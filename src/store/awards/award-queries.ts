import { hash } from 'node:crypto'
import type { AwardRecord } from '../../core/decision/award-record.js'
import type { ChainedTable } from '../sql/hash-chain.js'
import { allOf, matching, membersOf, NO_LIMIT, type Queries } from '../sql/sql-database.js'

const MEMBERS = [
  ...['channel', 'rfqId', 'rfqNumber', 'at', 'byWhom', 'asOf', 'offers', 'tonnes', 'total', 'pricePerTonne'],
  ...['currency', 'because', 'warnings', 'recommendation', 'followed', 'settingsHash', 'workbookSha256'],
  'programVersion',
]

/** Its part of the chain of decisions. A row is an award, or the withdrawal of one. */
export const AWARD_LOG: ChainedTable = { name: 'awards', content: [...MEMBERS, 'withdraws'] }

type Figure = 'tonnes' | 'total' | 'pricePerTonne'

/** The row of an award, joined with the one that withdraws it. */
interface AwardRow
  extends Omit<AwardRecord, Figure | 'by' | 'offers' | 'warnings' | 'recommendation' | 'followed' | 'withdrawn'>,
    Record<Figure, number | null> {
  byWhom: string
  offers: string
  warnings: string
  recommendation: string
  followed: number
  withdrawnId: number | null
  withdrawnAt: string
  withdrawnByWhom: string
  withdrawnBecause: string | null
}

function toAward(row: AwardRow): AwardRecord {
  const { byWhom, withdrawnId, withdrawnAt, withdrawnByWhom, withdrawnBecause, ...award } = row
  const withdrawal = { at: withdrawnAt, by: withdrawnByWhom, because: withdrawnBecause }
  return {
    ...award,
    by: byWhom,
    offers: JSON.parse(row.offers) as AwardRecord['offers'],
    ...{ tonnes: row.tonnes ?? 0, total: row.total ?? 0, pricePerTonne: row.pricePerTonne ?? 0 },
    warnings: JSON.parse(row.warnings) as string[],
    recommendation: JSON.parse(row.recommendation) as AwardRecord['recommendation'],
    followed: row.followed === 1,
    withdrawn: withdrawnId === null ? null : { id: withdrawnId, ...withdrawal },
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
  async awards({ rfqIds, standing, asOf, limit = NO_LIMIT, ...filter }: AwardFilter): Promise<AwardRecord[]> {
    const isKnown = asOf !== undefined && 'at <= @asOf'
    const where = allOf(
      'withdraws is null',
      matching(filter),
      rfqIds !== undefined && queries.dialect.anyOf('rfq_id', '@rfqIds'),
      standing === true && 'withdrawn_id is null',
      isKnown,
    )
    const rows = await queries.all<AwardRow>(
      `select ${membersOf('id', ...MEMBERS, 'hash', 'withdrawnId', 'withdrawnAt', 'withdrawnByWhom', 'withdrawnBecause')}
      from awards left join (
        select withdraws as award, id as withdrawn_id, at as withdrawn_at, by_whom as withdrawn_by_whom, because as withdrawn_because
        from awards where ${allOf('withdraws is not null', isKnown)}
      ) withdrawals on award = id
      where ${where} order by id desc limit @limit`,
      { ...filter, rfqIds, asOf: asOf?.toISOString(), limit },
    )
    return rows.map(toAward)
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
