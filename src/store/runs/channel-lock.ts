import { setTimeout as delay } from 'node:timers/promises'
import { RunLostError } from '../errors.js'
import type { SqlDatabase, Transaction } from '../sql/sql-database.js'
import type { LiveRun, LockHolder } from './run-contract.js'
import { RUN, type RunRow } from './run-queries.js'
import type { RunWatch } from './run-watch.js'

/** How often a run that waits looks at the lock, in milliseconds. */
const LOOK_MS = 100
/** How long the lock is left to others that wait and go first, in milliseconds: a waiter that died costs no more. */
const GIVE_WAY_MS = 300
/** After this long, whoever waits is told so, in milliseconds. */
const TELL_AFTER_MS = 2_000

/** What a run of this process needs to take the lock. */
export interface LockTaker extends LiveRun {
  readonly signal: AbortSignal | undefined
  readonly onWait: ((holder: LockHolder) => void) | undefined
  /** Until when it leaves the lock to others (`performance.now()`). */
  givesWayUntil: number
}

interface LockRow {
  lock_run: number | null
  wanted: number
}

/**
 * The lock of a channel, in its row of `channels`: who holds it, and how urgently somebody waits (docs/ARCHITECTURE.md). Waiting is done by
 * looking at the row; nothing is sent between processes.
 */
export function createChannelLock(database: SqlDatabase, watch: RunWatch) {
  /** Takes the lock if nobody holds it, or a run that is dead. @returns whether it is taken; what holds it otherwise */
  const tryTake = async (run: LockTaker, mayTake: boolean): Promise<true | RunRow | null> => {
    const { id, channel, level } = run
    const lock = await database.get<LockRow>('select lock_run, wanted from channels where channel = @channel', {
      channel,
    })
    const { lock_run: heldBy = null, wanted = 0 } = lock ?? {}
    const held =
      heldBy === null || heldBy === id
        ? undefined
        : await database.get<RunRow>(`select ${RUN} from runs where id = @heldBy and finished_at is null`, { heldBy })
    const isFree = held === undefined || watch.isDead(held)
    if (!isFree || (wanted > level && !mayTake)) {
      if (wanted < level)
        await database.write((tx) =>
          tx.run('update channels set wanted = @level where channel = @channel and wanted < @level', {
            channel,
            level,
          }),
        )
      return isFree ? null : held
    }
    return database.write(async (tx) => {
      await requireUnfinished(tx, run)
      if (held !== undefined && !(await watch.interrupt(tx, held))) return held
      const taken = await tx.run(
        `update channels set lock_run = @id, wanted = 0
        where channel = @channel and (lock_run is null or lock_run = @id or lock_run = @heldBy)`,
        { id, channel, heldBy },
      )
      return taken === 1 ? true : null
    })
  }

  const take = async (run: LockTaker): Promise<void> => {
    const { signal, lost } = run
    const begun = performance.now()
    await wait(run.givesWayUntil - begun, signal)
    let isTold = false
    /** Since when it is free and left to others, or when waiting began. */
    let freeSince: number | null = null
    for (;;) {
      signal?.throwIfAborted()
      if (lost.aborted) throw lost.reason
      const mayTake = freeSince !== null && performance.now() - freeSince >= GIVE_WAY_MS
      const result = await tryTake(run, mayTake)
      if (result === true) break
      freeSince = result === null ? (freeSince ?? performance.now()) : null
      if (result !== null && !isTold && performance.now() - begun >= TELL_AFTER_MS) {
        isTold = true
        run.onWait?.(watch.describe(result))
      }
      await wait(LOOK_MS, signal)
    }
    run.isWanted = false
  }

  const release = async (run: LockTaker): Promise<void> => {
    const { id, channel, level } = run
    const lock = await database.write(async (tx) => {
      const found = await tx.get<LockRow>(
        `select lock_run, wanted from channels where channel = @channel and lock_run = @id ${tx.dialect.rowLock}`,
        { channel, id },
      )
      await tx.run('update channels set lock_run = null where channel = @channel and lock_run = @id', { channel, id })
      return found
    })
    if (lock && lock.wanted >= level) run.givesWayUntil = performance.now() + GIVE_WAY_MS
  }

  /** Does work with the lock. */
  return async <T>(run: LockTaker, work: () => Promise<T>): Promise<T> => {
    await take(run)
    try {
      return await work()
    } finally {
      // If this fails, the end of the run releases it, or it is taken over as that of a dead run.
      await release(run).catch(() => undefined)
    }
  }
}

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

async function requireUnfinished(tx: Transaction, run: LiveRun): Promise<void> {
  const { id, channel, holder } = run
  if (!(await tx.get(`select 1 as found where ${IS_UNFINISHED}`, { id, channel, holder }))) throw lostError(run)
}

export const lostError = ({ id, channel }: Pick<LiveRun, 'id' | 'channel'>): RunLostError =>
  new RunLostError(`Run ${id} no longer has the lock of ${channel}: another process took it over.`)

/** @throws the reason of the signal */
async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  if (milliseconds <= 0) return
  await delay(milliseconds, undefined, { ...(signal && { signal }) }).catch(() => signal?.throwIfAborted())
}
