import type { ListedChanges } from './listed-changes.js'
import type { KnownDocument, ProblemRecord } from './records.js'

/** The message of a problem `conflict` of an RFQ. @param listed, own what the list and the RFQ itself say, as JSON or in words */
export const conflictMessage = (listed: string, own: string): string =>
  `the list says ${listed}, the RFQ itself says ${own}`

const MESSAGE = /^the list says ("(?:[^"\\]|\\.)*"|a \w+), the RFQ itself says (.*)$/s

/** Members of ListedChanges that a problem can name. */
const TERMS = ['state', 'responseDueDate'] as const

/**
 * What the list said otherwise in the poll that last read the RFQ, as the problems of the RFQ have it.
 * @returns null if they agreed, if a newer list is known (listedChangesOf), and as of a past moment
 */
export function listConflictOf(
  { id, channel, valid, readAt, listed }: Pick<KnownDocument, 'id' | 'channel' | 'valid' | 'readAt' | 'listed'>,
  problems: readonly ProblemRecord[],
): ListedChanges | null {
  if (valid || readAt === null || listed !== null) return null
  const found = problems.find(
    ({ kind, entityId, channel: of, code, lastSeenAt, path }) =>
      kind === 'rfq' &&
      entityId === id &&
      of === channel &&
      code === 'conflict' &&
      lastSeenAt >= readAt &&
      isTerm(path),
  )
  const [, listedText, ownText] = MESSAGE.exec(found?.message ?? '') ?? []
  if (found === undefined || listedText === undefined || ownText === undefined) return null
  return {
    ...{ at: readAt, readAt, state: null, responseDueDate: null, fulfilmentDueDate: null },
    ...{ offersGone: [], offersNew: [], fields: [] },
    [found.path]: unquoted(listedText),
    own: unquoted(ownText),
  }
}

const isTerm = (path: string): boolean => TERMS.some((term) => term === path)

const unquoted = (text: string): string => (text.startsWith('"') ? String(JSON.parse(text)) : text)
