import type { ParsedResponse } from '../../compare/input/comparison-input.js'
import { parseStoredResponse, versionMetadata } from '../../compare/input/stored-documents.js'
import { compareOffers, type RfqReport } from '../../compare/report/compare-offers.js'
import { RecentlyUsed } from '../../core/recently-used.js'
import type { KnownDocument } from '../../core/records.js'
import { gatherRfqInput, type RfqReportSource } from './report-input.js'

/** A setting names what the RFQ does not have. The message states what it may be. */
class InvalidSettingError extends Error {
  override name = 'InvalidSettingError'
}

/**
 * Builds the offer comparison model of one RFQ as of a moment.
 * @throws UnknownRfqError, InvalidSettingError, StoreError
 */
export async function buildRfqReport(
  source: RfqReportSource,
  parseResponse: (stored: KnownDocument) => ParsedResponse = parseStoredResponse,
): Promise<RfqReport> {
  const report = compareOffers(await gatherRfqInput(source, parseResponse))
  const { without } = report.settings
  const isUnknown = (number: number) => report.offers.every(({ sequence }) => sequence !== number)
  const unknown = without === null ? [] : `${without}`.split(',').map(Number).filter(isUnknown)
  if (unknown.length === 0) return report
  const known = report.offers.length === 0 ? 'it has none' : `its offers are 1 to ${report.offers.length}`
  throw new InvalidSettingError(`without: the RFQ has no offer ${unknown.join(', ')}; ${known}`)
}

/** Parsed responses are kept in memory up to this sum of the lengths of their texts. */
const MAX_CHARACTERS = 16 * 2 ** 20

/** Creates `buildRfqReport` for pages, which build a report again and again: each version of a response is parsed once. */
export function createReportBuilder(): (source: RfqReportSource) => Promise<RfqReport> {
  const parsed = new RecentlyUsed<{ response: ParsedResponse; characters: number }>(
    MAX_CHARACTERS,
    ({ characters }) => characters,
  )
  const parseResponse = (stored: KnownDocument): ParsedResponse => {
    const key = `${stored.shape} ${stored.id} ${stored.contentHash}`
    const known = parsed.get(key)
    if (known !== undefined) return { ...known.response, ...versionMetadata(stored) }
    const response = parseStoredResponse(stored)
    parsed.set(key, { response, characters: stored.bodyText.length })
    return response
  }
  return (source) => buildRfqReport(source, parseResponse)
}
