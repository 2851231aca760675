import { asResponse } from '../../core/changes/compare-documents.js'
import { comparableId } from '../../core/documents/identifier.js'
import type { Parsed, Problem } from '../../core/documents/lenient-parser.js'
import { parseDocument, type SentDocument } from '../../core/documents/observation.js'
import type { KnownDocument } from '../../core/records.js'
import type { ParsedListing, ParsedResponse, ParsedRfq, ReadState, Unreadable } from './comparison-input.js'

/** Parses a stored RFQ. Never throws. */
export function parseStoredRfq(stored: KnownDocument): ParsedRfq {
  const { document, problems } = parsedOf('rfq', stored, stored.body)
  const shape = stored.shape === 'full' ? 'full' : 'list'
  const unreadable = unreadableOf(problems).filter((path) => !path.startsWith('responses'))
  return { unreadable, readState: readStateOf(stored), document, ...stored, shape }
}

/** An RFQ changed since it was read if the newest version of its list entry was recorded after that. */
export function readStateOf({ shape, entry }: Pick<KnownDocument, 'shape' | 'entry'>): ReadState {
  if (shape !== 'full') return 'not-read'
  return entry?.isRead === false ? 'changed-since-read' : 'read'
}

/** What lists say of an RFQ that is not shown as it is now; null if it is. */
export const READ_STATE_TEXT: Readonly<Record<ReadState, string | null>> = {
  read: null,
  'changed-since-read': 'changed since read',
  'not-read': 'listed, not read yet',
}

/** Parses a stored response, or its summary in the form of one. Never throws. */
export function parseStoredResponse(stored: KnownDocument): ParsedResponse {
  const { document, problems } = parsedOf('response', stored, asResponse(stored))
  return {
    document,
    unreadable: unreadableOf(problems),
    ...stored,
    shape: stored.shape === 'full' ? 'full' : 'summary',
  }
}

/** What parsing a document gives. A part of it is parsed anew, as the whole. */
const parsedOf = <K extends 'rfq' | 'response'>(kind: K, { shape, parsed }: KnownDocument, body: unknown) =>
  shape === 'full' && parsed ? (parsed as Parsed<SentDocument<K>>) : parseDocument(kind, body)

const unreadableOf = (problems: readonly Problem[]): Unreadable =>
  problems.flatMap(({ code, path }) => (code === 'type' || code === 'format' ? [path] : []))

/** Parses a stored listing; its id is as offers name it. Never throws. */
export function parseStoredListing(stored: KnownDocument): ParsedListing {
  const { document } = parseDocument('listing', stored.body)
  return { document, ...stored, id: comparableId(stored.id) }
}

/** Whether a member, or the part of the document that it belongs to, is unreadable. @param member `pricing.maxUnitPrice` */
export const isUnreadable = (unreadable: Unreadable, member: string): boolean =>
  unreadable.some((path) => path === member || isWithin(path, member) || isWithin(member, path))

const isWithin = (path: string, part: string) => path.startsWith(`${part}.`) || path.startsWith(`${part}[`)
