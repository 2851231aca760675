import { nameById } from '../core/text/rfq-name.js'
import type { ListCursor } from '../tables/cursor.js'
import { decodeCursor, encodeCursor, takePage } from '../tables/cursor.js'
import { problemText, type RfqRef } from '../tables/find-rfq.js'
import { type MomentContext, MomentError, parseMoment } from '../tables/moments.js'
import { parseQuery } from '../web/api/endpoint.js'
import { ProblemError, unknownName } from '../web/api/problem.js'
import { READ_ENDPOINTS } from '../web/api/read.js'
import type { Answer } from './answer-size.js'
import type { McpDeps } from './contract.js'

/** An error that the assistant can act on: it says what was found and what is allowed. */
export class ToolError extends Error {
  override name = 'ToolError'
}

interface Moment {
  now: Date
  asOf?: Date
}

/** One call of a tool: reads the record as of one moment. */
export class ToolCall {
  private constructor(
    private readonly deps: McpDeps,
    readonly moment: Moment,
  ) {}

  /** @throws ToolError for an `as_of` that is not a past moment */
  static async begin(deps: McpDeps, asOf: string | undefined): Promise<ToolCall> {
    const now = await deps.now()
    if (asOf === undefined) return new ToolCall(deps, { now })
    return new ToolCall(deps, { now, asOf: momentOf(asOf, { option: 'as_of', now, dayMeans: 'end' }) })
  }

  /** A moment since which something happened, as parameters have it. */
  since(name: string, text: string | undefined): string | undefined {
    if (text === undefined) return undefined
    return momentOf(text, { option: name, now: this.moment.now, dayMeans: 'start' }).toISOString()
  }

  /**
   * Runs an operation of the HTTP API.
   * @param parameters those that are undefined are left out
   * @throws ToolError for what the API answers with a problem
   */
  async read<Result>(
    id: string,
    parameters: Readonly<Record<string, string | number | boolean | undefined>> = {},
    path: Readonly<Record<string, string>> = {},
  ): Promise<Result> {
    const endpoint = READ_ENDPOINTS.find((each) => each.id === id)
    if (endpoint === undefined) throw new RangeError(`no operation ${id}`)
    const asOf = 'as_of' in endpoint.query.shape ? this.moment.asOf?.toISOString() : undefined
    const given = Object.entries({ ...parameters, as_of: asOf }).filter(([, value]) => value !== undefined)
    const texts = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
    const query = parseParameters(endpoint, texts, this.deps.suggest)
    const answer = await this.deps.reader.apiRead(id, { path, query, now: this.moment.now })
    if ('problem' in answer) throw new ToolError(answer.problem.detail)
    return JSON.parse(answer.json) as Result
  }

  /** The same for an operation on one RFQ. */
  readRfq<Result>(
    id: string,
    { channel, id: rfqId }: RfqRef,
    parameters: Readonly<Record<string, string | number | boolean | undefined>> = {},
    path: Readonly<Record<string, string>> = {},
  ): Promise<Result> {
    const [org = '', slug = ''] = channel.split('/')
    return this.read<Result>(id, parameters, { org, channel: slug, rfq: nameById(rfqId), ...path })
  }

  /**
   * Finds an RFQ by a name, in one channel or in all.
   * @throws ToolError with the closest names if there is none, and with all if there are several
   */
  async findRfq({ channel, rfq }: { channel?: string | undefined; rfq: string | number }): Promise<RfqRef> {
    const { channels, reader, suggest } = this.deps
    if (channel !== undefined && !channels.includes(channel))
      throw new ToolError(unknownName('channel', channel, suggest(channel, channels)).message)
    const search = { ...this.moment, name: String(rfq), ...(channel !== undefined && { channel }) }
    const lookup = await reader.findRfq(search)
    if ('found' in lookup) return lookup.found
    const text = problemText(lookup.problem)
    if (lookup.problem.reason === 'ambiguous') throw new ToolError(text)
    // If nothing at all was known at that moment, this says so.
    if (this.moment.asOf !== undefined) await this.read('listChanges', { channel, limit: 1 })
    throw new ToolError(`${text}; list_rfqs lists all`)
  }

  /** The answer with the moment it is about and how recent the record is. */
  async answer(channel: string | undefined, content: Answer): Promise<Answer> {
    const { now, asOf = now } = this.moment
    const channels = channel === undefined ? this.deps.channels : [channel]
    return {
      asOf: asOf.toISOString(),
      freshness: await this.deps.freshness(channels, this.moment),
      ...content,
    }
  }
}

/** One page of rows that are all known. @throws ToolError for a text that is not a cursor */
export function pageOf<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  { cursor, limit }: { cursor?: string | undefined; limit: number },
): { items: Row[]; nextCursor: string | null; total: number } {
  const { items, next, total } = takePage(rows, keyOf, { cursor: cursorOf(cursor), limit })
  return { items, nextCursor: next && encodeCursor(next), total }
}

function cursorOf(text: string | undefined): ListCursor | null {
  if (text === undefined) return null
  const cursor = decodeCursor(text)
  if (cursor === null) throw new ToolError('cursor: allowed is the nextCursor of an earlier page')
  return cursor
}

function momentOf(text: string, context: MomentContext): Date {
  try {
    return parseMoment(text, context)
  } catch (error) {
    throw error instanceof MomentError ? new ToolError(error.message) : error
  }
}

/** Validates parameters as the API does. */
function parseParameters(
  endpoint: Parameters<typeof parseQuery>[0],
  values: Readonly<Record<string, string>>,
  suggest: McpDeps['suggest'],
): Record<string, unknown> {
  try {
    return parseQuery(endpoint, values, suggest)
  } catch (error) {
    throw error instanceof ProblemError ? new ToolError(error.message) : error
  }
}
