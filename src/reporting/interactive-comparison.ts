import type { ParsedResponse } from '../domain/comparison/comparison-input.js'
import { compareOffers } from '../domain/comparison/report/compare-offers.js'
import type { RfqReport } from '../domain/comparison/report/rfq-report-model.js'
import { parseStoredResponse, versionMetadata } from '../domain/comparison/stored-documents.js'
import type { KnownDocument } from '../domain/records.js'
import { gatherRfqInput } from './report-input.js'
import type { RfqReportSource } from './rfq-report.js'

/** Parsed responses are kept in memory up to this sum of the lengths of their texts. */
const MAX_CHARACTERS = 16 * 2 ** 20

export type InteractiveComparison = (
  source: RfqReportSource,
  options: { withNegotiation: boolean },
) => Promise<RfqReport>

/**
 * Builds the report on an RFQ again and again with other settings, for a page. It is that of `buildRfqReport`, without what
 * only a workbook shows: the changes, and the awards for other choices. Responses are parsed once per version.
 * @throws UnknownRfqError, StoreError
 */
export function createInteractiveComparison(): InteractiveComparison {
  const parseResponse = createParser(parseStoredResponse, MAX_CHARACTERS)
  return async (source, options) =>
    compareOffers(await gatherRfqInput(source, { parseResponse, withHistory: false }), {
      ...options,
      withSwitches: false,
    })
}

/** Parses each version of a response once, as long as it is among those used last. */
export function createParser(
  parse: (stored: KnownDocument) => ParsedResponse,
  maxCharacters: number,
): (stored: KnownDocument) => ParsedResponse {
  const parsed = new Map<string, { response: ParsedResponse; characters: number }>()
  let characters = 0
  const forget = (key: string) => {
    characters -= parsed.get(key)?.characters ?? 0
    parsed.delete(key)
  }
  return (stored) => {
    const key = `${stored.shape} ${stored.id} ${stored.contentHash}`
    const known = parsed.get(key)
    const response = known ? { ...known.response, ...versionMetadata(stored) } : parse(stored)
    forget(key)
    const { length } = stored.bodyText
    parsed.set(key, { response, characters: length })
    characters += length
    for (const [oldest] of parsed) {
      if (characters <= maxCharacters) break
      forget(oldest)
    }
    return response
  }
}
