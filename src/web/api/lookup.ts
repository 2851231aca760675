import { closestMatches } from '../../core/text/suggest.js'
import { type Lookup, problemText } from '../../tables/find-rfq.js'
import type { ListProblem } from '../../tables/list.js'
import { MomentError, parseMoment } from '../../tables/moments.js'
import { beforeFirstPoll } from '../../tables/polls.js'
import type { Views } from '../../tables/views.js'
import { type InvalidValue, ProblemError, unknownName } from './problem.js'

/** The state that a request is about: the current one, or as of a past moment. */
export interface Moment {
  now: Date
  asOf?: Date
}

/** A moment that a request names. @throws ProblemError 400 for what is no moment, and for one in the future */
export function momentIn(
  text: string,
  { name, now, dayMeans = 'start', place = 'query' }: MomentOptions & { dayMeans?: 'start' | 'end' },
): Date {
  try {
    return parseMoment(text, { option: name, now, dayMeans })
  } catch (error) {
    if (!(error instanceof MomentError)) throw error
    throw invalidMoment(error.message, { name, place })
  }
}

interface MomentOptions {
  name: string
  now: Date
  place?: InvalidValue['in']
}

const invalidMoment = (detail: string, { name, place }: { name: string; place: InvalidValue['in'] }) =>
  new ProblemError(400, detail, { errors: [{ in: place, name, detail }] })

/**
 * The state of a channel that `as_of` asks for.
 * @throws ProblemError 400 for a moment in the future, and for one before the channel was polled
 */
export async function stateOf(
  { as_of: text, channel }: { as_of?: string | undefined; channel: string },
  { now, reader, place = 'query' }: Omit<MomentOptions, 'name'> & { reader: Pick<Views, 'firstPollAt'> },
): Promise<Moment> {
  const asOf = text === undefined ? now : momentIn(text, { name: 'as_of', now, dayMeans: 'end', place })
  if (asOf >= now) return { now }
  const refusal = await beforeFirstPoll(asOf, { channel, kind: 'rfqs' }, reader.firstPollAt)
  if (refusal === null) return { now, asOf }
  throw invalidMoment(refusal, { name: 'as_of', place })
}

/** @throws ProblemError 404 if the channel is not configured */
export function knownChannel(channel: string, channels: readonly string[]): string {
  if (channels.includes(channel)) return channel
  throw unknownName('channel', channel, closestMatches(channel, channels))
}

/** What a name led to. @throws ProblemError 404 if it led to no RFQ, 409 if it is that of several */
export function requireFound<T>(lookup: Lookup<T>): T {
  if ('found' in lookup) return lookup.found
  const { reason, names } = lookup.problem
  const suggestions = names.length > 0 ? { suggestions: names } : {}
  throw new ProblemError(reason === 'ambiguous' ? 409 : 404, problemText(lookup.problem), suggestions)
}

/** The error for what a list or a filter refused. */
export const refusedFilter = ({ parameter, message, status, suggestions }: ListProblem): ProblemError =>
  new ProblemError(status, message, {
    errors: [{ in: 'query', name: parameter, detail: message }],
    ...(suggestions.length > 0 && { suggestions: [...suggestions] }),
  })
