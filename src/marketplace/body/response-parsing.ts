import { contentHash } from '../../core/documents/canonical-json.js'
import { comparableId } from '../../core/documents/identifier.js'
import { type DocumentParser, identifierOf, type Observation, withTextOnly } from '../../core/documents/observation.js'
import type { CloseResult } from '../contract.js'
import type { TransportReply } from '../http/transport.js'
import { TransientError } from '../retry.js'
import { errorMessageOf, parseJsonOrNull } from '../status-errors.js'
import type { JsonObject, ParsedText } from './json-body.js'
import type { Sanitize } from './sanitizer.js'

/**
 * Checks that a document has the requested id, or none.
 * @throws TransientError for another id: the document must not be stored under the requested one
 */
export function requireMatchingId(body: JsonObject, id: string, label: () => string, sanitize: Sanitize): void {
  const found = body.id
  if (found === undefined || found === null || found === '') return
  if (typeof found === 'string' && comparableId(found) === comparableId(id)) return
  const shown = typeof found === 'string' ? sanitize(found) : `of type ${typeof found}`
  throw new TransientError(`${label()}: status 200, but the body is another document (id ${shown})`, { status: 200 })
}

/** Different entries without an identifier that one list may store; further ones are only counted. */
export const MAX_UNIDENTIFIED = 100
/** Problems of one list. Further ones are only counted. */
export const MAX_LIST_PROBLEMS = 50_000
/** Longer texts are compared after parsing only. */
const MAX_COMPARED_TEXT = 1000

/**
 * Collects the entries of a list. Equal entries without an identifier become one, with a problem that says how many there
 * are; the number of different ones, and of problems, is limited.
 */
export class ListCollector<T> {
  readonly observations: Observation<T>[] = []
  readonly #kind: 'listing' | 'rfq'
  readonly #parse: DocumentParser<T>
  /** Entries without an identifier, by the hash of their content, with their number. */
  readonly #unidentified = new Map<string, { observation: Observation<T>; times: number }>()
  readonly #hashByText = new Map<string, string>()
  #unidentifiedLeftOut = 0
  #problems = 0
  #problemsLeftOut = 0

  constructor(kind: 'listing' | 'rfq', parse: DocumentParser<T>) {
    this.#kind = kind
    this.#parse = parse
  }

  /** @param parse parses the text; not called for a text that is known */
  add(text: string, parse: () => ParsedText): void {
    const known = this.#unidentified.get(this.#hashByText.get(text) ?? '')
    if (known) known.times++
    else this.#addNew(text, parse())
  }

  finish(): Observation<T>[] {
    const [first] = this.#unidentified.values()
    for (const { observation, times } of this.#unidentified.values()) {
      if (times > 1) {
        const message = `the list contains ${times} equal entries without an identifier; they are stored as one`
        observation.problems.push({ path: '', code: 'duplicate', message })
      }
    }
    if (this.#unidentifiedLeftOut > 0) {
      const message = `${this.#unidentifiedLeftOut} further entries of the list have no identifier; they are not stored`
      first?.observation.problems.push({ path: '', code: 'omitted', message })
    }
    if (this.#problemsLeftOut > 0) {
      const message = `the list has more than ${MAX_LIST_PROBLEMS} problems; ${this.#problemsLeftOut} are not recorded`
      this.observations[0]?.problems.push({ path: '', code: 'omitted', message })
    }
    return this.observations
  }

  #addNew(text: string, { value: body, received }: ParsedText): void {
    if (identifierOf(body) !== null) {
      this.#keep(this.#parse(body, received))
      return
    }
    const hash = contentHash(this.#kind, received.exact)
    const known = this.#unidentified.get(hash)
    if (known) known.times++
    else if (this.#unidentified.size >= MAX_UNIDENTIFIED) this.#unidentifiedLeftOut++
    else {
      const observation = this.#keep(this.#parse(body, received))
      this.#unidentified.set(hash, { observation, times: 1 })
      if (text.length <= MAX_COMPARED_TEXT) this.#hashByText.set(text, hash)
    }
  }

  #keep(observation: Observation<T>): Observation<T> {
    const problems = observation.problems.slice(0, MAX_LIST_PROBLEMS - this.#problems)
    this.#problems += problems.length
    this.#problemsLeftOut += observation.problems.length - problems.length
    const kept = this.#withoutContent({ ...observation, problems })
    this.observations.push(kept)
    return kept
  }

  /** Polls need the document of an RFQ's entry several times, and no content of listings. */
  #withoutContent(observation: Observation<T>): Observation<T> {
    const { text, body, exactBody, document } = observation
    if (text === null || exactBody !== body) return observation
    const parse = this.#parse
    const parseAgain = this.#kind === 'rfq' ? () => ({ document }) : parse
    return withTextOnly({ ...observation, text }, contentHash(this.#kind, body), parseAgain)
  }
}

/** Extracts `ok` and the message of a close reply; the caller interprets them. */
export function parseCloseReply({ status, body, serverDate }: TransportReply, sanitize: Sanitize): CloseResult {
  const parsed = parseJsonOrNull(body.toString('utf8')) as {
    ok?: unknown
    message?: unknown
    statusCode?: unknown
  } | null
  const ok = typeof parsed?.ok === 'boolean' ? parsed.ok : null
  const hasNoMessage = ok !== null && typeof parsed?.message !== 'string'
  const error = Number(parsed?.statusCode)
  return {
    status: status === 200 && error >= 400 ? error : status,
    ok,
    message: hasNoMessage ? null : errorMessageOf(body, sanitize),
    serverDate,
  }
}
