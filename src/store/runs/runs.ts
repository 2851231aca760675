import type { RunRecord } from '../../core/records.js'
import type { Clock } from '../../core/time/clock.js'
import { RunBusyError } from '../errors.js'
import { type EventDraft, writeEvents } from '../events/event-writer.js'
import { endFirstPoll } from '../events/observed-events.js'
import { columnOf, type SqlDatabase, type Transaction } from '../sql/sql-database.js'
import { createChannelLock, describeRun, lostError, releaseLock } from './channel-lock.js'
import { BEAT_MS, createHolderWatch, type Holder, openStores } from './process-holder.js'
import type { LiveRun, RunEnd, RunHandle, RunStart } from './run-contract.js'
import { createRunQueries, RUN, type RunRow, toRunRecord } from './run-queries.js'

const KEY_REMEDY = 'correct or renew the API key of the channel, then restart the service'

/**
 * Runs, their heartbeats, and the lock of each channel (docs/ARCHITECTURE.md).
 * @param options.clock when a dead run was found
 * @param options.beats whether this process may write; another begins no run and ends none
 */
export function createRuns(options: { database: SqlDatabase; clock: Clock; self: Holder; beats: boolean }) {
  const { database, clock, self } = options
  const holder = JSON.stringify(self)
  openStores.add(self.nonce)
  /** The unfinished runs of this process, and what to call when one is lost. */
  const active = new Map<number, () => void>()
  const hasEnded = createHolderWatch(self)

  /** Whether the process of an unfinished run has ended, as far as this process can tell (process-holder.ts). */
  const isDead = ({ id, holder: other, heartbeat }: RunRow) =>
    // Its own, on which it does not work: the database was unavailable when this process began or ended it.
    other === holder ? !active.has(id) : hasEnded(id, other, heartbeat)

  /** Records a dead run as interrupted. @returns false if its process has changed it since it was read */
  const interrupt = (run: RunRow): Promise<boolean> =>
    database.write(async (tx) => {
      const { id, heartbeat } = run
      const changed = await tx.run(
        `update runs set outcome = 'interrupted', finished_at = @at, error = @error
        where id = @id and finished_at is null and heartbeat = @heartbeat`,
        { at: clock().toISOString(), error: 'the process ended before the run was finished', id, heartbeat },
      )
      if (changed > 0) await releaseLock(tx, run)
      return changed > 0
    })

  /**
   * Records unfinished runs that are dead as `interrupted`. A process that writes does this every five seconds by itself.
   * @returns the others
   */
  const watchRuns = async (): Promise<RunRow[]> => {
    const live: RunRow[] = []
    for (const run of await database.all<RunRow>(`select ${RUN} from runs where finished_at is null order by id`))
      if (!isDead(run) || !(await interrupt(run))) live.push(run)
    return live
  }
  const withLock = createChannelLock(database, { liveRuns: watchRuns, self })

  /** Shows others that this process lives, which has runs or sends to targets, and notices runs that were recorded as interrupted. */
  const beat = async () => {
    const held = await database.get('select target from delivery_targets where holder = @holder', { holder })
    if (active.size === 0 && held === undefined) return
    const lost = await database.write(async (tx) => {
      await tx.run('update delivery_targets set heartbeat = heartbeat + 1 where holder = @holder', { holder })
      // Only now that the database answers: a run that could not be ended meanwhile is dead.
      const ids = [...active.keys()]
      const live = await tx.all<{ id: number }>(
        `update runs set heartbeat = heartbeat + 1
        where ${tx.dialect.anyOf('id', '@ids')} and finished_at is null and holder = @holder returning id`,
        { ids, holder },
      )
      return ids.filter((each) => !live.some(({ id }) => id === each))
    })
    for (const id of lost) active.get(id)?.()
  }
  // If the database is locked, full or unreachable, the next beat comes early enough.
  const tick = () =>
    beat()
      .then(watchRuns)
      .catch(() => undefined)
  const timer = options.beats ? setInterval(() => void tick(), BEAT_MS).unref() : undefined

  const finish = async (run: LiveRun, { keyRefused, ...end }: RunEnd, now: Date): Promise<RunRecord> => {
    const columns = {
      ...end,
      finishedAt: now.toISOString(),
      stop: end.stop && JSON.stringify(end.stop),
      suspicious: end.suspicious === null ? null : Number(end.suspicious),
      requestRates: end.requestRates && JSON.stringify(end.requestRates),
    }
    const set = Object.keys(columns).map((member) => `${columnOf(member)} = @${member}`)
    const finished = database.write(async (tx) => {
      const row = await tx.get<RunRow>(
        `update runs set ${set.join(', ')} where id = @id and finished_at is null and holder = @holder returning ${RUN}`,
        { ...columns, id: run.id, holder },
      )
      if (!row) throw lostError(run)
      await releaseLock(tx, run)
      await writeEvents(tx, [...(await endFirstPoll(tx, row)), ...(keyRefused ? await keyRefusal(tx, row) : [])])
      return toRunRecord(row)
    })
    // Also if this fails: then the run is dead, and whoever watches it ends it.
    return finished.finally(() => active.delete(run.id))
  }

  /** The event that the API key was refused: one until a run of this kind succeeds again. */
  const keyRefusal = async (tx: Transaction, row: RunRow): Promise<EventDraft[]> => {
    const { channel, kind, id, error } = row
    const reported = await tx.get(
      `select 1 as found from events where channel = @channel and rfq_id is null and kind = 'channel.key-refused' and at > coalesce(
        (select finished_at from runs where channel = @channel and kind = @kind and outcome in ('complete', 'partial')
          and id < @id order by id desc limit 1), '')`,
      { channel, kind, id },
    )
    if (reported !== undefined) return []
    const at = row.finishedAt ?? row.startedAt
    const data = { reason: error ?? '', remedy: KEY_REMEDY }
    return [{ kind: 'channel.key-refused', at, channel, data }]
  }

  return {
    /**
     * Starts a run. Unless a person starts it, it rejects with `RunBusyError` while the channel has an unfinished run of this kind. One whose
     * process is gone is first recorded as `interrupted`.
     */
    async beginRun(start: RunStart): Promise<RunHandle> {
      const { channel, kind, now, timeZone = 'UTC', byHand = false } = start
      const controller = new AbortController()
      let id = 0
      // A write waits for a server that restarts; this does not.
      await watchRuns().catch(() => undefined)
      const begin = async (tx: Transaction) => {
        await tx.run(`insert into channels (channel) values (@channel) on conflict do nothing`, { channel })
        await tx.lock('run', channel, kind)
        const unfinished = await tx.get<RunRow>(
          `select ${RUN} from runs where channel = @channel and kind = @kind and finished_at is null`,
          { channel, kind },
        )
        if (unfinished !== undefined && !byHand)
          throw new RunBusyError(`${describeRun(unfinished, self)} is in progress`)
        const row = await tx.get<{ id: number }>(
          'insert into runs (channel, kind, started_at, holder) values (@channel, @kind, @at, @holder) returning id',
          { channel, kind, at: now.toISOString(), holder },
        )
        id = (row as { id: number }).id
        // Before the commit, after which other attempts of this process see the run.
        active.set(id, () => controller.abort(lostError({ id, channel })))
      }
      await database.write(begin).catch((error) => {
        active.delete(id)
        throw error
      })
      const level = byHand || kind === 'close' ? 2 : 1
      const run: LiveRun = { id, channel, kind, timeZone, holder, level, lost: controller.signal, isWanted: false }
      return Object.assign(run, {
        step: <T>(work: () => Promise<T>) => withLock(run, start, work),
        finish: (end: RunEnd, at: Date) => finish(run, end, at),
      })
    },
    watchRuns,
    ...createRunQueries(database),
    stopBeating() {
      clearInterval(timer)
      openStores.delete(self.nonce)
    },
  }
}
