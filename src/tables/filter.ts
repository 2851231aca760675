import { formsOfId } from '../core/documents/identifier.js'
import { searchWords } from '../core/text/comparable-text.js'
import { nameById } from '../core/text/rfq-name.js'
import type { Queries } from '../store/contract.js'
import type { SqlParameters } from '../store/sql/sql-database.js'
import { FilterError, unknownValue } from './filter-error.js'
import { parseDueDate, parseMoment } from './moments.js'
import type { ViewSource } from './source.js'

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
  source: ViewSource,
  now: Date,
): Promise<Record<string, ParsedFilter>> {
  const parsed: Record<string, ParsedFilter> = {}
  for (const filter of filters) {
    const { name, kind, where } = filter
    const given = texts[name]?.trim() ?? ''
    if (given === '') continue
    if (given.length > MAX_LENGTH) throw new FilterError(name, `${name} is longer than ${MAX_LENGTH} characters`)
    const choices = await choicesOf(filter, source)
    const text = kind === 'channel' ? findChannel(given, choices) : given
    if (choices.length > 0 && !choices.includes(text)) throw unknownValue(name, text, choices)
    const context = { source, now, channel: parsed.channel?.parameters.channel as string | undefined }
    parsed[name] = { where, parameters: { [name]: text }, ...(await PARSERS[kind]?.(filter, text, context)) }
  }
  return parsed
}

const MAX_LENGTH = 1_000

interface ParseContext {
  source: ViewSource
  now: Date
  /** The channel that a filter before it names. */
  channel: string | undefined
}
type Parsed = Partial<ParsedFilter>
type Parse = (filter: Filter, text: string, context: ParseContext) => Parsed | Promise<Parsed>

/** Of kinds whose values are not the texts, or whose conditions depend on them. */
const PARSERS: Partial<Record<FilterKind, Parse>> = {
  async rfq(_, text, { source, now, channel }) {
    const found = await source.findRfq({ ...(channel !== undefined && { channel }), name: text, now })
    return { parameters: { rfqChannel: found.channel, rfqId: found.id } }
  },
  words({ where }, text, { source }) {
    const { dialect } = source.store.database
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
  flag: ({ where }, text) => ({ where: text === 'true' ? `(${where})` : `not (${where})` }),
}

/** The values of a filter that a reader can choose from; none if other texts are values too. */
export async function choicesOf({ kind, values = [] }: Filter, source: ViewSource): Promise<readonly string[]> {
  if (kind === 'channel') return source.knownChannels()
  if (kind === 'flag') return ['true', 'false']
  return typeof values === 'function' ? values(source.store.database) : values
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
