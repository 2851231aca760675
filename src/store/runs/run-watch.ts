import type { Clock } from '../../core/time/clock.js'
import type { Transaction } from '../sql/sql-database.js'
import { createHeartbeatWatch, describeProcess, type Holder, livenessOf } from './process-holder.js'
import type { LockHolder } from './run-contract.js'
import type { RunRow } from './run-queries.js'

/**
 * Watches the runs of other processes.
 * @param options.isOwn whether this process works on a run that has its nonce
 */
export function createRunWatch({ self, isOwn, clock }: { self: Holder; isOwn: (id: number) => boolean; clock: Clock }) {
  const isSilent = createHeartbeatWatch()
  return {
    /**
     * Whether the process of an unfinished run has ended, as far as this process can tell: at once if it ran on this machine, otherwise once
     * its heartbeat did not change for 15 seconds of the monotonic clock of this process. No other clock is used.
     */
    isDead(run: RunRow): boolean {
      const holder = holderOf(run)
      // Otherwise the database was unavailable when this process began or ended it.
      if (holder.nonce === self.nonce) return !isOwn(run.id)
      return livenessOf(holder, self) === 'gone' || isSilent(run.id, run.heartbeat)
    },

    /**
     * Records a dead run as interrupted, and releases the lock of its channel.
     * @returns false if its process has changed it since it was read
     */
    async interrupt(tx: Transaction, { id, channel, heartbeat }: RunRow): Promise<boolean> {
      const changed = await tx.run(
        `update runs set outcome = 'interrupted', finished_at = @at, error = @error
        where id = @id and finished_at is null and heartbeat = @heartbeat`,
        { at: clock().toISOString(), error: 'the process ended before the run was finished', id, heartbeat },
      )
      if (changed === 0) return false
      await tx.run('update channels set lock_run = null where channel = @channel and lock_run = @id', { channel, id })
      return true
    },

    describe(run: RunRow): LockHolder {
      const holder = holderOf(run)
      const by = holder.nonce === self.nonce ? 'this process' : describeProcess(holder)
      return {
        kind: run.kind,
        startedAt: run.startedAt,
        by: holder.host === self.host ? by : `${by} on ${holder.host}`,
      }
    },
  }
}

export type RunWatch = ReturnType<typeof createRunWatch>

const holderOf = ({ holder }: RunRow) => JSON.parse(holder) as Holder
