import { z } from 'zod'

/** Where the next page of a list begins: after the row with this key; or, if it is gone, where it was. */
export interface ListCursor {
  key: string
  position: number
  /** The moment of the first page, for lists that can be read as of it. */
  asOf?: Date
}

export interface ListPage<Row> {
  items: Row[]
  next: ListCursor | null
  total: number
}

const cursorContent = z.tuple([z.string(), z.int().min(0), z.iso.datetime().optional()])

/** Of a text cursor: it may have the identifiers of an RFQ and an offer, with up to six characters for each of theirs, in base64. */
export const MAX_CURSOR_LENGTH = 20_000

export const encodeCursor = ({ key, position, asOf }: ListCursor): string =>
  Buffer.from(JSON.stringify([key, position, ...(asOf ? [asOf.toISOString()] : [])])).toString('base64url')

/** Null if the text is not a cursor of `encodeCursor`. */
export function decodeCursor(text: string): ListCursor | null {
  try {
    const { data } = cursorContent.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    if (data === undefined) return null
    const [key, position, asOf] = data
    return { key, position, ...(asOf !== undefined && { asOf: new Date(asOf) }) }
  } catch {
    return null
  }
}

/**
 * One page of rows. Rows that are added or removed between two pages neither repeat nor skip others, but rows that change
 * their place do: lists in an order that changes are read as of the moment of their first page, where they can be.
 */
export function takePage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { cursor, limit }: { cursor: ListCursor | null; limit: number },
): ListPage<Row> {
  const at = cursor === null ? -1 : rows.findIndex((row) => keyOf(row) === cursor.key)
  const start = at === -1 ? (cursor?.position ?? 0) : at + 1
  const items = rows.slice(start, start + limit)
  const last = items.at(-1)
  const isLast = last === undefined || start + items.length >= rows.length
  return { items, next: isLast ? null : { key: keyOf(last), position: start + items.length - 1 }, total: rows.length }
}
