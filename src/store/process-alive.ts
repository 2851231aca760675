import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

/** Whether a process of this machine exists, as far as this one can see. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** An id of this start of this machine, as far as the system tells one. */
export function bootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return null
  }
}

/** Process ids are comparable within one start of one host and one process namespace. */
export function hostIdentity(): string {
  try {
    return `${hostname()} ${bootId()} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname()
  }
}

/** Whether the process of a ledger's id (`HOST|PID|…`) is known to have ended. */
export function hasEnded(holder: string, host: string): boolean {
  const [holderHost, pid] = holder.split('|')
  return holderHost === host && !isProcessAlive(Number(pid))
}
