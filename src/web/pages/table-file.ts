import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Column } from '../../tables/column.js'
import { printCsv } from '../../tables/print/csv.js'
import { jsonRows } from '../../tables/print/json.js'
import { HttpError } from '../http/errors.js'

export const FILE_FORMATS = ['csv', 'json'] as const
type FileFormat = (typeof FILE_FORMATS)[number]

/** A table of a page, with rows of any type, that can be downloaded. */
export interface FileTable {
  name: string
  /** The text of the file. */
  print: (format: FileFormat) => Promise<string>
}

interface Rows<Row> {
  name: string
  columns: readonly Column<Row>[]
  /** Those of the page, or a function that reads all of them. */
  rows: readonly Row[] | (() => Promise<readonly Row[]>)
}

export const fileTable = <Row>({ name, columns, rows }: Rows<Row>): FileTable => ({
  name,
  async print(format) {
    const all = typeof rows === 'function' ? await rows() : rows
    return format === 'csv' ? printCsv(columns, all) : `${JSON.stringify(jsonRows(columns, all), null, 2)}\n`
  },
})

const TYPES: Record<FileFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  json: 'application/json; charset=utf-8',
}

/**
 * Sends a table of a page as a file.
 * @param name undefined: the first one
 * @throws HttpError 404 if the page has no such table
 */
export async function sendTable(
  reply: FastifyReply,
  tables: readonly FileTable[],
  name: string | undefined,
  format: FileFormat,
): Promise<FastifyReply> {
  const table = name === undefined ? tables[0] : tables.find((each) => each.name === name)
  if (table === undefined) {
    const known = tables.map((each) => each.name).join(', ') || 'none'
    throw new HttpError(404, `this page has no table ${JSON.stringify(name ?? '')}; its tables: ${known}`)
  }
  const file = `${table.name}.${format}`
  return reply
    .type(TYPES[format])
    .header('content-disposition', `attachment; filename="${file}"`)
    .send(await table.print(format))
}

/** Sends a workbook as a download. */
export const sendWorkbook = (reply: FastifyReply, file: string, content: Buffer | Readable): FastifyReply =>
  reply
    .type('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    .header('content-disposition', `attachment; filename="${file}"`)
    .send(content)
