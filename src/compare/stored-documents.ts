import { parseListing, parseResponse, parseResponseSummary, parseRfq } from '../core/observation.js'
import type { ParsedListing, ParsedResponse, ParsedRfq, StoredDocument, VersionMetadata } from './comparison-input.js'

/** Parses a stored RFQ. Never throws. */
export function parseStoredRfq(stored: StoredDocument): ParsedRfq {
  return {
    ...versionMetadata(stored),
    shape: stored.shape === 'full' ? 'full' : 'list',
    document: parseRfq(stored.body).document,
  }
}

/** Parses a stored response by the schema of its shape. Never throws. */
export function parseStoredResponse(stored: StoredDocument): ParsedResponse {
  return stored.shape === 'full'
    ? { ...versionMetadata(stored), shape: 'full', document: parseResponse(stored.body).document }
    : { ...versionMetadata(stored), shape: 'summary', document: parseResponseSummary(stored.body).document }
}

/** Parses a stored listing. Never throws. */
export function parseStoredListing(stored: StoredDocument): ParsedListing {
  return { ...versionMetadata(stored), document: parseListing(stored.body).document }
}

/** The metadata of a version, without its document. */
export function versionMetadata(known: VersionMetadata): VersionMetadata {
  const { id, version, contentHash, notBefore, observedAt, missingSince, runId, valid } = known
  return { id, version, contentHash, notBefore, observedAt, missingSince, runId, valid }
}
