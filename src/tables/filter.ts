import { formsOfId } from '../core/documents/identifier.js'
import { nameById } from '../core/text/rfq-name.js'
import { searchWords } from '../core/text/search-words.js'
import { closestMatches } from '../core/text/suggest.js'
import type { Queries } from '../store/contract.js'
import { toStoredText } from '../store/documents/stored-text.js'
import type { SqlParameters } from '../store/sql/sql-database.js'
import { hasWords, wordPatterns } from '../store/sql/word-search.js'
import { type Lookup, problemText, type RfqRef } from './find-rfq.js'
import { MomentError, parseDueDate, parseMoment } from './moments.js'

/** How the text of a filter becomes a value; see `PARSERS`. */
type FilterKind = 'channel' | 'rfq' | 'choice' | 'words' | 'since' | 'before' | 'flag'

/** A condition that a reader can choose for a list. */
export interface Filter {
  /** The parameter of pages and the API, the argument of a tool, and with dashes the option of a command. */
  name: string
  kind: FilterKind
  /** The label of its field. */
  header: string
  /** What it does, in one sentence. */
  describe: string
  /** Of a choice: the values that are allowed. Those that occur are read from the database. */
  values?: readonly string[] | ((queries: Queries) => Promise<string[]>)
  /**
   * The condition in SQL, with its value as `@name`; of a flag, what is true if it is `true`. Of a channel, the expression of the channel; of
   * an RFQ, those of its channel and id; of words, that of the searched text, or of the id as a whole.
   */
  where: string | { channel: string; id: string } | { words: string; id: string }
}

/** A text that is no value of a filter: what was found and what is allowed, without a full stop. */
export class FilterError extends Error {
  override name = 'FilterError'
  constructor(
    readonly parameter: string,
    message: string,
    readonly status: 400 | 404 | 409 = 400,
    readonly suggestions: readonly string[] = [],
  ) {
    super(message)
  }
}

/** What texts are parsed with. */
interface FilterContext {
  queries: Queries
  now: Date
  /** Every channel that is configured or stored, `org/slug`. */
  channels: readonly string[]
  findRfq: (search: { channel?: string; name: string; now: Date }) => Promise<Lookup<RfqRef>>
}

/** The value of a filter, for lists that are not read by SQL; and its condition. */
export interface ParsedFilter {
  value: string | boolean | Date | RfqRef
  where: string
  parameters: SqlParameters
}

/**
 * Parses the texts of filters.
 * @returns by the names of the filters that have a text
 * @throws FilterError
 */
export async function parseFilters(
  filters: readonly Filter[],
  texts: Readonly<Record<string, string>>,
  context: FilterContext,
): Promise<Record<string, ParsedFilter>> {
  const parsed: Record<string, ParsedFilter> = {}
  const channelText = texts.channel
  for (const filter of filters) {
    const text = texts[filter.name]?.trim()
    if (text === undefined || text === '') continue
    if (text.length > MAX_LENGTH)
      throw new FilterError(filter.name, `${filter.name} is longer than ${MAX_LENGTH} characters`)
    parsed[filter.name] = await PARSERS[filter.kind](filter, text, context, channelText)
  }
  return parsed
}

const MAX_LENGTH = 1_000

type Parse = (
  filter: Filter,
  text: string,
  context: FilterContext,
  channel?: string,
) => Promise<ParsedFilter> | ParsedFilter

const conditionOf = ({ where }: Filter): string => (typeof where === 'string' ? where : '')

const PARSERS: Record<FilterKind, Parse> = {
  channel(filter, text, { channels }) {
    const channel = findChannel(text, channels)
    return { value: channel, where: `${conditionOf(filter)} = @channel`, parameters: { channel } }
  },
  async rfq({ name, where }, text, { findRfq, now, channels }, channel) {
    const within = channel === undefined || channel === '' ? {} : { channel: findChannel(channel, channels) }
    const found = requireFound(await findRfq({ ...within, name: text, now }), name)
    const columns = where as { channel: string; id: string }
    return {
      value: found,
      where: `${columns.channel} = @rfqChannel and ${columns.id} = @rfqId`,
      parameters: { rfqChannel: found.channel, rfqId: toStoredText(found.id) },
    }
  },
  async choice(filter, text, { queries }) {
    const { name, values = [] } = filter
    const allowed = typeof values === 'function' ? await values(queries) : values
    if (!allowed.includes(text)) throw unknownValue(name, text, allowed)
    return { value: text, where: conditionOf(filter), parameters: { [name]: toStoredText(text) } }
  },
  words({ where }, text, { queries: { dialect } }) {
    const words = searchWords(text)
    const columns = where as { words: string; id: string }
    return {
      value: text,
      where:
        words.length === 0
          ? 'true'
          : `(${hasWords(columns.words, words)} or ${dialect.anyOf(columns.id, '@searchIds')})`,
      parameters: { ...wordPatterns(words), searchIds: formsOfId(text).map(toStoredText) },
    }
  },
  since(filter, text, { now }) {
    const value = momentOf(filter, () => parseMoment(text, { option: filter.name, now, dayMeans: 'start' }))
    return { value, where: conditionOf(filter), parameters: { [filter.name]: value.toISOString() } }
  },
  before(filter, text, { now }) {
    const value = momentOf(filter, () => parseDueDate(text, { option: filter.name, now }))
    return { value, where: conditionOf(filter), parameters: { [filter.name]: value } }
  },
  flag(filter, text) {
    if (text !== 'true' && text !== 'false') throw unknownValue(filter.name, text, ['true', 'false'])
    const condition = conditionOf(filter)
    return { value: text === 'true', where: text === 'true' ? `(${condition})` : `not (${condition})`, parameters: {} }
  },
}

/** What the name of an RFQ led to. @throws FilterError 404 if it led to none, 409 if it is that of several */
export function requireFound<T>(lookup: Lookup<T>, parameter = 'rfq'): T {
  if ('found' in lookup) return lookup.found
  const { reason, names } = lookup.problem
  throw new FilterError(parameter, problemText(lookup.problem), reason === 'ambiguous' ? 409 : 404, names)
}

/** A moment or a date that `parse` reads from a text. @throws FilterError */
export function momentOf<T>({ name }: Pick<Filter, 'name'>, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof MomentError) throw new FilterError(name, error.message)
    throw error
  }
}

/**
 * The channel that a text names: by its key, or by the last part of it if only one channel has that.
 * @throws FilterError
 */
export function findChannel(text: string, channels: readonly string[]): string {
  if (channels.includes(text)) return text
  const named = channels.filter((channel) => channel.split('/').at(-1) === text)
  if (named.length === 1 && named[0] !== undefined) return named[0]
  throw unknownValue('channel', text, named.length > 1 ? named : channels)
}

/** The error of a value that is none of the allowed ones. */
export function unknownValue(name: string, text: string, allowed: readonly string[]): FilterError {
  const suggestions = closestMatches(text, allowed)
  const hint = suggestions[0] === undefined ? '' : ` Did you mean ${suggestions[0]}?`
  const list = allowed.length === 0 ? 'there is none yet' : allowed.slice(0, MAX_LISTED).join(', ')
  return new FilterError(name, `${name} "${text.slice(0, 60)}" is not known.${hint} Allowed: ${list}`, 400, suggestions)
}

const MAX_LISTED = 40

/** The filters that most lists have. */
export const channelFilter = (where: string): Filter => ({
  ...{ name: 'channel', kind: 'channel', header: 'Channel', where },
  describe: 'Only this channel: org/slug, or the slug alone.',
})

export const rfqFilter = (where: { channel: string; id: string }): Filter => ({
  ...{ name: 'rfq', kind: 'rfq', header: 'RFQ', where },
  describe: `Only this RFQ: its number, reference or id (\`${nameById('…')}\`).`,
})

/** @param where default: that the column of this name has the value */
export const choiceFilter = (
  name: string,
  header: string,
  values: NonNullable<Filter['values']>,
  describe: string,
  where = `t.${name} = @${name}`,
): Filter => ({ name, kind: 'choice', header, values, where, describe })

export const sinceFilter = (where: string, describe: string): Filter => ({
  ...{ name: 'since', kind: 'since', header: 'Since', where },
  describe: `${describe}: 2026-01-31, 2026-01-31T12:00Z, yesterday or "2 days ago".`,
})
