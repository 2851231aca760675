import { it } from 'vitest'
import { runsLongTests } from './time-limits.js'

export { runsLongTests }

/** Ends the titles of tests and cases that `npm test` leaves out and `npm run test:long` runs. */
const LONG_SUFFIX = '(long)'

/** Registers a test that only runs where long tests do; its title gets the suffix. */
export function longIt(title: string, test: () => Promise<void>, timeout?: number): void {
  it.runIf(runsLongTests)(`${title} ${LONG_SUFFIX}`, test, timeout)
}

/**
 * The cases of a test that is repeated, as rows for `it.each`: a label and the case.
 * @param cases all of them, by name
 * @param quick the names of those that `npm test` runs; the others are left out if long tests do not run
 */
export function labelledCases<T>(cases: Readonly<Record<string, T>>, quick: readonly string[]): [string, T][] {
  return Object.entries(cases).flatMap(([name, one]): [string, T][] => {
    if (quick.includes(name)) return [[name, one]]
    return runsLongTests ? [[`${name} ${LONG_SUFFIX}`, one]] : []
  })
}

/**
 * How often something is repeated: the runs of a property, each time with other random values, the rounds of a simulation.
 * @param all with long tests; `npm test` has a twentieth of them
 */
export const shareOf = (all: number): number => (runsLongTests ? all : Math.ceil(all / 20))

/** Rounds of a test that shows what is always so: two of them in `npm test`. */
export const ROUNDS = runsLongTests ? 6 : 2
