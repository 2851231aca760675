import { it } from 'vitest'
import { LONG_SUFFIX, runsLongTests } from '../helpers/long-tests.js'
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

/** For tests that take too long for `npm test`: `npm run test:long` and `npm run faults` run them, and the table marks them. */
export function longFaultUnless(reason: string | null): FaultTest {
  const short = runsLongTests ? null : 'only with npm run test:long'
  const fault = faultUnless(reason ?? short)
  return (row, behaviour, test, timeout) => fault(row, `${behaviour} ${LONG_SUFFIX}`, test, timeout)
}
