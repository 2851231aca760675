import type { PollKind, Store } from '../../store/contract.js'
import { parseMoment } from '../../tables/moments.js'
import { requirePolled } from '../../tables/polls.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import type { SharedOptions } from './options.js'
import { shownChannels } from './select-channels.js'

interface ReadFilter {
  channel?: string
  asOf?: Date
}

/**
 * The filter given by `--channel` and `--as-of`.
 * @param reads the polls whose data the command shows; default both
 * @throws {FilterError} for a channel that is neither configured nor in the database, an invalid `--as-of`, or one before
 * the first poll
 */
export async function parseReadFilter(
  cli: Cli,
  { store, app }: { store: Store; app: App },
  { channel, asOf }: SharedOptions,
  reads?: PollKind,
): Promise<ReadFilter> {
  const moment = asOf === undefined ? {} : { asOf: parseTimeOption(cli, '--as-of', asOf) }
  const [found] = channel === undefined ? [] : await shownChannels(app.config, store, channel)
  const of = found === undefined ? {} : { channel: found }
  const filter: ReadFilter = { ...of, ...moment }
  const { firstPollAt } = store
  if (filter.asOf) await requirePolled('--as-of', filter.asOf, { ...of, ...(reads && { kind: reads }), firstPollAt })
  return filter
}

const DAY_MEANS = { '--as-of': 'end', '--since': 'start' } as const

/**
 * The moment that an option names.
 * @throws {FilterError} for anything else, and for a moment in the future
 */
export const parseTimeOption = ({ io }: Pick<Cli, 'io'>, option: keyof typeof DAY_MEANS, text: string): Date =>
  parseMoment(text, { option, now: io.now(), dayMeans: DAY_MEANS[option] })
