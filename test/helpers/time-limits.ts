/** Whether everything runs: with `npm run test:long` and in CI. */
export const runsLongTests = process.env.QUOTEKEEPER_LONG === '1'

/** In milliseconds: ends a test that hangs. What long tests repeat more often takes up to a minute on two busy cores. */
export const TEST_TIMEOUT = runsLongTests ? 300_000 : 60_000

/** Ends whatever a test waits for. Shorter than the test's own, so that the failure names what did not happen. */
export const WAIT_TIMEOUT = TEST_TIMEOUT - 10_000
