import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { defineConfig } from 'vitest/config'

const INTEGRATION = 'test/**/*.integration.test.ts'
const EXTERNAL = 'test/**/*.external.test.ts'
/** Tests of the PostgreSQL engine, which vitest.postgres.config.ts runs. */
export const POSTGRES_ENGINE = 'test/store/postgres/**/*.test.ts'

export const shared = {
  env: { TMPDIR: quickFolder() },
  testTimeout: 60_000,
  hookTimeout: 60_000,
  restoreMocks: true,
  // Modules hold no state, so files can share one instance of each.
  isolate: false,
}

/**
 * `unit`: fast, no child process, no installed program. `integration`: processes of our own, slow tests of files,
 * sockets and large properties. `external`: Redis, LibreOffice, openpyxl, Chromium.
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
          include: ['test/**/*.test.ts'],
          exclude: [INTEGRATION, EXTERNAL],
        },
      },
      { test: { ...shared, name: 'integration', include: [INTEGRATION] } },
      { test: { ...shared, name: 'external', include: [EXTERNAL], exclude: [POSTGRES_ENGINE] } },
    ],
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
