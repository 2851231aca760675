import { it } from 'vitest'
import { matrix } from './fault-matrix.js'

/**
 * Registers a test for one row of the fault matrix.
 * @param behaviour what the test shows, in words that follow the name of the fault
 * @param timeout in milliseconds
 */
export type FaultTest = (row: number, behaviour: string, test: () => Promise<void>, timeout?: number) => void

/** For faults that cannot be injected on every machine: skips the tests unless `reason` is null. */
export function faultUnless(reason: string | null): FaultTest {
  return (row, behaviour, test, timeout) => {
    const entry = matrix[row]
    if (!entry) throw new RangeError(`The matrix has no row ${row}.`)
    const title = `fault ${row} (${entry.fault}): ${behaviour}`
    if (reason === null) it(title, test, timeout)
    else it.skip(`${title} (skipped: ${reason})`)
  }
}

export const fault: FaultTest = faultUnless(null)

/** Ends the titles of tests that only `npm run faults` runs. */
export const LONG_SUFFIX = '(long)'

/** For tests that take too long for `npm test`: only `npm run faults` runs them, and its table marks them. */
export function longFaultUnless(reason: string | null): FaultTest {
  const short = process.env.QUOTEKEEPER_HEAVY === '1' ? null : 'only with npm run faults'
  const fault = faultUnless(reason ?? short)
  return (row, behaviour, test, timeout) => fault(row, `${behaviour} ${LONG_SUFFIX}`, test, timeout)
}
