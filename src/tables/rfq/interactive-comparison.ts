import type { ParsedResponse } from '../../compare/input/comparison-input.js'
import { parseStoredResponse, versionMetadata } from '../../compare/input/stored-documents.js'
import { compareOffers, type RfqReport } from '../../compare/report/compare-offers.js'
import { RecentlyUsed } from '../../core/recently-used.js'
import type { KnownDocument } from '../../core/records.js'
import { gatherRfqInput, type RfqReportSource } from './report-input.js'

/** Parsed responses are kept in memory up to this sum of the lengths of their texts. */
const MAX_CHARACTERS = 16 * 2 ** 20

/** Builds the report on an RFQ again and again with other settings, for pages: that of `buildRfqReport` without the changes. */
export interface InteractiveComparison {
  /** @throws UnknownRfqError, StoreError */
  compare(source: RfqReportSource): Promise<RfqReport>
}

/** Creates the comparison. Responses are parsed once per version. */
export function createInteractiveComparison(): InteractiveComparison {
  const parseResponse = createParser(parseStoredResponse, MAX_CHARACTERS)
  const gather = (source: RfqReportSource) => gatherRfqInput(source, parseResponse)
  return {
    compare: async (source) => compareOffers(await gather(source)),
  }
}

/** Parses each version of a response once, as long as it is among those used last. */
export function createParser(
  parse: (stored: KnownDocument) => ParsedResponse,
  maxCharacters: number,
): (stored: KnownDocument) => ParsedResponse {
  const parsed = new RecentlyUsed<{ response: ParsedResponse; characters: number }>(
    maxCharacters,
    ({ characters }) => characters,
  )
  return (stored) => {
    const key = `${stored.shape} ${stored.id} ${stored.contentHash}`
    const known = parsed.get(key)
    if (known !== undefined) return { ...known.response, ...versionMetadata(stored) }
    const response = parse(stored)
    parsed.set(key, { response, characters: stored.bodyText.length })
    return response
  }
}
