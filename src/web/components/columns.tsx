import type { Column } from '../tables/table.js'
import { Moment, UNKNOWN } from './format.js'

type More<Row> = Partial<Omit<Column<Row>, 'key' | 'title' | 'value'>>

/** A column of moments. */
export const momentColumn = <Row,>(
  key: string,
  title: string,
  value: (row: Row) => string | null,
  more: More<Row> = {},
): Column<Row> => ({
  ...{ key, title, width: 'line', value },
  cell: (row) => {
    const at = value(row)
    return at === null ? UNKNOWN : <Moment at={at} />
  },
  ...more,
})

/** A column of numbers, which the page shows in a format and files in full. */
export const numberColumn = <Row,>(
  key: string,
  title: string,
  value: (row: Row) => number | null,
  format: (value: number | null) => string,
  more: More<Row> = {},
): Column<Row> => ({ key, title, align: 'right', value, cell: (row) => format(value(row)), ...more })
