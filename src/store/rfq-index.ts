import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { byCodeUnit } from '../core/numbers.js'
import { isCalendarDate } from '../core/zoned-time.js'
import type { Connection } from './connection.js'
import type { Closings } from './contract.js'
import { CURRENT_VERSION } from './document-queries.js'
import type { OpenRfq, Outbox } from './outbox-contract.js'
import { fromStoredText } from './stored-text.js'

/** RFQs, and rows of versions, that are read at a time: a few milliseconds. */
const BATCH_SIZE = 25
const ROW_STEP = 50

/** Returns the RFQs of a channel, with what decides whether they are due. */
export type ListRfqs = (channel: string) => Promise<IndexedRfq[]>

/** Creates the function that returns the RFQs of a channel, and remembers what it read of them. */
export function createRfqIndex(connection: Connection): ListRfqs {
  const channels = new Map<string, RfqIndex>()
  return async (channel) => {
    const index = channels.get(channel) ?? new RfqIndex(connection, channel)
    channels.set(channel, index)
    await index.update()
    return index.all()
  }
}

/** Creates `openRfqsDue` of the outbox and of readers. */
export function createOpenRfqsDue(listRfqs: ListRfqs): Outbox['openRfqsDue'] {
  return async (channel, upTo) => {
    const due = (await listRfqs(channel)).flatMap(({ id, state, dueDate, isMissing }): OpenRfq[] =>
      !isMissing && state === 'open' && dueDate !== null && dueDate <= upTo && isCalendarDate(dueDate)
        ? [{ rfqId: fromStoredText(id), dueDate }]
        : [],
    )
    return due.sort((a, b) => byCodeUnit(a.rfqId, b.rfqId))
  }
}

/** Creates `unclosedRfqs` of the closings. */
export function createUnclosedRfqs(listRfqs: ListRfqs): Closings['unclosedRfqs'] {
  return async ({ channel, dueBefore }) =>
    (await listRfqs(channel)).flatMap(({ id, state, dueDate }) => {
      const isDueLater = dueDate !== null && isCalendarDate(dueDate) && dueDate >= dueBefore
      return state === 'closed' || isDueLater ? [] : [fromStoredText(id)]
    })
}

interface IndexRow {
  id: string
  state: unknown
  due_date: unknown
}

/** SQLite rejects some texts that are valid JSON, such as deeply nested ones: their RFQs have no state here. */
const JSON_TEXT = `case when json_valid(coalesce(v.parsed_body, v.body)) then coalesce(v.parsed_body, v.body) else '{}' end`
const FACTS = `e.id, json_extract(${JSON_TEXT}, '$.state') as state, json_extract(${JSON_TEXT}, '$.responseDueDate') as due_date`

/** An RFQ with what decides whether it is due. */
export interface IndexedRfq {
  /** As stored. */
  id: string
  state: string | null
  /** As received, usually YYYY-MM-DD. */
  dueDate: string | null
  isMissing: boolean
}

/**
 * State and due date of each RFQ of a channel, kept in memory, because parsing the documents of thousands of RFQs takes
 * long. Versions never change, so that only new ones are read.
 */
class RfqIndex {
  readonly #connection: Connection
  readonly #channel: string
  readonly #rfqs = new Map<string, Omit<IndexedRfq, 'isMissing'>>()
  /** The newest row of `document_versions` that was read; null before the first update has ended. */
  #newestRow: number | null = null
  #updating: Promise<void> = Promise.resolve()

  constructor(connection: Connection, channel: string) {
    this.#connection = connection
    this.#channel = channel
  }

  /** Reads what was recorded since the last update; concurrent calls run one after another. */
  update(): Promise<void> {
    this.#updating = this.#updating.catch(() => undefined).then(() => this.#update())
    return this.#updating
  }

  all(): IndexedRfq[] {
    const isMissing = new Set(
      this.#read<{ id: string }>(
        `select id from entities where channel = @channel and kind = 'rfq' and missing_since is not null`,
      ).map(({ id }) => id),
    )
    return Array.from(this.#rfqs.values(), (rfq) => ({ ...rfq, isMissing: isMissing.has(rfq.id) }))
  }

  async #update(): Promise<void> {
    // Asked first: what is recorded during this update is read by the next one.
    const [newest] = this.#read<{ row: number | null }>('select max(number) as row from document_versions')
    const upTo = newest?.row ?? 0
    if (this.#newestRow === null) await this.#readCurrent()
    else await this.#readSince(this.#newestRow, upTo)
    this.#newestRow = upTo
  }

  async #readCurrent(): Promise<void> {
    let rows: IndexRow[] = []
    do {
      rows = this.#add(
        this.#read<IndexRow>(
          `select ${FACTS} from entities e
          join versions v on ${CURRENT_VERSION}
          where e.channel = @channel and e.kind = 'rfq' and e.rfq_id = '' and e.id > @after order by e.id limit ${BATCH_SIZE}`,
          { after: rows.at(-1)?.id ?? '' },
        ),
      )
      await yieldToEventLoop()
    } while (rows.length === BATCH_SIZE)
  }

  async #readSince(row: number, upTo: number): Promise<void> {
    for (let after = row; after < upTo; after += ROW_STEP) {
      this.#add(
        this.#read<IndexRow>(
          `select ${FACTS} from document_versions v
          join documents e on e.number = v.document
          join collections c on c.number = e.collection
          where v.number > @after and v.number <= @until and c.channel = @channel and c.kind = 'rfq' order by v.number`,
          { after, until: Math.min(after + ROW_STEP, upTo) },
        ),
      )
      await yieldToEventLoop()
    }
  }

  #add(rows: IndexRow[]): IndexRow[] {
    const textOf = (value: unknown) => (typeof value === 'string' ? value : null)
    for (const { id, state, due_date } of rows)
      this.#rfqs.set(id, { id, state: textOf(state), dueDate: textOf(due_date) })
    return rows
  }

  #read<T>(sql: string, parameters: Record<string, string | number> = {}): T[] {
    return this.#connection.read((db) => db.prepare(sql).all({ channel: this.#channel, ...parameters })) as T[]
  }
}
