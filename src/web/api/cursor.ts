import { z } from 'zod'

/** Where the next page of a list begins: after the row with this key, or at this position if it is gone. */
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

export const encodeCursor = ({ key, position }: ListCursor): string =>
  Buffer.from(JSON.stringify([key, position])).toString('base64url')

/** Null if the text is not a cursor of `encodeCursor`. */
export function decodeCursor(text: string): ListCursor | null {
  try {
    const { data } = cursorContent.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')))
    return data === undefined ? null : { key: data[0], position: data[1] }
  } catch {
    return null
  }
}

/** One page of rows in a stable order. Rows that were added or removed meanwhile do not repeat or skip others. */
export function takePage<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { cursor, limit }: { cursor: ListCursor | null; limit: number },
): ListPage<Row> {
  const at = cursor === null ? -1 : rows.findIndex((row) => keyOf(row) === cursor.key)
  const start = cursor === null ? 0 : at === -1 ? cursor.position : at + 1
  const items = rows.slice(start, start + limit)
  const last = items.at(-1)
  const isLast = last === undefined || start + items.length >= rows.length
  return { items, next: isLast ? null : { key: keyOf(last), position: start + items.length }, total: rows.length }
}
