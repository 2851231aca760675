import { contentHash } from '../core/documents/canonical-json.js'
import { membersOf } from '../core/documents/json-text.js'
import { formatPath, MAX_PROBLEMS, type Problem } from '../core/documents/lenient-parser.js'
import type { Observation, Rfq } from '../core/documents/observation.js'
import type { ReadResult } from '../marketplace/contract.js'
import { readRfqWithResponses } from '../sync/rfq-reader.js'
import { type Candidate, storedCandidate } from './evaluate.js'
import type { Round } from './round.js'

type Reading = Pick<Round, 'context' | 'run'>

/** An RFQ as stored; null if it is not. */
export async function findStored({ context, run }: Reading, id: string): Promise<Candidate | null> {
  const [stored] = await context.store.rfqs({ channel: run.channel, ids: [id], withoutResponses: true })
  return stored === undefined ? null : storedCandidate(stored.rfq)
}

/** Reads an RFQ with all its responses, and records it. @throws MarketplaceError, RunLostError */
export async function readAndRecord(reading: Reading, id: string): Promise<Candidate> {
  const { context, run } = reading
  const { rfq, ...read } = await readRfqWithResponses(context.session, id)
  const answeredAt = context.now()
  const unclear = closingProblems(rfq.text)
  const problems = [...rfq.problems, ...unclear]
  await context.store.recordRfq(run, { ...read, rfq: { ...rfq, problems } }, answeredAt)
  const { readAt, serverDate } = read
  return withReading(await findStored(reading, id), { readAt, serverDate, answeredAt }, unclear)
}

/**
 * Checks that a read of an RFQ, without its responses, shows what is recorded.
 * @param known the RFQ as it was recorded
 * @returns the RFQ by the newest list; null if it has changed
 */
export async function confirmRead(
  reading: Reading,
  known: Candidate,
  { value, readAt, serverDate }: ReadResult<Observation<Rfq>>,
): Promise<Candidate | null> {
  const answeredAt = reading.context.now()
  const stored = await findStored(reading, known.id)
  const unclear = closingProblems(value.text)
  if (contentHash(value.body) !== known.hash || known.hash !== stored?.hash) return null
  // What its text has against it is recorded.
  if (known.valid && (!value.valid || unclear.length > 0)) return null
  return withReading(stored, { readAt, serverDate, answeredAt }, unclear)
}

/** An RFQ as stored, by a read of it, which proves no state if its text is not clear. */
function withReading(stored: Candidate | null, reading: Candidate['reading'], unclear: readonly Problem[]): Candidate {
  if (stored === null) throw new Error('An RFQ that was just recorded is not stored.')
  return unclear.length === 0 ? { ...stored, reading } : { ...stored, reading, valid: false, state: null }
}

/** Members that decide about closing. */
const DECIDING = ['id', 'state', 'responseDueDate']

/**
 * What a close must not rest on, because a reader of the text may understand something else (docs/CLOSING.md, rule 2): a member
 * that the RFQ has more than once, or an id, state or due date that is not written as the value that was read, but with escapes.
 * @param text of an RFQ that was read, a JSON object; only its own members are looked at
 * @returns at most 200 problems
 */
export function closingProblems(text: string): Problem[] {
  const problems: Problem[] = []
  const names = new Set<string>()
  for (const [name, value] of membersOf(text)) {
    const path = formatPath([name])
    if (names.has(name)) {
      const message = 'the RFQ has this member more than once, so it is not closed'
      problems.push({ path, code: 'duplicate', message })
    } else if (DECIDING.includes(name) && JSON.stringify(JSON.parse(value)) !== value) {
      const message = 'it is not written as the value that was read, so the RFQ is not closed'
      problems.push({ path, code: 'encoding', message })
    }
    names.add(name)
  }
  return problems.slice(0, MAX_PROBLEMS)
}
