import { parseListing, parseResponse, parseResponseSummary, parseRfq } from '../observation.js'
import type { ParsedListing, ParsedResponse, ParsedRfq, StoredDocument, VersionMetadata } from './comparison-input.js'

/** Reads a stored RFQ for a comparison. Never throws. */
export function parseStoredRfq(stored: StoredDocument): ParsedRfq {
  const { document } = parseRfq(stored.body)
  return { ...versionMetadata(stored), shape: stored.shape === 'full' ? 'full' : 'list', document }
}

/** Reads a stored response for a comparison, by the schema of its shape. Never throws. */
export function parseStoredResponse(stored: StoredDocument): ParsedResponse {
  return stored.shape === 'full'
    ? { ...versionMetadata(stored), shape: 'full', document: parseResponse(stored.body).document }
    : { ...versionMetadata(stored), shape: 'summary', document: parseResponseSummary(stored.body).document }
}

/** Reads a stored listing for a comparison. Never throws. */
export function parseStoredListing(stored: StoredDocument): ParsedListing {
  return { ...versionMetadata(stored), document: parseListing(stored.body).document }
}

/** What stands beside a document, without it. */
export function versionMetadata(known: VersionMetadata): VersionMetadata {
  const { id, version, contentHash, notBefore, observedAt, missingSince, runId, valid } = known
  return { id, version, contentHash, notBefore, observedAt, missingSince, runId, valid }
}
