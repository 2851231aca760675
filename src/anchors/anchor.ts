import { z } from 'zod'

/** The heads of the closing log and the award log at a moment, stored outside the database (docs/CLOSING.md, rule 9). */
export interface Anchor {
  /** The UUID of the database. */
  database: string
  /** The number of decisions in the log. */
  decisions: number
  /** The hash of the newest of them. */
  hash: string
  /** The number of rows in the award log, and the hash of the newest; absent in anchors of earlier versions. */
  awards?: number
  awardsHash?: string
  /** When the anchor was made. */
  at: string
}

/** An anchor cannot be written or read. Its message contains a remedy, and never more of a URL than its origin. */
export class AnchorError extends Error {
  override name = 'AnchorError'
}

const FORMAT = { quotekeeper: 'anchor', version: 1 } as const

const HASH = z.string().regex(/^[0-9a-f]{64}$/)
const schema = z.object({
  quotekeeper: z.literal(FORMAT.quotekeeper),
  version: z.literal(FORMAT.version),
  database: z.uuid(),
  decisions: z.int().min(0),
  hash: HASH,
  awards: z.int().min(0).optional(),
  awardsHash: HASH.optional(),
  at: z.iso.datetime(),
})

/** An anchor as it is sent, and as a line of a file. */
export const formatAnchor = ({ database, decisions, hash, awards, awardsHash, at }: Anchor): string =>
  JSON.stringify({ ...FORMAT, database, decisions, hash, awards, awardsHash, at })

/** @returns null for text that is not an anchor */
export function parseAnchor(text: string): Anchor | null {
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (!parsed.success) return null
    const { database, decisions, hash, awards, awardsHash, at } = parsed.data
    const anchor = { database, decisions, hash, at }
    return awards === undefined || awardsHash === undefined ? anchor : { ...anchor, awards, awardsHash }
  } catch {
    return null
  }
}

/** A line of an anchor file; null if it is damaged. */
export interface AnchorLine {
  /** Counted from 1. */
  line: number
  anchor: Anchor | null
}

/** The lines of an anchor file without the empty ones. */
export function parseAnchorLines(text: string): AnchorLine[] {
  return text
    .split('\n')
    .map((content, index) => ({ line: index + 1, content: content.trim() }))
    .filter(({ content }) => content !== '')
    .map(({ line, content }) => ({ line, anchor: parseAnchor(content) }))
}
