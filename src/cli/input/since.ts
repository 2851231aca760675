import type { Store } from '../../store/contract.js'
import type { Cli } from '../cli-context.js'
import type { SinceOption } from './options.js'
import { parseTimeOption } from './read-filter.js'

/**
 * The rows that are newer than the moment of `--since`; all without it.
 * @param timeOf the timestamp of a row
 * @throws {UsageError} for what is not a moment
 */
export async function keepSince<Row>(
  cli: Pick<Cli, 'io'>,
  store: Pick<Store, 'runs'>,
  rows: readonly Row[],
  { since }: SinceOption,
  timeOf: (row: Row) => string,
): Promise<readonly Row[]> {
  if (since === undefined) return rows
  const after = await parseTimeOption(cli, store, '--since', since)
  return rows.filter((row) => new Date(timeOf(row)) > after)
}
