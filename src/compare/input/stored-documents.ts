import { comparableId } from '../../core/documents/identifier.js'
import type { Problem } from '../../core/documents/lenient-parser.js'
import { parseListing, parseResponse, parseResponseSummary, parseRfq } from '../../core/documents/observation.js'
import type { KnownDocument } from '../../core/records.js'
import type { LastSummaries, LastSummary } from '../../core/sources/offer-sources.js'
import type {
  ParsedListing,
  ParsedResponse,
  ParsedRfq,
  StoredDocument,
  Unreadable,
  VersionMetadata,
} from './comparison-input.js'

/** Parses a stored RFQ. Never throws. */
export function parseStoredRfq(stored: StoredDocument): ParsedRfq {
  const { document, problems } = parseRfq(stored.body)
  const shape = stored.shape === 'full' ? 'full' : 'list'
  const unreadable = unreadableOf(problems).filter((path) => !path.startsWith('responses'))
  return { ...versionMetadata(stored), shape, document, unreadable }
}

/** Parses a stored response by the schema of its shape. Never throws. */
export function parseStoredResponse(stored: StoredDocument): ParsedResponse {
  const metadata = versionMetadata(stored)
  if (stored.shape === 'full') {
    const { document, problems } = parseResponse(stored.body)
    return { ...metadata, shape: 'full', document, unreadable: unreadableOf(problems) }
  }
  const { document, problems } = parseResponseSummary(stored.body)
  return { ...metadata, shape: 'summary', document, unreadable: unreadableOf(problems) }
}

const unreadableOf = (problems: readonly Problem[]): Unreadable =>
  problems.flatMap(({ code, path }) => (code === 'type' || code === 'format' ? [path] : []))

/** Parses a stored listing; its id is as offers name it. Never throws. */
export function parseStoredListing(stored: StoredDocument): ParsedListing {
  return { ...versionMetadata(stored), id: comparableId(stored.id), document: parseListing(stored.body).document }
}

/** The metadata of a version, without its document. */
export function versionMetadata(known: VersionMetadata): VersionMetadata {
  const { id, version, contentHash, notBefore, observedAt, firstObservedAt, missingSince, runId, valid } = known
  return { id, version, contentHash, notBefore, observedAt, firstObservedAt, missingSince, runId, valid }
}

/** Whether a member, or the part of the document that it belongs to, is unreadable. @param member `pricing.maxUnitPrice` */
export const isUnreadable = (unreadable: Unreadable, member: string): boolean =>
  unreadable.some((path) => path === member || isWithin(path, member) || isWithin(member, path))

const isWithin = (path: string, part: string) => path.startsWith(`${part}.`) || path.startsWith(`${part}[`)

/**
 * Finds the offers that the RFQ showed as accepted until they went missing from it: what was read of them may be older.
 * @param responses of one RFQ
 * @param rfqAsOf reads the RFQ as known at a moment; called once for each moment at which offers went missing
 */
export async function findLastSummaries(
  responses: readonly Pick<KnownDocument, 'id' | 'missingSince'>[],
  rfqAsOf: (moment: Date) => Promise<KnownDocument | undefined>,
): Promise<LastSummaries> {
  const found = new Map<string, LastSummary>()
  for (const since of new Set(responses.flatMap(({ missingSince }) => missingSince ?? []))) {
    const stored = await rfqAsOf(new Date(Date.parse(since) - 1))
    // Parsing is the slowest step, and few RFQs have an accepted offer.
    const rfq = stored?.bodyText.includes('accepted') ? parseStoredRfq(stored) : null
    if (rfq?.shape !== 'full' || rfq.document === null) continue
    const ids = new Set(responses.flatMap(({ id, missingSince }) => (missingSince === since ? [id] : [])))
    for (const summary of rfq.document.responses) {
      if (ids.has(summary.id) && summary.status === 'accepted')
        found.set(summary.id, { summary, observedAt: rfq.observedAt })
    }
  }
  return found
}
