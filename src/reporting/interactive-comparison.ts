import type { ParsedResponse } from '../domain/comparison/comparison-input.js'
import { compareOffers } from '../domain/comparison/report/compare-offers.js'
import type { RfqReport } from '../domain/comparison/report/rfq-report-model.js'
import { parseStoredResponse, versionMetadata } from '../domain/comparison/stored-documents.js'
import type { KnownDocument } from '../domain/records.js'
import { gatherRfqInput } from './report-input.js'
import type { RfqReportSource } from './rfq-report.js'

/** Parsed responses kept in memory. */
const MAX_DOCUMENTS = 2_000

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
  const parsed = new Map<string, ParsedResponse>()
  const parse = (stored: KnownDocument): ParsedResponse => {
    const key = `${stored.shape} ${stored.id} ${stored.contentHash}`
    const known = parsed.get(key)
    const response = known ? { ...known, ...versionMetadata(stored) } : parseStoredResponse(stored)
    parsed.delete(key)
    parsed.set(key, response)
    for (const [oldest] of parsed) {
      if (parsed.size <= MAX_DOCUMENTS) break
      parsed.delete(oldest)
    }
    return response
  }
  return async (source, options) =>
    compareOffers(await gatherRfqInput(source, { parseResponse: parse, withHistory: false }), {
      ...options,
      withSwitches: false,
    })
}
