import type { Column } from '../tables/table.js'

type More<Row> = Partial<Omit<Column<Row>, 'key' | 'title' | 'value'>>

/** A column of numbers, which the page shows in a format and files in full. */
export const numberColumn = <Row,>(
  key: string,
  title: string,
  value: (row: Row) => number | null,
  format: (value: number | null) => string,
  more: More<Row> = {},
): Column<Row> => ({ key, title, align: 'right', value, cell: (row) => format(value(row)), ...more })

/**
 * Names a channel by the last part of its key, unless several have that.
 * @param channels those that are configured
 */
export function channelNames(channels: readonly string[]): (channel: string) => string {
  const short = (channel: string) => channel.split('/').at(-1) ?? channel
  const isUnique = new Set(channels.map(short)).size === channels.length
  return (channel) => (isUnique ? short(channel) : channel)
}
