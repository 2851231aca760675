import { cleanText } from '../../core/text/clean-text.js'
import { withoutNoise } from '../../core/text/number-format.js'
import { renderCsv } from '../../tables/print/csv.js'
import type { CellValue, Table } from './table.js'

export type TableFormat = 'csv' | 'json'

export interface TableFile {
  type: string
  name: string
  body: string
}

/** A table of rows of any type, for downloading. */
export interface Download {
  name: string
  file: (format: TableFormat) => TableFile
}

export const downloadOf = <Row>(table: Table<Row>): Download => ({
  name: table.name,
  file: (format) => tableFile(table, format),
})

/** A table as a file: its columns and rows as on the page, and all rows where the page shows some. */
function tableFile<Row>(table: Table<Row>, format: TableFormat): TableFile {
  const rows = table.allRows ?? table.rows
  const { columns, name } = table
  if (format === 'json') {
    const records = rows.map((row) => Object.fromEntries(columns.map(({ key, value }) => [key, fileValue(value(row))])))
    return {
      type: 'application/json; charset=utf-8',
      name: `${name}.json`,
      body: `${JSON.stringify(records, null, 2)}\n`,
    }
  }
  const lines = rows.map((row) =>
    columns.map(({ value }) => {
      const content = fileValue(value(row))
      return typeof content === 'boolean' ? String(content) : content
    }),
  )
  const body = renderCsv([columns.map(({ key }) => key), ...lines])
  return { type: 'text/csv; charset=utf-8', name: `${name}.csv`, body }
}

/** As on the page: text without characters that hide or reorder others, numbers with 15 digits. */
function fileValue(value: CellValue): CellValue {
  if (typeof value === 'string') return cleanText(value)
  return typeof value === 'number' ? withoutNoise(value) : value
}
