import { z } from 'zod'

/** Where the next page of a list begins: after the row with this key; or, if it is gone or further back, where it was. */
export interface ListCursor {
  key: string
  position: number
}

export interface ListPage<Row> {
  items: Row[]
  next: ListCursor | null
  total: number
}

const cursorContent = z.tuple([z.string(), z.int().min(0)])

/** Of a text cursor: it may have the identifiers of an RFQ and an offer, with up to six characters for each of theirs, in base64. */
export const MAX_CURSOR_LENGTH = 20_000

export const encodeCursor = ({ key, position }: ListCursor): string =>
  Buffer.from(JSON.stringify([key, position])).toString('base64url')

/** Null if the text is not a cursor of `encodeCursor`. */
export function decodeCursor(text: string): ListCursor | null {
  try {
    const { data } = cursorContent.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    if (data === undefined) return null
    const [key, position] = data
    return { key, position }
  } catch {
    return null
  }
}

/**
 * One page of rows. Rows that are added, removed or moved back between two pages may repeat others, but leave out none.
 */
export function takePage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { cursor, limit }: { cursor: ListCursor | null; limit: number },
): ListPage<Row> {
  const at = cursor === null ? -1 : rows.findIndex((row) => keyOf(row) === cursor.key)
  const position = cursor?.position ?? 0
  const start = at === -1 || at > position ? position : at + 1
  const items = rows.slice(start, start + limit)
  const last = items.at(-1)
  const isLast = last === undefined || start + items.length >= rows.length
  return { items, next: isLast ? null : { key: keyOf(last), position: start + items.length - 1 }, total: rows.length }
}
