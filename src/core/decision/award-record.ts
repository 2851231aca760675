import type { Timestamp } from '../time/clock.js'
import type { RecommendedOffer } from './recommendation.js'
import type { Settings } from './settings.js'

/** An offer as it was when the desk awarded it. */
export interface AwardedOfferRecord extends RecommendedOffer {
  /** What awards were compared by, in the currency of the award: `settings.priceBasis`. */
  cost: number
  /** As offered. */
  own: {
    total: number | null
    currency: string | null
    /** What one unit is worth in the currency of the award; null if that is the same. */
    rate: { rate: number; date: string | null; source: string | null } | null
  }
  /** YYYY-MM-DD, as stated. */
  expiryDate: string | null
  status: string | null
  version: number
  /** Of the version of its document. */
  contentHash: string
  /** Hash of its terms without its status (`termsHash`). */
  termsHash: string
}

/** What was recommended when the desk decided. */
export interface RecommendationRecord {
  status: string
  headline: string
  reasons: string[]
  /** The recommended offers; accepted ones are not included. */
  offers: Omit<RecommendedOffer, 'pricePerTonne'>[]
  tonnes: number | null
  total: number | null
  pricePerTonne: number | null
  currency: string | null
}

/** What the desk decided, as pages, commands and reports show it. Tonnes are t CO2e, amounts are payable. */
export interface AwardFacts {
  /** Its number in the award log, in which withdrawals have numbers too; null if it is about to be recorded. */
  id: number | null
  at: Timestamp
  by: string
  /** The moment of the comparison that the decision is based on. */
  asOf: Timestamp
  offers: AwardedOfferRecord[]
  tonnes: number
  total: number
  pricePerTonne: number
  currency: string
  because: string | null
  /** Warnings about the award when it was recorded, one sentence each. */
  warnings: string[]
  recommendation: RecommendationRecord
  /** Whether the award is the recommended one. */
  followed: boolean
}

/** An award that is to be recorded. */
export interface NewAward extends Omit<AwardFacts, 'id'> {
  channel: string
  rfqId: string
  rfqNumber: number | null
  /** What the comparison was made with. */
  settings: Settings
  programVersion: string
  workbook: Buffer
}

/** The withdrawal of an award. */
export interface AwardWithdrawal {
  id: number
  at: Timestamp
  by: string
  because: string | null
}

/** A recorded award. */
export interface AwardRecord extends AwardFacts {
  id: number
  channel: string
  rfqId: string
  rfqNumber: number | null
  settingsHash: string
  /** Of the workbook, in lower-case hexadecimal digits. */
  workbookSha256: string
  programVersion: string
  hash: string
  /** Null while the award stands. */
  withdrawn: AwardWithdrawal | null
}

/** What is shown of an award. */
export function awardFacts(award: AwardFacts): AwardFacts {
  const { id, at, by, asOf, offers, tonnes, total, pricePerTonne, currency } = award
  const { because, warnings, recommendation, followed } = award
  return {
    ...{ id, at, by, asOf, offers, tonnes, total, pricePerTonne, currency },
    ...{ because, warnings, recommendation, followed },
  }
}
