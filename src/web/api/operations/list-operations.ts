import { z } from 'zod'
import type { Filter } from '../../../tables/filter.js'
import { type List, sortableColumns } from '../../../tables/list.js'
import { LISTS, type ListName } from '../../../tables/lists/lists.js'
import { jsonRows, jsonSchema } from '../../../tables/print/json.js'
import { type ReadOperation, readOperation } from '../operation.js'
import { limit, rfqName } from '../parameters.js'

const flag = z.preprocess((value) => (value === 'true' || value === 'false' ? value === 'true' : value), z.boolean())

/** The schema of a filter. The list parses its value, and says what is allowed. */
function filterSchema({ kind, values, describe }: Filter): z.ZodType {
  const allowed = Array.isArray(values) ? z.enum(values as string[]) : z.string()
  return (kind === 'flag' ? flag : kind === 'rfq' ? rfqName : allowed).optional().describe(describe)
}

/** The operation of a list. */
function listOperation(name: ListName, { title, about, columns, filters }: List<unknown>): ReadOperation {
  const sorts = sortableColumns({ columns })
  const sort = {
    sort: z
      .string()
      .optional()
      .describe(`${sorts.join(', ')}; descending with - before it.`),
  }
  const capitalized = `${name[0]?.toUpperCase()}${name.slice(1)}`
  return readOperation({
    id: `list${capitalized}`,
    path: `/${name}`,
    tag: 'Lists',
    summary: title,
    description: about,
    query: z.strictObject({
      ...Object.fromEntries(filters.map((filter) => [filter.name, filterSchema(filter)])),
      ...(sorts.length > 0 && sort),
      cursor: z.string().optional().describe('`nextCursor` of the previous page.'),
      limit,
    }),
    result: z.strictObject({
      items: z.array(jsonSchema(columns).meta({ id: `${capitalized}Item` })),
      nextCursor: z.string().nullable().describe('Pass it as `cursor` to get the next page; null on the last page.'),
      total: z.int().describe('Items on all pages.'),
    }),
    async handle({ query: { limit, ...given }, at: { now }, views }) {
      const parameters = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
      const { rows, next, total } = await views.list(name, { now, limit, parameters })
      return { items: jsonRows(columns, rows), nextCursor: next, total }
    },
  })
}

/** An operation for each list. */
export const LIST_OPERATIONS: readonly ReadOperation[] = Object.entries(LISTS).map(([name, list]) =>
  listOperation(name as ListName, list as unknown as List<unknown>),
)
