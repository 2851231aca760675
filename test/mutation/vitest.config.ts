import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import groups from './groups.json' with { type: 'json' }

const group = groups[process.env.MUTATED_GROUP as keyof typeof groups]

/** The tests that run for each mutant of the group. */
export default defineConfig({
  test: {
    root: join(import.meta.dirname, '../..'),
    maxWorkers: 1,
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    include: group.tests,
  },
})
