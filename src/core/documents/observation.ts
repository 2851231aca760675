import type { z } from 'zod'
import { contentHash } from './canonical-json.js'
import {
  type DocumentShape,
  listingDocument,
  responseDocument,
  responseSummary,
  rfqDocument,
  rfqListDocument,
  type SubjectKind,
} from './documents.js'
import { MAX_LOSSES, type ParseLoss } from './exact-json.js'
import { isUsableIdentifier } from './identifier.js'
import {
  describesPath,
  formatPath,
  type Lenient,
  MAX_PROBLEMS,
  type Problem,
  parseLeniently,
} from './lenient-parser.js'

export type Listing = Lenient<z.output<typeof listingDocument>>
/** An RFQ as an element of the list; its responses carry `id` and `listingId` only. */
export type RfqListItem = Lenient<z.output<typeof rfqListDocument>>
export type Rfq = Lenient<z.output<typeof rfqDocument>>
export type ResponseSummary = Lenient<z.output<typeof responseSummary>>
export type RfqResponse = Lenient<z.output<typeof responseDocument>>
export type Offer = NonNullable<RfqResponse['offer']>
export type ScheduledDelivery = Offer['scheduledDeliveries'][number]
export type Vintage = ScheduledDelivery['vintages'][number]
export type PrePayment = Offer['prePayments'][number]
export type Review = NonNullable<Offer['review']>

/** A body as received, with the result of parsing it. */
export interface Observation<T> {
  /** The identifier, or `unidentified-<hash>` of its content for a document without a usable one. */
  id: string
  /** The parsed JSON, unaltered. */
  body: unknown
  /** The body without what parsing loses (exact-json.ts); the body itself if it loses nothing. */
  exactBody: unknown
  /** The text as received; null if only the parsed body is known. */
  text: string | null
  /** The document, with null for absent or unusable values; null if the body is not an object or has no identifier. */
  document: T | null
  problems: Problem[]
  /** False if a value has the wrong type, the identifier is absent, or parsing lost something (docs/DATABASE.md). */
  valid: boolean
  /** Identifies the bytes as received and the version of Quotekeeper that parsed them; null or absent if not known. */
  fingerprint?: string | null
  /** The content hash (canonical-json.ts), if it was calculated. */
  hash?: string
  /** Parsing the text is known to lose nothing. */
  losesNothing?: boolean
}

/**
 * An observation that keeps only its text and hash. Its content takes several times as much memory, so it is parsed on each
 * access. Parsing its text loses nothing.
 */
export function withTextOnly<T>(
  { id, text, problems, valid }: Observation<T> & { text: string },
  hash: string,
  parse: (body: unknown) => Pick<Observation<T>, 'document'>,
): Observation<T> {
  const body = () => JSON.parse(text) as unknown
  return {
    ...{ id, text, problems, valid, hash, losesNothing: true },
    // Own properties, so that copies made with `...` have them.
    get body() {
      return body()
    },
    get exactBody() {
      return body()
    },
    get document() {
      return parse(body()).document
    },
  }
}

/**
 * A document with the same bytes as a stored one that this version of Quotekeeper found valid and without problems. It is
 * parsed only on access.
 */
export class StoredObservation<T> implements Observation<T> {
  readonly valid = true
  /** What parsing loses is a problem. */
  readonly losesNothing = true
  readonly problems: Problem[] = []
  #parsed: Observation<T> | null = null
  #body: unknown
  readonly #parse: () => Observation<T>

  constructor(
    readonly id: string,
    readonly text: string,
    readonly fingerprint: string,
    parse: () => Observation<T>,
  ) {
    this.#parse = parse
  }

  get body(): unknown {
    this.#body ??= this.#parsed === null ? (JSON.parse(this.text) as unknown) : this.#parsed.body
    return this.#body
  }

  get exactBody(): unknown {
    return this.body
  }

  get document(): T | null {
    this.#parsed ??= this.#parse()
    return this.#parsed.document
  }
}

/** The text of a document, as received. */
export interface ReceivedText {
  /** Decoded from UTF-8, without white space around it. */
  text: string
  /** Its exact value (exact-json.ts); the parsed body itself if parsing loses nothing. */
  exact: unknown
  losses: readonly ParseLoss[]
  /** Bytes that are not UTF-8 were replaced by U+FFFD. */
  hasInvalidUtf8: boolean
}

/** Whether parsing a document lost something that matters. */
export const isAmbiguous = ({
  valid,
  problems,
}: Pick<Observation<unknown>, 'valid'> & { problems: readonly Problem[] }): boolean =>
  !valid && problems.some(({ code }) => code === 'duplicate-key' || code === 'precision')

/** Parses a document. Never throws. */
export type DocumentParser<T> = (body: unknown, received?: ReceivedText) => Observation<T>

/** The identifier of a document, or null if it has none that can be used. */
export function identifierOf(body: unknown): string | null {
  if (body === null || typeof body !== 'object' || Array.isArray(body) || !Object.hasOwn(body, 'id')) return null
  const { id } = body as { id?: unknown }
  return typeof id === 'string' && isUsableIdentifier(id) ? id : null
}

/**
 * The problems of losses, and whether they make a document not valid: a duplicate key always does, because it is unknown which
 * value is meant; a changed number only in a field of the API description, or if there are too many to examine them all.
 */
function classifyLosses(schema: z.ZodType, losses: readonly ParseLoss[]): { problems: Problem[]; isDecisive: boolean } {
  const problems: Problem[] = []
  let isDecisive = false
  for (const { path, code, message } of losses) {
    const decides = code === 'duplicate-key' || losses.length === MAX_LOSSES || describesPath(schema, path)
    const isFull = problems.length >= MAX_PROBLEMS
    // The first decisive loss is recorded, however many come before it: replaying relies on it.
    if (!isFull || (decides && !isDecisive)) problems.push({ path: formatPath(path), code, message })
    isDecisive ||= decides
    if (!isFull || !isDecisive) continue
    problems.push({ path: '', code: 'omitted', message: 'further duplicate keys and changed numbers are not recorded' })
    break
  }
  return { problems, isDecisive }
}

const INVALID_UTF8: Problem = {
  path: '',
  code: 'encoding',
  message: 'the text is not valid UTF-8; the invalid bytes are stored as U+FFFD',
}

const parserFor =
  <S extends z.ZodType>(kind: SubjectKind, schema: S) =>
  (body: unknown, received?: ReceivedText): Observation<Lenient<z.output<S>>> => {
    const { value, problems: deviations } = parseLeniently(schema, body)
    const exactBody = received ? received.exact : body
    const lost = classifyLosses(schema, received?.losses ?? [])
    const problems = [...lost.problems, ...(received?.hasInvalidUtf8 ? [INVALID_UTF8] : []), ...deviations]
    const id = (value as { id?: string } | null)?.id
    return {
      id: id ?? `unidentified-${contentHash(kind, exactBody).slice(0, 16)}`,
      body,
      exactBody,
      text: received?.text ?? null,
      document: value,
      problems,
      valid: id !== undefined && !lost.isDecisive && problems.every((problem) => problem.code !== 'type'),
    }
  }

/** Parses a listing. Never throws. */
export const parseListing = parserFor('listing', listingDocument)
/** Parses an element of the RFQ list. Never throws. */
export const parseRfqListItem = parserFor('rfq', rfqListDocument)
/** Parses an RFQ. Never throws. */
export const parseRfq = parserFor('rfq', rfqDocument)
/** Parses the summary of a response within an RFQ. Never throws. */
export const parseResponseSummary = parserFor('response', responseSummary)
/** Parses a response. Never throws. */
export const parseResponse = parserFor('response', responseDocument)

type Shaped<S extends DocumentShape, T> = Observation<T> & { shape: S }
interface StoredObservations {
  listing: Shaped<'full', Listing>
  rfq: Shaped<'full', Rfq> | Shaped<'list', RfqListItem>
  response: Shaped<'full', RfqResponse> | Shaped<'summary', ResponseSummary>
}

const STORED_PARSERS: {
  [K in SubjectKind]: (shape: DocumentShape, body: unknown, received?: ReceivedText) => StoredObservations[K]
} = {
  listing: (_, ...text) => ({ shape: 'full', ...parseListing(...text) }),
  rfq: (shape, ...text) =>
    shape === 'list' ? { shape, ...parseRfqListItem(...text) } : { shape: 'full', ...parseRfq(...text) },
  response: (shape, ...text) =>
    shape === 'summary' ? { shape, ...parseResponseSummary(...text) } : { shape: 'full', ...parseResponse(...text) },
}

/** Parses a stored body with the schema of its kind and shape. Never throws. */
export function parseStored<K extends SubjectKind>(
  kind: K,
  shape: DocumentShape,
  body: unknown,
  received?: ReceivedText,
): StoredObservations[K] {
  return STORED_PARSERS[kind](shape, body, received)
}
