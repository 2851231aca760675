import { vi } from 'vitest'

/**
 * Asks until it holds, for as long as a queue or a process may need.
 * @param timeout in milliseconds
 */
export const eventually = <T>(ask: () => T, timeout = 20_000) => vi.waitFor(ask, { timeout, interval: 20 })
