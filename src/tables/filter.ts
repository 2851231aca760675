import { formsOfId } from '../core/documents/identifier.js'
import { searchWords } from '../core/text/comparable-text.js'
import { nameById } from '../core/text/rfq-name.js'
import type { Queries } from '../store/contract.js'
import type { SqlParameters } from '../store/sql/sql-database.js'
import { FilterError, unknownValue } from './filter-error.js'
import type { RfqRef } from './find-rfq.js'
import { parseDueDate, parseMoment } from './moments.js'

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
  /** The condition in SQL, with its value as `@name`; of a flag, what is true if it is `true`; of words, the expression of the searched text. */
  where: string
}

/** What texts are parsed with. */
interface FilterContext {
  queries: Queries
  now: Date
  /** Every channel that is configured or stored, `org/slug`. */
  channels: readonly string[]
  findRfq: (search: { channel?: string; name: string; now: Date }) => Promise<RfqRef>
}

/** The condition of a filter, with its values. */
export interface ParsedFilter {
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
    parsed[filter.name] = { where: filter.where, ...(await PARSERS[filter.kind](filter, text, context, channelText)) }
  }
  return parsed
}

const MAX_LENGTH = 1_000

/** A condition is that of the filter, where it does not depend on the value. */
type Parsed = Pick<ParsedFilter, 'parameters'> & Partial<ParsedFilter>
type Parse = (filter: Filter, text: string, context: FilterContext, channel?: string) => Parsed | Promise<Parsed>

const PARSERS: Record<FilterKind, Parse> = {
  channel(_, text, { channels }) {
    return { parameters: { channel: findChannel(text, channels) } }
  },
  async rfq(_, text, { findRfq, now, channels }, channel) {
    const within = channel === undefined || channel === '' ? {} : { channel: findChannel(channel, channels) }
    const found = await findRfq({ ...within, name: text, now })
    return { parameters: { rfqChannel: found.channel, rfqId: found.id } }
  },
  async choice({ name, values = [] }, text, { queries }) {
    const allowed = typeof values === 'function' ? await values(queries) : values
    if (!allowed.includes(text)) throw unknownValue(name, text, allowed)
    return { parameters: { [name]: text } }
  },
  words({ where }, text, { queries: { dialect } }) {
    const patterns = searchWords(text).map(
      (word, at) => [`word${at}`, `%${word.replaceAll(/[!%_]/g, '!$&')}%`] as const,
    )
    const hasWords = patterns.map(([name]) => `${where} like @${name} escape '!'`).join(' and ')
    const isFound = patterns.length === 0 ? 'true' : `(${hasWords} or ${dialect.anyOf('t.id', '@searchIds')})`
    const parameters = { ...Object.fromEntries(patterns), searchIds: formsOfId(text) }
    return { where: isFound, parameters }
  },
  since({ name }, text, { now }) {
    return { parameters: { [name]: parseMoment(text, { option: name, now, dayMeans: 'start' }).toISOString() } }
  },
  before({ name }, text, { now }) {
    return { parameters: { [name]: parseDueDate(text, { option: name, now }) } }
  },
  flag({ name, where }, text) {
    if (text !== 'true' && text !== 'false') throw unknownValue(name, text, ['true', 'false'])
    return { where: text === 'true' ? `(${where})` : `not (${where})`, parameters: {} }
  },
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

/** The filters that most lists have. @param channel the expression of the channel */
export const channelFilter = (channel = 't.channel'): Filter => ({
  ...{ name: 'channel', kind: 'channel', header: 'Channel', where: `${channel} = @channel` },
  describe: 'Only this channel: org/slug, or the slug alone.',
})

export const RFQ_FILTER: Filter = {
  ...{ name: 'rfq', kind: 'rfq', header: 'RFQ', where: 't.channel = @rfqChannel and t.rfq_id = @rfqId' },
  describe: `Only this RFQ: its number, reference or id (\`${nameById('…')}\`).`,
}

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
