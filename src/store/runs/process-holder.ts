import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process that holds a run, or a target of notifications. */
export interface Holder {
  host: string
  /** Where its process id is valid: boot id and PID namespace, of which each container has its own. Null if the system has none. */
  pidNamespace: string | null
  pid: number
  nonce: string
  /** The command that it runs, such as `quotekeeper start`. */
  command: string
}

/** Describes this process as a holder, with a new nonce. */
export const createHolder = (command = 'quotekeeper'): Holder => ({
  ...{ host: hostname(), pidNamespace: pidNamespace(), pid: process.pid, nonce: randomUUID(), command },
})

/** Nonces of the open stores of this process: each holds its own runs. */
export const openStores = new Set<string>()

/** Whether a holder is known to have ended, which only its own machine can tell. */
export function isGone(holder: Holder, self: Holder): boolean {
  if (holder.nonce === self.nonce || holder.host !== self.host || holder.pidNamespace !== self.pidNamespace)
    return false
  // Otherwise this process has reused the id of the holder.
  return holder.pid === self.pid ? !openStores.has(holder.nonce) : !isProcessAlive(holder.pid)
}

/** Whether a process of this machine exists; false also for one in another container, which is not visible. */
function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function pidNamespace(): string | null {
  try {
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return null
  }
}

/** How often a process increases its heartbeats, and looks at those of others, in milliseconds. */
export const BEAT_MS = 5_000
/** A heartbeat that is watched for this long without a change is that of a process that no longer works, in milliseconds. */
const SILENT_MS = 15_000
/** A watcher that did not look for this long was itself suspended, and watches anew, in milliseconds. */
const MAX_GAP_MS = 2.5 * BEAT_MS

/**
 * Watches other holders.
 * @returns whether the holder of something has ended: at once if it ran on this machine, otherwise once its heartbeat did not change for 15
 *   seconds of watching by the monotonic clock of this process. No other clock is used. To be called again and again, with the name of what
 *   it holds
 */
export function createHolderWatch(self: Holder): (name: string | number, holder: string, heartbeat: number) => boolean {
  const watched = new Map<string | number, { beat: string; since: number; seen: number }>()
  return (name, holder, heartbeat) => {
    const seen = performance.now()
    const beat = `${heartbeat} ${holder}`
    const before = watched.get(name)
    const isSame = before?.beat === beat && seen - before.seen <= MAX_GAP_MS
    const since = isSame ? before.since : seen
    watched.set(name, { beat, since, seen })
    return isGone(JSON.parse(holder) as Holder, self) || seen - since >= SILENT_MS
  }
}
