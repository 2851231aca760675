import { it } from 'vitest'
import { matrix } from './fault-matrix.js'

/**
 * A test of one row. Several tests of a row must all pass for it to count.
 * @param timeout in milliseconds
 */
export type Fault = (row: number, detail: string, test: () => Promise<void>, timeout?: number) => void

/** Tests of faults that cannot be injected everywhere. `reason` says why not here, or is null. */
export function faultUnless(reason: string | null): Fault {
  return (row, detail, test, timeout) => {
    const named = matrix[row]
    if (!named) throw new RangeError(`The matrix has no row ${row}.`)
    const title = `fault ${row} (${named.fault}): ${detail}`
    if (reason === null) it(title, test, timeout)
    else it.skip(`${title} (skipped: ${reason})`)
  }
}

export const fault: Fault = faultUnless(null)

/** Ends the titles of tests that only `npm run faults` does. */
export const LONG = '(long)'

/** Tests of faults that take as long as they take: only `npm run faults` injects them, and its table says so. */
export function longFaultUnless(reason: string | null): Fault {
  const short = process.env.QUOTEKEEPER_HEAVY === '1' ? null : 'npm run faults does it'
  const fault = faultUnless(reason ?? short)
  return (row, detail, test, timeout) => fault(row, `${detail} ${LONG}`, test, timeout)
}
