import { z } from 'zod'

/** The head of a closing log at a moment, kept outside the database (docs/CLOSING.md, rule 9). */
export interface Anchor {
  /** The UUID of the database. */
  database: string
  /** How many decisions the log had. */
  decisions: number
  /** The hash of the newest of them. */
  hash: string
  /** When the anchor was made. */
  at: string
}

/** An anchor cannot be written or read. Its message contains a remedy, and never more of a URL than its origin. */
export class AnchorError extends Error {
  override name = 'AnchorError'
}

const FORMAT = { quotekeeper: 'anchor', version: 1 } as const

const schema = z.object({
  quotekeeper: z.literal(FORMAT.quotekeeper),
  version: z.literal(FORMAT.version),
  database: z.uuid(),
  decisions: z.int().min(0),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.iso.datetime(),
})

/** An anchor as it is sent, and as a line of a file. */
export const formatAnchor = ({ database, decisions, hash, at }: Anchor): string =>
  JSON.stringify({ ...FORMAT, database, decisions, hash, at })

/** @returns null for text that is not an anchor */
export function parseAnchor(text: string): Anchor | null {
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (!parsed.success) return null
    const { database, decisions, hash, at } = parsed.data
    return { database, decisions, hash, at }
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
