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

/** Whether a process is still there, as far as one of this machine can see; `exists`: unless its process id was given to another. */
export function livenessOf(holder: Holder, self: Holder): 'exists' | 'gone' | 'unknown' {
  if (holder.nonce === self.nonce || holder.host !== self.host || holder.boot !== self.boot) return 'unknown'
  // A process id that is now ours was reused, so its former owner is gone. In containers it is always 1.
  return holder.pid !== self.pid && isProcessAlive(holder.pid) ? 'exists' : 'gone'
}

export const mayBeAlive = (holder: Holder, self: Holder): boolean => livenessOf(holder, self) !== 'gone'

/** `quotekeeper start (process 12)` */
export const describeProcess = ({ command, pid }: Holder): string =>
  command === undefined ? `process ${pid}` : `${command} (process ${pid})`

export const describeMachine = ({ host }: Holder, self: Holder): string =>
  host === self.host ? 'on this machine' : `on ${host}`
