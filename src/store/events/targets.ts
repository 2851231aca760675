import type { PassedOver, TargetState } from '../../core/events/events.js'
import { fromStoredText, toStoredText } from '../documents/stored-text.js'
import { createHeartbeatWatch, createHolder, type Holder, livenessOf } from '../runs/process-holder.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'
import type { TargetPage, Targets } from './event-contract.js'
import { type EventRow, toEvent } from './event-feed.js'
import { NEWEST_SEQUENCE } from './event-writer.js'

/** The longest pause between attempts, in milliseconds. A later moment was stored before the clock was set back. */
const MAX_RETRY_PAUSE_MS = 24 * 3_600_000

interface TargetRow {
  target: string
  since: string
  position: number
  failures: number
  failing_since: string | null
  retry_at: string | null
  succeeded_at: string | null
  error: string | null
  passed_over: string | null
  holder: string | null
  heartbeat: number
}

/** A condition: the target `t` takes the event `e`. */
const takes = ({ dialect }: Queries) => `exists (select 1 from ${dialect.elementsOf('t.takes')} s
  where s.value ->> 'kind' = e.kind
    and (e.channel is null or s.value ->> 'channel' is null or s.value ->> 'channel' = e.channel))`

/** The events of a span that a target takes. @param columns what to select */
const taken = (queries: Queries, columns: string) => `select ${columns} from delivery_targets t
  ${queries.dialect.joinOne('events', 'e', 'e.sequence > @position and e.sequence <= @end')}
  where t.target = @target and ${takes(queries)}`

/** The last sequence before the first event at or after a moment; without a moment, of all events. */
const LAST_BEFORE = `select coalesce(
  (select sequence - 1 from events where sequence > @position and at >= @before order by sequence limit 1), ${NEWEST_SEQUENCE}) as "end"`

async function lastBefore(queries: Queries, position: number, before: string | null): Promise<number> {
  const row = await queries.get<{ end: number }>(LAST_BEFORE, { position, before })
  return row?.end ?? position
}

/**
 * The positions of targets. One process at a time sends to a target: it is the holder, and increases a heartbeat. Whoever sees that the
 * process of the holder has ended, or watches the heartbeat for 15 seconds of its own monotonic clock without a change, takes over.
 */
export function createTargets(database: SqlDatabase): Targets {
  const self = createHolder()
  const holder = JSON.stringify(self)
  const isSilent = createHeartbeatWatch()
  const isFree = (row: TargetRow): boolean => {
    const { holder: other } = row
    if (other === null || other === holder) return true
    return livenessOf(JSON.parse(other) as Holder, self) === 'gone' || isSilent(row.target, `${row.heartbeat} ${other}`)
  }

  return {
    setTargets: (targets, now) =>
      database.write(async (tx) => {
        await tx.lock('targets')
        const names = targets.map(({ name }) => name)
        await tx.run(`delete from delivery_targets where not (${tx.dialect.anyOf('target', '@names')})`, { names })
        for (const { name: target, kinds, channels } of targets) {
          const all = kinds.flatMap((kind) => (channels ?? [null]).map((channel) => ({ kind, channel })))
          await tx.run(
            `insert into delivery_targets (target, takes, since, position) values (@target, @takes, @at, ${NEWEST_SEQUENCE})
            on conflict (target) do update set takes = excluded.takes`,
            { target, takes: JSON.stringify(all), at: now.toISOString() },
          )
        }
      }),

    async takePage({ target, limit, upTo, now }) {
      const row = await database.get<TargetRow>('select * from delivery_targets where target = @target', { target })
      if (!row || isAhead(row.retry_at, now) || !isFree(row)) return null
      const { position, failures, heartbeat } = row
      const before = upTo === null ? null : new Date(upTo.getTime() + 1).toISOString()
      const end = await lastBefore(database, position, before)
      const rows = await database.all<EventRow>(`${taken(database, 'e.*')} order by e.sequence limit @limit`, {
        ...{ target, position, end, limit },
      })
      const [first, ...others] = rows.map(toEvent)
      const next = rows.length < limit ? end : (rows.at(-1)?.sequence ?? end)
      const seen = { target, position, next, held: row.holder ?? '', heartbeat, holder }
      const isUnchanged = `target = @target and position = @position and coalesce(holder, '') = @held and heartbeat = @heartbeat`
      if (first === undefined) {
        if (next > position)
          await database.write((tx) =>
            tx.run(`update delivery_targets set position = @next where ${isUnchanged}`, seen),
          )
        return null
      }
      const changed = await database.write((tx) =>
        tx.run(`update delivery_targets set holder = @holder, heartbeat = heartbeat + 1 where ${isUnchanged}`, seen),
      )
      return changed === 1 ? { target, events: [first, ...others], position, next, failures } : null
    },

    renewHold: (target) =>
      database.write(async (tx) => {
        await tx.run(
          'update delivery_targets set heartbeat = heartbeat + 1 where target = @target and holder = @holder',
          { target, holder },
        )
      }),

    endPage: (page, end, now) =>
      database.write(async (tx) => {
        const { target, position, next } = page
        const own = await tx.get<TargetRow>(
          'select * from delivery_targets where target = @target and holder = @holder and position = @position',
          { target, position, holder },
        )
        let passed = 0
        if (own !== undefined && end.kind !== 'stopped') {
          const at = now.toISOString()
          const outage = end.kind === 'failed' ? outageOf(own, end, at) : null
          const to = outage === null ? next : await passedUpTo(tx, own, outage)
          if (end.kind !== 'delivered' && to > position) passed = await countTaken(tx, target, { position, end: to })
          const error = 'error' in end ? toStoredText(end.error) : null
          await tx.run(
            `update delivery_targets set position = @to, failures = @failures, failing_since = @failingSince,
              retry_at = @retryAt, error = @error, succeeded_at = @succeededAt, passed_over = @passedOver
            where target = @target`,
            {
              ...{ target, to, error },
              failures: outage === null ? 0 : own.failures + 1,
              failingSince: outage?.since ?? null,
              retryAt: outage?.retryAt ?? null,
              succeededAt: end.kind === 'delivered' ? at : own.succeeded_at,
              passedOver:
                passed === 0 ? own.passed_over : passedOver(own, { to, events: passed, at, error: error ?? '' }),
            },
          )
        }
        await tx.run('update delivery_targets set holder = null where target = @target and holder = @holder', {
          ...{ target, holder },
        })
        return passed
      }),

    setPosition: (target, from) =>
      database.write(async (tx) => {
        const changed = await tx.run(
          `update delivery_targets set failures = 0, failing_since = null, retry_at = null, error = null, passed_over = null,
            holder = null, position = case when @position < ${NEWEST_SEQUENCE} then @position else ${NEWEST_SEQUENCE} end
          where target = @target`,
          { target, position: from - 1 },
        )
        return changed === 1
      }),

    async targetStates() {
      const rows = await database.all<TargetRow & { waiting: number }>(
        `select t.*, (select count(*) from events e where e.sequence > t.position and ${takes(database)}) as waiting
        from delivery_targets t order by t.target`,
      )
      return rows.map(toTargetState)
    },
  }
}

/** Whether a stored moment is in the future. One too far ahead is ignored, because it was stored before the clock was set back. */
function isAhead(moment: string | null, now: Date): boolean {
  const wait = moment === null ? 0 : Date.parse(moment) - now.getTime()
  return wait > 0 && wait <= MAX_RETRY_PAUSE_MS
}

type Outage = { since: string; retryAt: string; before: string }

function outageOf(
  row: TargetRow,
  { retryAt, outageBefore }: { retryAt: Date; outageBefore: Date },
  at: string,
): Outage {
  const { failing_since: began } = row
  return {
    since: began !== null && began < at ? began : at,
    retryAt: retryAt.toISOString(),
    before: outageBefore.toISOString(),
  }
}

/** The position after a failed attempt: past the older events once the outage is long enough. */
const passedUpTo = async (tx: Transaction, { position }: TargetRow, { since, before }: Outage): Promise<number> =>
  since < before ? lastBefore(tx, position, before) : position

async function countTaken(
  tx: Transaction,
  target: string,
  span: Pick<TargetPage, 'position'> & { end: number },
): Promise<number> {
  const row = await tx.get<{ count: number }>(taken(tx, 'count(*) as count'), { target, ...span })
  return row?.count ?? 0
}

/** What was passed over, together with what was before in the same outage. */
function passedOver(row: TargetRow, now: Omit<PassedOver, 'from'>): string {
  const before = toPassedOver(row)
  const isSame = before !== null && row.failing_since !== null && before.at > row.failing_since
  const all: PassedOver = isSame
    ? { ...now, from: before.from, events: before.events + now.events }
    : { ...now, from: row.position + 1 }
  return JSON.stringify(all)
}

const toPassedOver = (row: TargetRow) => (row.passed_over === null ? null : (JSON.parse(row.passed_over) as PassedOver))

function toTargetState(row: TargetRow & { waiting: number }): TargetState {
  const { target, since, position, waiting, failures } = row
  const passed = toPassedOver(row)
  return {
    ...{ target, since, position, waiting, failures, retryAt: row.retry_at, succeededAt: row.succeeded_at },
    error: row.error === null ? null : fromStoredText(row.error),
    passedOver: passed && { ...passed, error: fromStoredText(passed.error) },
  }
}
