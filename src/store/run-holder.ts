import { isProcessAlive } from './process-alive.js'

/** A process that holds a run, or waits to begin one. */
export interface Holder {
  host: string
  /** Which start of which machine, because several machines may have one name; null if that is not known. */
  boot: string | null
  pid: number
  nonce: string
  /** What it runs, such as `quotekeeper start`. */
  command?: string
}

/** Whether a process may still be there, as far as one of this machine can see. */
export function mayBeAlive(holder: Holder, self: Holder): boolean {
  if (holder.nonce === self.nonce || holder.host !== self.host || holder.boot !== self.boot) return true
  // A process id that is now ours was reused, so its former owner is gone. In containers it is always 1.
  return holder.pid !== self.pid && isProcessAlive(holder.pid)
}

/** `quotekeeper start (process 12)` */
export const describeProcess = ({ command, pid }: Holder): string =>
  command === undefined ? `process ${pid}` : `${command} (process ${pid})`

export const describeMachine = ({ host }: Holder, self: Holder): string =>
  host === self.host ? 'on this machine' : `on ${host}`
