import type { CopiedTable } from './copied-tables.js'
import type { CopySide, Row } from './copy-side.js'

/** The approximate maximum length of a page, in characters. */
const PAGE_LENGTH = 4 * 2 ** 20
const MAX_ROWS = 2000

export interface PageOptions {
  columns: readonly string[]
  /** The key after which to start; null: at the first row. */
  after: readonly (string | number)[] | null
}

export type Key = readonly (string | number)[]

/** Reads a table in pages ordered by its key. All rows with the same key are in one page. */
export async function* readPages(
  { database }: CopySide,
  { name, key, ties }: CopiedTable,
  { columns, after }: PageOptions,
): AsyncGenerator<{ rows: Row[]; last: Key }> {
  const select = `select ${columns.join(', ')} from ${name}`
  const order = [...key, ...(ties ?? [])].join(', ')
  const keyParameters = key.map((_, at) => `@key${at}`).join(', ')
  const parametersOf = (values: Key) => Object.fromEntries(values.map((value, at) => [`key${at}`, value]))
  const page = (comparison: string, values: Key | null, limit: number) => {
    const where = values === null ? '' : `where (${key.join(', ')}) ${comparison} (${keyParameters})`
    return database.all<Row>(`${select} ${where} order by ${order} limit @limit`, {
      ...parametersOf(values ?? []),
      limit,
    })
  }
  let limit = 100
  for (let from = after; ; ) {
    const rows = await page('>', from, limit)
    const last = rows.at(-1)
    if (!last) return
    from = key.map((column) => last[column] as string | number)
    if (ties && rows.length === limit) {
      const isLast = (row: Row) => key.every((column) => row[column] === last[column])
      yield {
        rows: [...rows.filter((row) => !isLast(row)), ...(await page('=', from, Number.MAX_SAFE_INTEGER))],
        last: from,
      }
    } else yield { rows, last: from }
    limit = nextLimit(limit, rows)
  }
}

/** The row limit of the next page, because rows differ in size by five orders of magnitude. */
function nextLimit(limit: number, rows: readonly Row[]): number {
  const length = rows.reduce(
    (sum, row) =>
      sum +
      Object.values(row).reduce((part: number, value) => part + (typeof value === 'string' ? value.length : 8), 0),
    0,
  )
  return Math.min(MAX_ROWS, limit * 2, Math.max(1, Math.floor((rows.length * PAGE_LENGTH) / length)))
}
