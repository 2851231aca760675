import { vi } from 'vitest'

/** Asks until it holds, for as long as a queue or a process may need. */
export const soon = <T>(ask: () => T) => vi.waitFor(ask, { timeout: 20_000, interval: 20 })
