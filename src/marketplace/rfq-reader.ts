import { MAX_PROBLEMS, type Problem } from '../domain/lenient-parser.js'
import { identifierOf, type Observation, parseResponseSummary, type Rfq } from '../domain/observation.js'
import type { ChannelSession } from './contract.js'
import { ItemError } from './errors.js'

/** An RFQ with all its responses, from one read. */
export interface FetchedRfq {
  rfq: Observation<Rfq>
  responses: FetchedResponse[]
  /** False if `responses` was not an array, or an entry had no id: a response not listed may still exist. */
  responsesComplete: boolean
  /** Just before the first request was sent: all values are at least this recent. */
  readAt: Date
  serverDate: Date | null
}
export interface FetchedResponse {
  id: string
  body: unknown
  valid: boolean
  problems: Problem[]
  /** `summary` if the marketplace lists the response but answers 400, 404 or 410 when it is read. */
  shape: 'full' | 'summary'
}

/**
 * Reads one RFQ, then each of its responses.
 * @throws MarketplaceError if the RFQ cannot be read, or a response for another reason than 400, 404 or 410
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
    const problem: Problem = { path: '', code: 'unavailable', message: `listed, but cannot be read: ${error.message}` }
    return { id, body: summary, valid, problems: [problem], shape: 'summary' }
  }
}

/** Entries by id. If entries share an id, the last one is used; if they differ, that is a problem. */
function uniqueResponseEntries(rfq: Observation<Rfq>) {
  const raw = (rfq.body as { responses?: unknown } | null)?.responses
  const list: unknown[] = Array.isArray(raw) ? raw : []
  const byId = new Map<string, unknown>()
  const duplicates: Problem[] = []
  let identified = 0
  let differing = 0
  for (const [index, entry] of list.entries()) {
    const id = identifierOf(entry)
    if (id === null) continue
    identified++
    if (byId.has(id) && JSON.stringify(byId.get(id)) !== JSON.stringify(entry) && ++differing <= MAX_PROBLEMS) {
      duplicates.push({
        path: `responses[${index}]`,
        code: 'duplicate',
        message: `another entry has the same id, ${id.slice(0, 80)}; this later entry is used`,
      })
    }
    byId.set(id, entry)
  }
  if (differing > MAX_PROBLEMS) {
    const message = `${differing - MAX_PROBLEMS} further entries share an id with a different entry`
    duplicates.push({ path: 'responses', code: 'omitted', message })
  }
  return { entries: [...byId], complete: Array.isArray(raw) && identified === list.length, duplicates }
}
