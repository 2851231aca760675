import { AsyncLocalStorage } from 'node:async_hooks'

/** Jobs and commands. */
const PROCESS = 'quotekeeper'

const users = new AsyncLocalStorage<string>()

/** Does work, and whatever it starts, in the turn of a user of the worker pool. */
export const asUser = <T>(user: string, work: () => T): T => users.run(user, work)

/** For whom the caller works. */
export const currentUser = (): string => users.getStore() ?? PROCESS
