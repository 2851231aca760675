import type { EventKind, EventRecord, PassedOver, TargetState } from '../../core/events/events.js'
import { createHolderWatch, type Holder } from '../runs/process-holder.js'
import { allOf, membersOf, type Queries, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { EVENT, type EventRow, toEvent } from './event-feed.js'
import { NEWEST_SEQUENCE } from './event-writer.js'

/** A target, and which events it takes; those without a channel always. `channels` null: of all. */
interface TargetChoice {
  name: string
  kinds: readonly EventKind[]
  channels: readonly string[] | null
}

/** A page of the feed that this process may send to a target. */
export interface TargetPage {
  target: string
  /** At least one. */
  events: readonly [EventRecord, ...EventRecord[]]
  /** The position of the target, and the one after this page. */
  position: number
  next: number
  /** Consecutive failed attempts. */
  failures: number
}

/**
 * How an attempt to send a page ended. `refused`: the target refuses the content, and never gets it. `failed`: the target has an outage;
 * once it has lasted since `outageBefore`, events before that moment are passed over.
 */
export type PageEnd =
  | { kind: 'delivered' }
  | { kind: 'refused'; error: string }
  | { kind: 'failed'; error: string; retryAt: Date; outageBefore: Date }

/** A row of `delivery_targets`, with the names of members. */
interface TargetRow extends Omit<TargetState, 'waiting' | 'passedOver'> {
  failingSince: string | null
  passedOver: string | null
  holder: string | null
  heartbeat: number
}
const STATE = membersOf(...['target', 'position', 'failures', 'retryAt', 'succeededAt', 'error', 'passedOver'])
const TARGET = `${STATE}, ${membersOf('failingSince', 'holder', 'heartbeat')}`

/** A condition: the target `t` takes the event `e`. */
const takes = ({ dialect }: Queries) => `exists (select 1 from ${dialect.elementsOf('t.takes')} s
  where s.value ->> 'kind' = e.kind
    and (e.channel is null or s.value ->> 'channel' is null or s.value ->> 'channel' = e.channel))`

/** The events of a span that a target takes. @param columns what to select */
const taken = (queries: Queries, columns: string) => `select ${columns} from delivery_targets t
  ${queries.dialect.joinOne('events', 'e', 'e.sequence > @position and e.sequence <= @end')}
  where t.target = @target and ${takes(queries)}`

/** The newest sequence of the events after a position; with a moment, of those before it. */
async function lastBefore(queries: Queries, position: number, before: string | null): Promise<number> {
  const where = allOf('sequence > @position', before !== null && 'at < @before')
  const sql = `select max(sequence) as "end" from events where ${where}`
  return (await queries.get<{ end: number | null }>(sql, { position, before }))?.end ?? position
}

/**
 * The positions of targets. One process at a time sends to a target: it is the holder. Whoever sees that its process has ended, or watches
 * the heartbeat for 15 seconds of its own monotonic clock without a change, takes over.
 */
export function createTargets(database: SqlDatabase, self: Holder) {
  const holder = JSON.stringify(self)
  const hasEnded = createHolderWatch(self)
  const isFree = ({ target, holder: other, heartbeat }: TargetRow): boolean =>
    other === null || other === holder || hasEnded(target, other, heartbeat)

  return {
    /** Sets the configured targets. A new one starts at the end of the feed; others lose their positions. */
    setTargets: (targets: readonly TargetChoice[]) =>
      database.write(async (tx) => {
        await tx.lock('targets')
        const names = targets.map(({ name }) => name)
        await tx.run(`delete from delivery_targets where not (${tx.dialect.anyOf('target', '@names')})`, { names })
        for (const { name: target, kinds, channels } of targets) {
          const all = kinds.flatMap((kind) => (channels ?? [null]).map((channel) => ({ kind, channel })))
          await tx.run(
            `insert into delivery_targets (target, takes, position) values (@target, @takes, ${NEWEST_SEQUENCE})
            on conflict (target) do update set takes = excluded.takes`,
            { target, takes: JSON.stringify(all) },
          )
        }
      }),

    /**
     * Takes the next page of a target, which no other process can take until `endPage`, as long as this one shows that it lives (runs.ts).
     * @param request.limit the maximum number of events
     * @param request.upTo only what comes before the first event after this moment; null: everything
     * @returns null if nothing waits, the target may not be tried yet, or another process sends to it
     */
    async takePage(request: {
      target: string
      limit: number
      upTo: Date | null
      now: Date
    }): Promise<TargetPage | null> {
      const { target, limit, upTo, now } = request
      const select = `select ${TARGET} from delivery_targets where target = @target`
      const row = await database.get<TargetRow>(select, { target })
      if (!row || (row.retryAt ?? '') > now.toISOString() || !isFree(row)) return null
      const { position, failures, heartbeat } = row
      const before = upTo === null ? null : new Date(upTo.getTime() + 1).toISOString()
      const end = await lastBefore(database, position, before)
      const rows = await database.all<EventRow>(
        `select ${EVENT} from (${taken(database, 'e.*')}) taken order by sequence limit @limit`,
        { target, position, end, limit },
      )
      const [first, ...others] = rows.map(toEvent)
      const next = rows.length < limit ? end : (rows.at(-1)?.sequence ?? end)
      if (first === undefined && next === position) return null
      // Without an event, only the position moves on.
      const changed = await database.write((tx) =>
        tx.run(
          `update delivery_targets set holder = @by, heartbeat = heartbeat + 1, position = @to
          where target = @target and position = @position and coalesce(holder, '') = @held and heartbeat = @heartbeat`,
          {
            ...{ target, position, held: row.holder ?? '', heartbeat },
            ...(first === undefined ? { by: null, to: next } : { by: holder, to: position }),
          },
        ),
      )
      if (first === undefined || changed === 0) return null
      return { target, events: [first, ...others], position, next, failures }
    },

    /**
     * Records how an attempt ended, and lets other processes take the next page. Changes no position that was set meanwhile.
     * @returns how many events were passed over
     */
    endPage: ({ target, position, next }: TargetPage, end: PageEnd, now: Date): Promise<number> =>
      database.write(async (tx) => {
        const own = await tx.get<TargetRow>(
          `select ${TARGET} from delivery_targets where target = @target and holder = @holder and position = @position`,
          { target, position, holder },
        )
        if (own === undefined) return 0
        const at = now.toISOString()
        const outage = end.kind === 'failed' ? { ...end, since: own.failingSince ?? at } : null
        const to = outage === null ? next : await passedUpTo(tx, position, outage.since, outage.outageBefore)
        const count = taken(tx, 'count(*) as count')
        const omitted = await tx.get<{ count: number }>(count, { target, position, end: to })
        const passed = end.kind === 'delivered' ? 0 : (omitted?.count ?? 0)
        const error = end.kind === 'delivered' ? null : end.error
        await tx.run(
          `update delivery_targets set position = @to, failures = @failures, failing_since = @failingSince,
            retry_at = @retryAt, error = @error, succeeded_at = @succeededAt, passed_over = @passedOver, holder = null
          where target = @target`,
          {
            ...{ target, to, error },
            failures: outage === null ? 0 : own.failures + 1,
            failingSince: outage?.since ?? null,
            retryAt: outage?.retryAt.toISOString() ?? null,
            succeededAt: end.kind === 'delivered' ? at : own.succeededAt,
            passedOver: passed === 0 ? own.passedOver : passedOver(own, { to, events: passed, at, error: error ?? '' }),
          },
        )
        return passed
      }),

    /**
     * Sets the position of a target, so that it gets everything from a sequence on, and forgets its failures and what was passed over.
     * @returns false if the service was not started with this target
     */
    setPosition: (target: string, from: number): Promise<boolean> =>
      database.write(async (tx) => {
        const changed = await tx.run(
          `update delivery_targets set failures = 0, failing_since = null, retry_at = null, error = null, passed_over = null,
            holder = null, position = case when @position < ${NEWEST_SEQUENCE} then @position else ${NEWEST_SEQUENCE} end
          where target = @target`,
          { target, position: from - 1 },
        )
        return changed === 1
      }),

    async targetStates(): Promise<TargetState[]> {
      const rows = await database.all<Pick<TargetRow, 'passedOver'> & Omit<TargetState, 'passedOver'>>(
        `select ${STATE}, (select count(*) from events e where e.sequence > t.position and ${takes(database)}) as waiting
        from delivery_targets t order by t.target`,
      )
      return rows.map((row) => ({ ...row, passedOver: toPassedOver(row) }))
    },
  }
}

/** The position after a failed attempt: past the older events once the outage is long enough. */
const passedUpTo = async (tx: Transaction, position: number, since: string, outageBefore: Date): Promise<number> => {
  const before = outageBefore.toISOString()
  return since < before ? lastBefore(tx, position, before) : position
}

/** What was passed over, together with what was before in the same outage. */
function passedOver(row: TargetRow, now: Omit<PassedOver, 'from'>): string {
  const before = toPassedOver(row)
  const isSame = before !== null && row.failingSince !== null && before.at > row.failingSince
  const all: PassedOver = isSame
    ? { ...now, from: before.from, events: before.events + now.events }
    : { ...now, from: row.position + 1 }
  return JSON.stringify(all)
}

const toPassedOver = (row: Pick<TargetRow, 'passedOver'>) =>
  row.passedOver === null ? null : (JSON.parse(row.passedOver) as PassedOver)
