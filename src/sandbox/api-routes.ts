/** The five operations of the API. */
export const operations = ['listListings', 'listRfqs', 'readRfq', 'readResponse', 'closeRfq'] as const
export type Operation = (typeof operations)[number]

/** A recognized request: the operation and what it applies to. */
export interface Route {
  operation: Operation
  org: string
  channel: string
  /** Null for the lists. */
  rfqId: string | null
  /** Null except for `readResponse`. */
  responseId: string | null
}

/** The path is an operation, but the method is not the one it allows. */
export interface WrongMethod {
  allowed: string
}

/**
 * Finds the operation for a method and a path (without query). Path segments are percent-decoded.
 * @returns the route; the allowed method if the path is an operation but the method is wrong; null if the path is unknown
 */
export function findRoute(method: string, path: string): Route | WrongMethod | null {
  const segments = decode(path.split('/'))
  if (segments?.[1] !== 'v1' || segments[2] !== 'orgs' || segments[4] !== 'channels') return null
  const [org = '', channel = '', rfqId = null, responseId = null] = [segments[3], segments[5], segments[7], segments[9]]
  const operation = findOperation(segments)
  if (operation === null || org === '' || channel === '' || rfqId === '' || responseId === '') return null
  const allowed = operation === 'closeRfq' ? 'POST' : 'GET'
  if (method !== allowed) return { allowed }
  return { operation, org, channel, rfqId, responseId }
}

function findOperation(segments: readonly string[]): Operation | null {
  const [collection, below] = [segments[6], segments[8]]
  if (segments.length === 7 && collection === 'listings') return 'listListings'
  if (collection !== 'rfqs') return null
  if (segments.length === 7) return 'listRfqs'
  if (segments.length === 8) return 'readRfq'
  if (segments.length === 9 && below === 'close') return 'closeRfq'
  return segments.length === 10 && below === 'responses' ? 'readResponse' : null
}

function decode(segments: readonly string[]): readonly string[] | null {
  try {
    return segments.map((segment) => (segment.includes('%') ? decodeURIComponent(segment) : segment))
  } catch {
    return null
  }
}
