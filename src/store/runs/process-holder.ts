import { randomUUID } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** A process that holds a run or a lease. */
export interface Holder {
  host: string
  /** Where its process id is valid: boot id and PID namespace, of which each container has its own. Null if the system has none. */
  pidNamespace: string | null
  pid: number
  nonce: string
  /** The command that it runs, such as `quotekeeper start`. */
  command?: string
}

/**
 * Describes this process as a holder, with a new nonce.
 * @param options.pid default: the id of this process
 */
export const createHolder = ({
  command,
  pid = process.pid,
}: {
  command?: string | null
  pid?: number
} = {}): Holder => ({
  ...{ host: hostname(), pidNamespace: pidNamespace(), pid, nonce: randomUUID() },
  ...(command && { command }),
})

/** Nonces of the open stores of this process: each holds its own runs. */
export const openStores = new Set<string>()

/**
 * Whether a holder still runs, as far as this machine can tell.
 * @returns `exists` also if the system has reused its process id
 */
export function livenessOf(holder: Holder, self: Holder): 'exists' | 'gone' | 'unknown' {
  if (holder.nonce === self.nonce || holder.host !== self.host || holder.pidNamespace !== self.pidNamespace)
    return 'unknown'
  // Otherwise this process has reused the id of the holder, so the holder is gone.
  const isAlive = holder.pid === self.pid ? openStores.has(holder.nonce) : isProcessAlive(holder.pid)
  return isAlive ? 'exists' : 'gone'
}

/** False only if the holder is known to have ended. */
export const mayBeAlive = (holder: Holder, self: Holder): boolean => livenessOf(holder, self) !== 'gone'

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

/** `quotekeeper start (process 12)` */
export const describeProcess = ({ command, pid }: Holder): string =>
  command === undefined ? `process ${pid}` : `${command} (process ${pid})`

/** How often a process increases its heartbeats, and looks at those of others, in milliseconds. */
export const BEAT_MS = 5_000
/** A heartbeat that is watched for this long without a change is that of a process that no longer works, in milliseconds. */
const SILENT_MS = 15_000
/** A watcher that did not look for this long was itself suspended, and watches anew, in milliseconds. */
const MAX_GAP_MS = 2.5 * BEAT_MS

/**
 * Watches heartbeats by the monotonic clock of this process. No other clock is used.
 * @returns whether a heartbeat did not change for 15 seconds of watching, to be called again and again with the name of what has it
 */
export function createHeartbeatWatch(): (name: string | number, heartbeat: string | number) => boolean {
  const watched = new Map<string | number, { heartbeat: string | number; since: number; seen: number }>()
  return (name, heartbeat) => {
    const seen = performance.now()
    const before = watched.get(name)
    const isSame = before?.heartbeat === heartbeat && seen - before.seen <= MAX_GAP_MS
    const since = isSame ? before.since : seen
    watched.set(name, { heartbeat, since, seen })
    return seen - since >= SILENT_MS
  }
}
