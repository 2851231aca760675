import { it } from 'vitest'
import { LONG_SUFFIX, runsLongTests } from '../helpers/long-tests.js'

/**
 * Registers a test of a fault that is injected for real.
 * @param what the fault
 * @param behaviour what the test shows
 * @param timeout in milliseconds
 */
export type FaultTest = (what: string, behaviour: string, test: () => Promise<void>, timeout?: number) => void

/** For faults that cannot be injected on every machine: skips the tests unless `reason` is null. */
export function faultUnless(reason: string | null): FaultTest {
  return (what, behaviour, test, timeout) => {
    const title = `${what}: ${behaviour}`
    if (reason === null) it(title, test, timeout)
    else it.skip(`${title} (skipped: ${reason})`)
  }
}

export const fault: FaultTest = faultUnless(null)

/** For tests that take too long for `npm test`: `npm run test:long` runs them. */
export function longFaultUnless(reason: string | null): FaultTest {
  const short = runsLongTests ? null : 'only with npm run test:long'
  const fault = faultUnless(reason ?? short)
  return (what, behaviour, test, timeout) => fault(what, `${behaviour} ${LONG_SUFFIX}`, test, timeout)
}
