import type { AwardRecord, AwardWithdrawal, NewAward } from '../../core/decision/award-record.js'
import type { Timestamp } from '../../core/time/clock.js'
import type { ChainReport } from '../sql/hash-chain.js'

export interface AwardFilter {
  channel?: string
  rfqId?: string
  /** Only those that stand: not withdrawn. */
  standing?: boolean
  /** What was recorded up to this moment: later withdrawals do not count. */
  asOf?: Date
  /** Only those with a smaller id. */
  before?: number
  limit?: number
}

/** The desk's awards: an append-only log, each row with the hash of the one before (docs/DATABASE.md). */
export interface Awards {
  /**
   * Records an award with its settings and its workbook, in one transaction. An RFQ has at most one award that stands.
   * @returns the recorded award, or the one that stands, when nothing was recorded
   */
  recordAward(award: NewAward): Promise<{ recorded: AwardRecord } | { standing: AwardRecord }>
  /**
   * Records that an award is withdrawn.
   * @returns null if there is no such award, or it was withdrawn before
   */
  withdrawAward(
    withdrawal: Omit<AwardWithdrawal, 'id'> & { award: number; programVersion: string },
  ): Promise<AwardRecord | null>
  /** Newest first, without withdrawals, which are part of the awards that they withdraw. */
  awards(filter: AwardFilter): Promise<AwardRecord[]>
  /** The workbook of an award; null if there is no such award. */
  awardFile(id: number): Promise<Buffer | null>
  /** The number of the newest row of the log; 0 if there is none. */
  awardChainLength(): Promise<number>
  /** The row of the log with this number; 0 is the beginning, before the first one. Null if there is none. */
  awardChainEntry(id: number): Promise<{ at: Timestamp | null; hash: string } | null>
  /**
   * Verifies the hash chain, and that the workbook, the settings and the awarded offers of each award are stored as they were. `brokenAt` is
   * the number of the first row that was changed or removed, or null. `offers` counts the awarded offers up to it, and those whose version
   * is not stored any more, or only in a state that was recorded after the award.
   */
  verifyAwards(): Promise<ChainReport & { offers: { total: number; unchecked: number } }>
}
