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

/**
 * Names a channel by the last part of its key, unless several have that.
 * @param channels those that are configured
 */
export function channelNames(channels: readonly string[]): (channel: string) => string {
  const short = (channel: string) => channel.split('/').at(-1) ?? channel
  const isUnique = new Set(channels.map(short)).size === channels.length
  return (channel) => (isUnique ? short(channel) : channel)
}

/**
 * The channel of a row by its name; only in files if there is one channel.
 * @param channels those that are configured
 */
export function channelColumn<Row extends { channel: string | null }>(channels: readonly string[]): Column<Row> {
  const nameOf = channelNames(channels)
  return {
    ...{ key: 'channel', title: 'Channel', width: 'line', fileOnly: channels.length <= 1 },
    value: ({ channel }) => channel,
    cell: ({ channel }) =>
      channel === null ? (
        UNKNOWN
      ) : (
        <span class="muted" title={channel}>
          {nameOf(channel)}
        </span>
      ),
  }
}

/** A value with its unit, which the head of the column says except on a phone. */
export const withUnit = (text: string, unit: string) => (
  <>
    {text}
    <span class="phone">{` ${unit}`}</span>
  </>
)
