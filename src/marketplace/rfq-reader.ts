import type { Problem } from '../domain/lenient-parser.js'
import { type Observation, parseResponseSummary, type Rfq } from '../domain/observation.js'
import type { ChannelSession } from './contract.js'
import { ItemError } from './errors.js'

/** An RFQ with all its responses, as one reading showed them. */
export interface FetchedRfq {
  rfq: Observation<Rfq>
  responses: FetchedResponse[]
  /** False where `responses` was no list, or held an entry without identifier: then absence proves nothing. */
  responsesComplete: boolean
  /** When the first request was sent: nothing in here is older. */
  readAt: Date
  serverDate: Date | null
}
export interface FetchedResponse {
  id: string
  body: unknown
  valid: boolean
  problems: Problem[]
  /** `summary` where the marketplace lists the response but has none to read. */
  shape: 'full' | 'summary'
}

/**
 * Reads one RFQ, then each of its responses.
 * @throws MarketplaceError where the RFQ, or a response for another reason than 400 or 404, cannot be read
 */
export async function readRfqWithResponses(session: ChannelSession, id: string): Promise<FetchedRfq> {
  const { value: rfq, readAt, serverDate } = await session.readRfq(id)
  const { entries, complete, duplicates } = uniqueResponseEntries(rfq)
  const responses = await Promise.all(entries.map(([entryId, entry]) => fetchResponse(session, id, entryId, entry)))
  return {
    rfq: { ...rfq, problems: [...rfq.problems, ...duplicates] },
    responses,
    responsesComplete: complete,
    readAt,
    serverDate,
  }
}

async function fetchResponse(
  session: ChannelSession,
  rfqId: string,
  id: string,
  summary: unknown,
): Promise<FetchedResponse> {
  try {
    const { value } = await session.readResponse(rfqId, id)
    return { id, body: value.body, valid: value.valid, problems: value.problems, shape: 'full' }
  } catch (error) {
    if (!(error instanceof ItemError)) throw error
    const { valid } = parseResponseSummary(summary)
    const problem: Problem = { path: '', code: 'unavailable', message: `listed, but not to be read: ${error.message}` }
    return { id, body: summary, valid, problems: [problem], shape: 'summary' }
  }
}

/** Each response once: of entries that share an identifier the later one counts. */
function uniqueResponseEntries(rfq: Observation<Rfq>) {
  const raw = (rfq.body as { responses?: unknown } | null)?.responses
  const list: unknown[] = Array.isArray(raw) ? raw : []
  const byId = new Map<string, unknown>()
  const duplicates: Problem[] = []
  let identified = 0
  for (const [index, entry] of list.entries()) {
    const { document } = parseResponseSummary(entry)
    if (!document) continue
    identified++
    if (byId.has(document.id) && JSON.stringify(byId.get(document.id)) !== JSON.stringify(entry)) {
      duplicates.push({
        path: `responses[${index}]`,
        code: 'duplicate',
        message: `another entry has the identifier ${document.id.slice(0, 80)}; this later one counts`,
      })
    }
    byId.set(document.id, entry)
  }
  return { entries: [...byId], complete: Array.isArray(raw) && identified === list.length, duplicates }
}
