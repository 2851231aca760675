import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'
import { runsLongTests, TEST_TIMEOUT, WAIT_TIMEOUT } from './test/helpers/time-limits.js'

/** Tests of the PostgreSQL engine, which vitest.postgres.config.ts runs. */
export const POSTGRES_ENGINE = 'test/store/postgres/**/*.test.ts'

/** Tests that start, stop and kill the compiled program. */
export const PROCESSES = 'test/**/*.process.test.ts'

export const shared = {
  env: { TMPDIR: quickFolder() },
  testTimeout: TEST_TIMEOUT,
  hookTimeout: TEST_TIMEOUT,
  expect: { poll: { timeout: WAIT_TIMEOUT } },
  restoreMocks: true,
  // Modules hold no state, so files can share one instance of each.
  isolate: false,
}

/**
 * All tests, in one pool of workers: each imports every module once. The name of a file says what it needs (CONTRIBUTING.md).
 */
export default defineConfig({
  test: {
    ...shared,
    include: ['test/**/*.test.ts'],
    exclude: [POSTGRES_ENGINE, ...(runsLongTests ? [] : [PROCESSES])],
    // Many tests wait for processes and timers, so that four workers keep two cores busy.
    maxWorkers: 4,
    experimental: { fsModuleCache: true },
  },
})

/**
 * Where tests keep their files: in memory, if the machine has room there. The files are the same, but a commit does not wait for
 * a disk.
 */
function quickFolder(): string {
  const inMemory = '/dev/shm'
  try {
    const { bavail, bsize } = statfsSync(inMemory)
    if (bavail * bsize > 4 * 2 ** 30) return inMemory
  } catch {
    // Only Linux has it.
  }
  return tmpdir()
}
