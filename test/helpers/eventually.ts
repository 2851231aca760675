import { vi } from 'vitest'
import { WAIT_TIMEOUT } from './time-limits.js'

/**
 * Retries a check until it stops throwing.
 * @param interval between two attempts, in milliseconds
 */
export const eventually = <T>(check: () => T, interval = 50) => vi.waitFor(check, { timeout: WAIT_TIMEOUT, interval })
