/**
 * Runs of a slow property: all of them with QUOTEKEEPER_HEAVY (`npm run test:heavy`), otherwise a quarter, each time with
 * other random values.
 */
export const slowRuns = (runs: number): number => (process.env.QUOTEKEEPER_HEAVY ? runs : Math.ceil(runs / 4))
