import type { RfqState } from '../store/contract.js'

/** What the list shows of an RFQ. */
export interface ListedRfq {
  id: string
  hash: string
  /** `state` as sent, null if unusable. */
  state: string | null
}

export interface SelectionRules {
  /** Read everything. */
  full: boolean
  /** A closed RFQ is read again after this many hours. */
  recheckClosedHours: number
  now: Date
}

/**
 * Whether the detail of an RFQ must be read again, and why: always for one that is not closed, for any whose list
 * entry changed, whose detail is incomplete or that was missing, and for closed ones after a while.
 * @returns the reason in a word, or null where the detail that is known still holds
 */
export function reasonToRead(shown: ListedRfq, known: RfqState | undefined, rules: SelectionRules): string | null {
  if (rules.full) return 'asked'
  if (!known) return 'new'
  if (shown.state !== 'closed') return 'open'
  if (known.state !== 'closed') return 'closed meanwhile'
  if (known.listHash !== shown.hash) return 'changed'
  if (known.detailReadAt === null || known.incomplete) return 'incomplete'
  if (known.missingSince !== null) return 'back'
  const age = rules.now.getTime() - Date.parse(known.detailReadAt)
  return age >= rules.recheckClosedHours * 3_600_000 ? 'due again' : null
}
