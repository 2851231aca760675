import { type AwardState, awardState, awardText } from '../../compare/decision/award-state.js'
import type { AwardRecord } from '../../core/decision/award-record.js'
import { differingSettings, type Settings } from '../../core/decision/settings.js'
import { reasonProblem } from '../../core/text/clean-text.js'
import { checkAward } from '../../figures/check-award.js'
import type { ViewSource } from '../source.js'

/** An award that a person wants to record. */
export interface AwardOrder {
  channel: string
  rfqId: string
  /** By id, or else by number; none to award nothing. */
  offers: readonly string[]
  because: string | null
  by: string
  /** The moment of the comparison. */
  asOf: Date
  now: Date
  /** What the comparison is made with. */
  settings: Settings
}

/** What would be recorded, as plain data. */
interface PreparedAward {
  /** The award as every surface would show it; null if its figures cannot be computed. */
  state: AwardState | null
  /** Why it cannot be recorded; empty if it can. */
  refusals: string[]
  rfqNumber: number | null
}

/** What operators do with awards, on pages and over the API. */
export interface AwardActions {
  /** Compares the offers, and checks an award of some of them. */
  prepare(order: AwardOrder): Promise<PreparedAward>
  /**
   * Records a prepared award that was not refused, with its workbook.
   * @returns the award that stands, if another one was recorded meanwhile
   */
  record(order: AwardOrder, prepared: PreparedAward): Promise<{ recorded: AwardRecord } | { standing: AwardRecord }>
  /** Withdraws an award of an RFQ. @returns null if it does not stand */
  withdraw(
    order: Pick<AwardOrder, 'channel' | 'rfqId' | 'by'> & { award: number; because: string },
  ): Promise<AwardRecord | null>
}

/** Compares the offers, and checks an award of some of them. */
export async function prepareAward({ store, compare }: ViewSource, order: AwardOrder): Promise<PreparedAward> {
  const { channel, rfqId, because, asOf, now, settings } = order
  const report = await compare({ channel, rfqId, now, asOf, settings })
  const recorded = (await store.recordedSettings()) ?? settings
  const differing = differingSettings(recorded, settings)
  const then = differing.length === 0 ? report : await compare({ channel, rfqId, now, asOf, settings: recorded })
  const present = asOf >= now ? then : await compare({ channel, rfqId, now, settings: recorded })
  const { award, refusals } = checkAward(report, order, { then, present, settings: differing })
  const [newest] = await store.awards({ channel, rfqId, limit: 1 })
  const unreadable = because === null ? null : reasonProblem(because)
  return {
    state: award === null ? null : awardState(award, report.offers),
    refusals: [...refusalOf(newest, asOf), ...(unreadable === null ? [] : [`The reason ${unreadable}.`]), ...refusals],
    rfqNumber: report.rfq.number,
  }
}

/** Why the newest award of the RFQ keeps another one from being recorded. */
function refusalOf(newest: AwardRecord | undefined, asOf: Date): string[] {
  if (newest === undefined) return []
  if (newest.withdrawn === null) return [standingText(newest)]
  return new Date(newest.withdrawn.at) <= asOf
    ? []
    : [`Award ${newest.id} was withdrawn after that comparison, at ${newest.withdrawn.at}: compare again.`]
}

/** Why no other award can be recorded while one stands. */
export const standingText = (standing: AwardRecord): string =>
  `An award stands already: ${awardText(standing)} (award ${standing.id}, by ${standing.by}). Withdraw it first.`
