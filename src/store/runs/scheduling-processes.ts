import type { Clock, Timestamp } from '../../core/time/clock.js'
import type { SchedulingProcess, SchedulingProcesses } from '../contract.js'
import { deleteMeta, findMeta, setMeta } from '../sql/meta.js'
import type { Queries, SqlDatabase, Transaction } from '../sql/sql-database.js'
import { createHolder, describeMachine, describeProcess, type Holder, mayBeAlive } from './process-holder.js'

/** A process that has not announced itself for this long counts as ended, in milliseconds; at once if it ended on this machine. */
export const ANNOUNCED_MS = 180_000

const KEY = 'scheduling'

interface Announcement {
  holder: Holder
  ownQueue: boolean
  until: Timestamp
}

/**
 * Stores the announcements in `meta`.
 * @param process.command the command that it runs
 * @param process.pid default: the id of this process
 */
export function createSchedulingProcesses(
  database: SqlDatabase,
  { clock, ...process }: { clock: Clock; command: string | null; pid?: number },
): SchedulingProcesses {
  const self = createHolder(process)
  const others = async (queries: Queries): Promise<Announcement[]> => {
    const text = await findMeta(queries, KEY)
    const all = text === null ? [] : (JSON.parse(text) as Announcement[])
    const now = clock().getTime()
    return all.filter(({ holder, until }) => {
      const left = Date.parse(until) - now
      // A later moment was written before the clock was set back.
      return holder.nonce !== self.nonce && left > 0 && left <= 2 * ANNOUNCED_MS && mayBeAlive(holder, self)
    })
  }
  const store = (tx: Transaction, announcements: readonly Announcement[]) =>
    announcements.length === 0 ? deleteMeta(tx, KEY) : setMeta(tx, KEY, JSON.stringify(announcements))
  const describe = ({ holder, ownQueue }: Announcement): SchedulingProcess => ({
    by: `${describeProcess(holder)} ${describeMachine(holder, self)}`,
    ownQueue,
  })
  return {
    announceScheduling: ({ ownQueue }) =>
      database.write(async (tx) => {
        await tx.lock(KEY)
        const found = await others(tx)
        const until = new Date(clock().getTime() + ANNOUNCED_MS).toISOString()
        await store(tx, [...found, { holder: self, ownQueue, until }])
        return found.map(describe)
      }),
    otherSchedulingProcesses: async () => (await others(database)).map(describe),
    withdrawScheduling: () =>
      database.write(async (tx) => {
        await tx.lock(KEY)
        await store(tx, await others(tx))
      }),
  }
}
