import { AsyncLocalStorage } from 'node:async_hooks'

/** For whom work is done. */
interface Caller {
  user: string
  /** Aborted when nobody waits for the result any more. */
  signal: AbortSignal | null
}

/** Jobs and commands. */
const PROCESS: Caller = { user: 'quotekeeper', signal: null }

const callers = new AsyncLocalStorage<Caller>()

/**
 * Does work, and whatever it starts, in the turn of a user of the worker pool.
 * @param signal aborted when nobody waits for the result any more; tasks that have not started then never do
 */
export const asUser = <T>(user: string, work: () => T, signal: AbortSignal | null = null): T =>
  callers.run({ user, signal }, work)

/** For whom the caller works. */
export const currentCaller = (): Caller => callers.getStore() ?? PROCESS
