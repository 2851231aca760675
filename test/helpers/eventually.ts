import { vi } from 'vitest'

/**
 * Retries a check until it stops throwing.
 * @param timeout in milliseconds; the default is enough for a queue or a process
 */
export const eventually = <T>(check: () => T, timeout = 20_000) => vi.waitFor(check, { timeout, interval: 20 })
