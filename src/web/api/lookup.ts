import { closestMatches } from '../../core/text/suggest.js'
import { parseMoment } from '../../tables/moments.js'
import { requirePolled } from '../../tables/polls.js'
import type { Views } from '../../tables/views.js'
import { unknownName } from './problem.js'

/** The state that a request is about: the current one, or as of a past moment. */
export interface Moment {
  now: Date
  asOf?: Date
}

/** The moment that `as_of` names. @throws FilterError for what is no moment, and for one in the future */
export const asOfIn = (text: string, now: Date): Date => parseMoment(text, { option: 'as_of', now, dayMeans: 'end' })

/**
 * The state of a channel that `as_of` asks for.
 * @throws FilterError for what is no moment, for one in the future, and for one before the channel was polled
 */
export async function stateOf(
  { as_of, channel }: { as_of?: string | undefined; channel: string },
  { now, reader }: { now: Date; reader: Pick<Views, 'firstPollAt'> },
): Promise<Moment> {
  const asOf = as_of === undefined ? now : asOfIn(as_of, now)
  if (asOf >= now) return { now }
  await requirePolled('as_of', asOf, { channel, kind: 'rfqs', firstPollAt: reader.firstPollAt })
  return { now, asOf }
}

/** @throws ProblemError 404 if the channel is not configured */
export function knownChannel(channel: string, channels: readonly string[]): string {
  if (channels.includes(channel)) return channel
  throw unknownName('channel', channel, closestMatches(channel, channels))
}
