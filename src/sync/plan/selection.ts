import { ageOf } from '../../core/time/clock.js'
import type { RfqPollState } from '../../store/contract.js'

/** An RFQ as its list entry shows it. */
export interface ListedRfq {
  id: string
  hash: string
  /** `state` as sent; null if missing or unusable. */
  state: string | null
}

/** Whether an RFQ was read since the list first had an entry with this hash. */
export const isEntryRead = ({ entryHash, isFollowed }: RfqPollState, hash: string): boolean =>
  isFollowed && entryHash === hash

interface SelectionRules {
  /** Read every RFQ. */
  full: boolean
  /** Hours after which a closed RFQ is read again. */
  recheckClosedHours: number
  now: Date
}

/**
 * Decides whether the detail of an RFQ must be read again. It must if the RFQ is not closed, its list entry changed,
 * the stored detail is incomplete, it was missing, or the last read is older than `recheckClosedHours` or of unknown age.
 * @returns the reason, or null if the stored detail is still current
 */
export function reasonToRead(listed: ListedRfq, known: RfqPollState | undefined, rules: SelectionRules): string | null {
  if (rules.full) return 'full poll'
  if (!known) return 'new'
  if (listed.state !== 'closed') return 'open'
  if (known.state !== 'closed') return 'newly closed'
  if (!isEntryRead(known, listed.hash)) return 'changed'
  if (known.detailReadAt === null || known.incomplete) return 'incomplete'
  if (known.missingSince !== null) return 'returned'
  const age = ageOf(known.detailReadAt, rules.now)
  return age === null || age >= rules.recheckClosedHours * 3_600_000 ? 'recheck' : null
}
