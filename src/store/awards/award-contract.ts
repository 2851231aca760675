import type { AwardRecord, AwardWithdrawal, NewAward } from '../../core/decision/award-record.js'

export interface AwardFilter {
  channel?: string
  rfqId?: string
  /** Only those of these RFQs of a channel. */
  rfqIds?: readonly string[]
  /** Only standing awards, which were not withdrawn. */
  standing?: boolean
  /** As of this moment, ignoring later awards and withdrawals. */
  asOf?: Date
  /** Only those with a smaller id. */
  before?: number
  limit?: number
}

/** The desk's awards: an append-only log in the chain of closing decisions (docs/DATABASE.md). */
export interface Awards {
  /**
   * Records an award with its settings and its workbook in one transaction. An RFQ has at most one standing award.
   * @returns the recorded award; or the standing award, if nothing was recorded because of it
   */
  recordAward(award: NewAward): Promise<{ recorded: AwardRecord } | { standing: AwardRecord }>
  /**
   * Withdraws an award.
   * @returns null if there is no such award, or it was already withdrawn
   */
  withdrawAward(
    withdrawal: Omit<AwardWithdrawal, 'id'> & { award: number; programVersion: string },
  ): Promise<AwardRecord | null>
  /** Newest first. Withdrawals are part of the awards that they withdraw. */
  awards(filter: AwardFilter): Promise<AwardRecord[]>
  /** The workbook of an award; null if there is no such award. */
  awardFile(id: number): Promise<Buffer | null>
}
