import { comparableJson, contentHash } from '../../core/documents/canonical-json.js'
import { MAX_PROBLEMS, type Problem } from '../../core/documents/lenient-parser.js'
import { identifierOf, type Observation, type Rfq } from '../../core/documents/observation.js'
import { type ParsedText, readElements } from './json-body.js'

/**
 * Hexadecimal characters of the hash of a summary: 128 bits. A forged collision would hide a change of an offer for at most
 * `polling.offersMaxAgeMinutes`, and never before a close.
 */
const SUMMARY_HASH_LENGTH = 32

/** The hash of a summary; null if the RFQ has several lists of responses, so that it is unknown which one counts. */
export function summaryHash({ exactBody }: Observation<Rfq>, index: number): string | null {
  const list = (exactBody as { responses?: unknown } | null)?.responses
  return Array.isArray(list) ? contentHash('response', list[index]).slice(0, SUMMARY_HASH_LENGTH) : null
}

/** The summaries of the responses of an RFQ, each with its own text, which is found when the first is needed. */
export class SummaryTexts {
  readonly #rfq: Observation<Rfq>
  #elements: Promise<ParsedText[]> | null = null

  constructor(rfq: Observation<Rfq>) {
    this.#rfq = rfq
  }

  async at(index: number): Promise<ParsedText> {
    this.#elements ??= readElements({ text: this.#rfq.text ?? '', hasInvalidUtf8: false }, 'responses')
    const element = (await this.#elements)[index]
    if (element === undefined) throw new Error(`The text of response ${index} was not found in its RFQ.`)
    return element
  }
}

/** Entries by id. If entries share an id, the last one is used; if they differ, that is a problem. */
export function uniqueResponseEntries(rfq: Observation<Rfq>) {
  const raw = (rfq.body as { responses?: unknown } | null)?.responses
  const list: unknown[] = Array.isArray(raw) ? raw : []
  const byId = new Map<string, { entry: unknown; index: number }>()
  const duplicates: Problem[] = []
  let identified = 0
  let differing = 0
  for (const [index, entry] of list.entries()) {
    const id = identifierOf(entry)
    if (id === null) continue
    identified++
    const earlier = byId.get(id)?.entry
    const differs = earlier !== undefined && comparableJson(earlier) !== comparableJson(entry)
    if (differs && ++differing <= MAX_PROBLEMS) {
      duplicates.push({
        path: `responses[${index}]`,
        code: 'duplicate',
        message: `another entry has the same id, ${id.slice(0, 80)}; this later entry is used`,
      })
    }
    byId.set(id, { entry, index })
  }
  if (differing > MAX_PROBLEMS) {
    const message = `${differing - MAX_PROBLEMS} further entries share an id with a different entry`
    duplicates.push({ path: 'responses', code: 'omitted', message })
  }
  return { entries: [...byId], complete: Array.isArray(raw) && identified === list.length, duplicates }
}
