import { hash } from 'node:crypto'
import type { AwardFacts, AwardRecord } from '../../core/decision/award-record.js'
import { canonicalJson } from '../../core/documents/canonical-json.js'
import type { ChainedTable } from '../sql/hash-chain.js'
import { allOf, NO_LIMIT, type Queries } from '../sql/sql-database.js'

/** A row of `awards` without its workbook: an award, or the withdrawal of one, which has no offers, figures, settings and workbook. */
export interface AwardRow {
  id: number
  channel: string
  rfq_id: string
  rfq_number: number | null
  at: string
  by_whom: string
  withdraws: number | null
  as_of: string
  offers: string
  tonnes: number | null
  total: number | null
  price_per_tonne: number | null
  currency: string | null
  because: string | null
  warnings: string
  recommendation: string | null
  followed: number | null
  settings_hash: string | null
  workbook_sha256: string | null
  program_version: string
  previous_hash: string
  hash: string
}

/** The content that the hash of a row covers: all columns except its number and the hashes of the chain. */
export type AwardContent = Omit<AwardRow, 'id' | 'previous_hash' | 'hash'>

/** The row of an award, joined with the row that withdraws it. */
interface AwardWithWithdrawal extends AwardRow {
  withdrawn_id: number | null
  withdrawn_at: string | null
  withdrawn_by: string | null
  withdrawn_because: string | null
}

/** The columns of a row without its workbook, which is long. */
export const COLUMNS = [
  ...['id', 'channel', 'rfq_id', 'rfq_number', 'at', 'by_whom', 'withdraws', 'as_of', 'offers', 'tonnes', 'total'],
  ...['price_per_tonne', 'currency', 'because', 'warnings', 'recommendation', 'followed', 'settings_hash'],
  ...['workbook_sha256', 'program_version', 'previous_hash', 'hash'],
] as const satisfies readonly (keyof AwardRow)[]

/** The row of an award. */
export function awardContent(
  award: Omit<AwardFacts, 'id'> &
    Pick<AwardRecord, 'channel' | 'rfqId' | 'rfqNumber' | 'settingsHash' | 'workbookSha256' | 'programVersion'>,
): AwardContent {
  return {
    channel: award.channel,
    rfq_id: award.rfqId,
    rfq_number: award.rfqNumber,
    at: award.at,
    by_whom: award.by,
    withdraws: null,
    as_of: award.asOf,
    offers: canonicalJson(award.offers),
    ...(award.offers.length === 0
      ? { tonnes: null, total: null, price_per_tonne: null }
      : { tonnes: award.tonnes, total: award.total, price_per_tonne: award.pricePerTonne }),
    currency: award.currency,
    because: award.because,
    warnings: canonicalJson(award.warnings),
    recommendation: canonicalJson(award.recommendation),
    followed: award.followed ? 1 : 0,
    settings_hash: award.settingsHash,
    workbook_sha256: award.workbookSha256,
    program_version: award.programVersion,
  }
}

/** The row that withdraws an award. */
export const withdrawalContent = (
  { id, channel, rfqId: rfq_id, rfqNumber: rfq_number }: AwardRecord,
  { at, by, because, programVersion }: { at: string; by: string; because: string | null; programVersion: string },
): AwardContent => ({
  ...{ channel, rfq_id, rfq_number, at, as_of: at, withdraws: id, program_version: programVersion },
  ...{ by_whom: by, because },
  ...{ offers: '[]', tonnes: null, total: null, price_per_tonne: null, currency: null, warnings: '[]' },
  ...{ recommendation: null, followed: null, settings_hash: null, workbook_sha256: null },
})

/** Converts the row of an award. */
function toAward(row: AwardWithWithdrawal): AwardRecord {
  const { withdrawn_id: id, withdrawn_at: at, withdrawn_by: by, withdrawn_because: because } = row
  return {
    id: row.id,
    channel: row.channel,
    rfqId: row.rfq_id,
    rfqNumber: row.rfq_number,
    at: row.at,
    by: row.by_whom,
    asOf: row.as_of,
    offers: JSON.parse(row.offers) as AwardRecord['offers'],
    tonnes: row.tonnes ?? 0,
    total: row.total ?? 0,
    pricePerTonne: row.price_per_tonne ?? 0,
    currency: row.currency ?? '',
    because: row.because,
    warnings: JSON.parse(row.warnings) as string[],
    recommendation: JSON.parse(row.recommendation ?? 'null') as AwardRecord['recommendation'],
    followed: row.followed === 1,
    settingsHash: row.settings_hash ?? '',
    workbookSha256: row.workbook_sha256 ?? '',
    programVersion: row.program_version,
    hash: row.hash,
    withdrawn: id === null || at === null || by === null ? null : { id, at, by, because },
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
export const createAwardQueries = (database: Queries) => ({
  /** Newest first. Withdrawals are part of the awards that they withdraw. */
  awards: (filter: AwardFilter): Promise<AwardRecord[]> => findAwards(database, filter),

  /** The workbook of an award; null if there is no such award. */
  async awardFile(id: number): Promise<Buffer | null> {
    const workbook = await findWorkbook(database, id)
    return workbook === null ? null : Buffer.from(workbook, 'base64')
  },
})

export type AwardQueries = ReturnType<typeof createAwardQueries>

/** The workbook of an award in Base64; null if there is none. */
const findWorkbook = async (queries: Queries, id: number): Promise<string | null> =>
  (await queries.get<{ workbook: string | null }>('select workbook from awards where id = @id', { id }))?.workbook ??
  null

/** Awards with their withdrawals, newest first. */
export async function findAwards(
  queries: Queries,
  { id, channel, rfqId, rfqIds, standing, asOf, limit = NO_LIMIT }: AwardFilter,
): Promise<AwardRecord[]> {
  const where = allOf(
    'a.withdraws is null',
    id !== undefined && 'a.id = @id',
    channel !== undefined && 'a.channel = @channel',
    rfqId !== undefined && 'a.rfq_id = @rfqId',
    rfqIds !== undefined && queries.dialect.anyOf('a.rfq_id', '@rfqIds'),
    standing === true && 'w.id is null',
    asOf !== undefined && 'a.at <= @asOf',
  )
  const rows = await queries.all<AwardWithWithdrawal>(
    `select ${COLUMNS.map((column) => `a.${column}`).join(', ')}, w.id as withdrawn_id, w.at as withdrawn_at, w.by_whom as withdrawn_by, w.because as withdrawn_because
    from awards a left join awards w on ${allOf('w.withdraws = a.id', asOf !== undefined && 'w.at <= @asOf')}
    where ${where} order by a.id desc limit @limit`,
    {
      ...{ id, channel, limit, rfqId, rfqIds },
      asOf: asOf?.toISOString(),
    },
  )
  return rows.map(toAward)
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
