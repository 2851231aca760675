import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'
import { postgresSkipReason } from './test/helpers/private-postgres.js'

const INTEGRATION = 'test/**/*.integration.test.ts'
const EXTERNAL = 'test/**/*.external.test.ts'
/** Tests of what the store contract promises. */
const STORE_CONTRACT = [
  'test/store/{store,as-of,events,run-lock}.integration.test.ts',
  'test/store/{decision-log,revalidation,monitoring,recorder}.test.ts',
  'test/closing/**/!(carry-over).test.ts',
  'test/notify/{deliveries.integration,watch}.test.ts',
  'test/sync/{poll-rfqs,conditional-polls,unchanged-bodies,planned-polls,hostile-ids.integration,received-bodies.integration}.test.ts',
]

const shared = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  restoreMocks: true,
  // Modules hold no state, so files can share one instance of each.
  isolate: false,
}

/** The same tests on a PostgreSQL server that is started for them. */
const POSTGRES = {
  test: {
    ...shared,
    name: 'postgres',
    include: STORE_CONTRACT,
    env: { QUOTEKEEPER_TEST_ENGINE: 'postgres' },
    globalSetup: 'test/helpers/postgres-server.ts',
  },
}

/**
 * `unit`: fast, no child process, no installed program. `integration`: processes of our own, slow tests of files,
 * sockets and large properties. `external`: Redis, PostgreSQL, LibreOffice, openpyxl, Chromium. `postgres`: tests of the store contract on PostgreSQL.
 */
export default defineConfig({
  test: {
    // Many tests wait for processes and timers, so that four workers keep two cores busy.
    maxWorkers: 4,
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          ...shared,
          name: 'unit',
          env: { TMPDIR: quickFolder() },
          include: ['test/**/*.test.ts'],
          exclude: [INTEGRATION, EXTERNAL],
        },
      },
      { test: { ...shared, name: 'integration', include: [INTEGRATION] } },
      { test: { ...shared, name: 'external', include: [EXTERNAL] } },
      ...(postgresSkipReason === null ? [POSTGRES] : []),
    ],
  },
})

/**
 * Where unit tests keep their files: in memory, if the machine has room there. The files are the same, but a commit does not wait
 * for a disk.
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
