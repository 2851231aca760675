import { setTimeout as delay } from 'node:timers/promises'
import { formatMinute } from '../../core/time/clock.js'
import { RunLostError } from '../errors.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import type { Holder } from './process-holder.js'
import type { LiveRun, RunStart } from './run-contract.js'
import type { RunRow } from './run-queries.js'

/** How often a run that waits looks at the lock, in milliseconds. */
const LOOK_MS = 100
/** How long the lock is left to others that wait and go first, in milliseconds: a waiter that died costs no more. */
const GIVE_WAY_MS = 300
/** After this long, whoever waits is told so, in milliseconds. */
const TELL_AFTER_MS = 2_000

type Waiting = Pick<RunStart, 'signal' | 'onWait'>

/**
 * The lock of a channel, in its row of `channels`: who holds it, and how urgently somebody waits (docs/ARCHITECTURE.md). Waiting is done by
 * looking at the row; nothing is sent between processes.
 * @param liveRuns ends those that are dead, and returns the other unfinished ones
 */
export function createChannelLock(
  database: SqlDatabase,
  { liveRuns, self }: { liveRuns: () => Promise<RunRow[]>; self: Holder },
) {
  /**
   * Takes the lock if no live run holds it, and nobody waits more urgently than `goesBefore`.
   * @returns whether it is taken; what holds it otherwise
   */
  const tryTake = async ({ id, channel, level }: LiveRun, goesBefore: number): Promise<true | RunRow | null> => {
    const { lock_run: heldBy = null, wanted = 0 } =
      (await database.get<{ lock_run: number | null; wanted: number }>(
        'select lock_run, wanted from channels where channel = @channel',
        { channel },
      )) ?? {}
    const held = heldBy === null || heldBy === id ? undefined : (await liveRuns()).find((run) => run.id === heldBy)
    if (held !== undefined) {
      const raise = 'update channels set wanted = @level where channel = @channel and wanted < @level'
      if (wanted < level) await database.write((tx) => tx.run(raise, { channel, level }))
      return held
    }
    if (wanted > goesBefore) return null
    const taken = await database.write((tx) =>
      tx.run(
        `update channels set lock_run = @id, wanted = 0
        where channel = @channel and (lock_run is null or lock_run = @id or lock_run = @heldBy)`,
        { id, channel, heldBy },
      ),
    )
    return taken === 1 ? true : null
  }

  const take = async (run: LiveRun, { signal, onWait }: Waiting): Promise<void> => {
    const { lost, level } = run
    const begun = performance.now()
    let isTold = false
    /** It has asked for the lock, which another run held. */
    let hasAsked = false
    /** Since when it is free, and left to others. */
    let freeSince: number | null = null
    for (;;) {
      signal?.throwIfAborted()
      lost.throwIfAborted()
      const hasGivenWay = freeSince !== null && performance.now() - freeSince >= GIVE_WAY_MS
      // A run that comes back for its next step lets those go first that are as urgent.
      const result = await tryTake(run, hasGivenWay ? Number.POSITIVE_INFINITY : hasAsked ? level : level - 1)
      if (result === true) break
      hasAsked ||= result !== null
      freeSince = result === null ? (freeSince ?? performance.now()) : null
      if (result !== null && !isTold && performance.now() - begun >= TELL_AFTER_MS) {
        isTold = true
        onWait?.(describeRun(result, self))
      }
      await delay(LOOK_MS, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted())
    }
    run.isWanted = false
  }

  /** Does work with the lock. */
  return async <T>(run: LiveRun, waiting: Waiting, work: () => Promise<T>): Promise<T> => {
    await take(run, waiting)
    try {
      return await work()
    } finally {
      // If this fails, the end of the run releases it, or it is taken over as that of a dead run.
      await database.write((tx) => releaseLock(tx, run)).catch(() => undefined)
    }
  }
}

export const releaseLock = (tx: Transaction, { id, channel }: Pick<LiveRun, 'id' | 'channel'>): Promise<number> =>
  tx.run('update channels set lock_run = null where channel = @channel and lock_run = @id', { channel, id })

/**
 * Locks the row of the channel until the transaction ends, and checks that the run still holds its lock: the first statement of every
 * transaction that records something for a run.
 * @throws RunLostError
 */
export async function fence(tx: Transaction, run: LiveRun): Promise<void> {
  const { id, channel, holder } = run
  const row = await tx.get<{ wanted: number }>(
    `select wanted from channels where channel = @channel and lock_run = @id and ${IS_UNFINISHED} ${tx.dialect.rowLock}`,
    { id, channel, holder },
  )
  if (!row) throw lostError(run)
  run.isWanted = row.wanted >= run.level
}

/** After a fail-over that lost the last commits, a run of another channel or process may have the same id. */
const IS_UNFINISHED = `exists (select 1 from runs where id = @id and runs.channel = @channel and holder = @holder
  and finished_at is null)`

export const lostError = ({ id, channel }: Pick<LiveRun, 'id' | 'channel'>): RunLostError =>
  new RunLostError(`Run ${id} no longer has the lock of ${channel}: another process took it over.`)

/** A run, for who waits for it: `run 12 (rfqs) of acme/forest, begun 2026-11-21 10:00 UTC by quotekeeper start (process 7)`. */
export function describeRun({ id, channel, kind, startedAt, holder }: RunRow, self: Holder): string {
  const { host, pid, command } = JSON.parse(holder) as Holder
  const where = host === self.host ? '' : ` on ${host}`
  return `run ${id} (${kind}) of ${channel}, begun ${formatMinute(startedAt)} UTC by ${command} (process ${pid})${where}`
}
