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
