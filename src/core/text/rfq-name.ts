import { comparableId } from '../documents/identifier.js'
import { composed, searchable } from './comparable-text.js'

/**
 * How people and programs name an RFQ: by its id, its number or its reference. `id:…`, `number:…` and `reference:…` say which of
 * them is meant.
 */

const KINDS = ['id', 'number', 'reference'] as const
const FORCED = new RegExp(`^(${KINDS.join('|')}):(.*)$`, 's')

/** A name. Without `kind`, it is the id, the number or the reference. */
export interface RfqName {
  text: string
  kind?: (typeof KINDS)[number]
}

/** What an RFQ can be named by. */
interface RfqNames {
  id: string
  /** As text, also if it was sent as text; null if it has none. */
  number: string | null
  reference: string | null
}

/** The longest prefix of a name. */
export const MAX_PREFIX_LENGTH = 'reference:'.length

export function parseRfqName(text: string): RfqName {
  const [, kind, rest = ''] = FORCED.exec(text) ?? []
  return kind === undefined ? { text } : { text: rest, kind: kind as NonNullable<RfqName['kind']> }
}

/** The name that never leads to another RFQ of the channel: `id:0192f3…`. */
export const nameById = (id: string): string => `id:${id}`

/** Number and reference as a document says them, whether or not they are what they should be. */
export function namesIn(body: unknown): Omit<RfqNames, 'id'> {
  const { number, reference } = Object(body) as { number?: unknown; reference?: unknown }
  return {
    number: typeof number === 'number' || typeof number === 'string' ? String(number) : null,
    reference: typeof reference === 'string' ? composed(reference) : null,
  }
}

/** Whether an RFQ has a name. Upper and lower case of a reference are the same. */
export function hasName(rfq: RfqNames, { text, kind }: RfqName): boolean {
  const isMeant = (wanted: RfqName['kind']) => kind === undefined || kind === wanted
  return (
    (isMeant('id') && comparableId(rfq.id) === comparableId(text)) ||
    (isMeant('number') && rfq.number === text) ||
    (isMeant('reference') && rfq.reference?.toLowerCase() === searchable(text))
  )
}
