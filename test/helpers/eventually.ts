import { vi } from 'vitest'

/**
 * Retries a check until it stops throwing.
 * @param timeout in milliseconds; the default is enough for a queue or a process
 * @param interval between two attempts, in milliseconds
 */
export const eventually = <T>(check: () => T, timeout = 20_000, interval = 50) =>
  vi.waitFor(check, { timeout, interval })
