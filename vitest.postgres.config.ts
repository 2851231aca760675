import { defineConfig } from 'vitest/config'
import { POSTGRES_ENGINE, PROCESSES, shared } from './vitest.config.js'

/** Tests of what the store contract promises, and of what uses it. */
const STORE_CONTRACT = [
  'test/store/documented-tables.integration.test.ts',
  'test/store/awards/**/*.test.ts',
  'test/store/closings/**/*.test.ts',
  'test/store/documents/**/*.test.ts',
  'test/store/events/**/*.test.ts',
  'test/store/figures/**/*.test.ts',
  'test/store/rates/**/*.test.ts',
  'test/store/runs/run-lock.integration.test.ts',
  'test/store/runs/complete-runs.test.ts',
  'test/store/maintenance/prune.integration.test.ts',
  'test/closing/**/*.test.ts',
  'test/golden/**/*.test.ts',
  'test/notify/deliveries.integration.test.ts',
  'test/notify/watch.integration.test.ts',
  'test/sync/poll-rfqs.integration.test.ts',
  'test/sync/documents/hostile-ids.integration.test.ts',
  'test/sync/documents/other-forms.integration.test.ts',
  'test/sync/documents/received-bodies.integration.test.ts',
  'test/sync/plan/offers-read-later.integration.test.ts',
  'test/sync/plan/planned-polls.integration.test.ts',
  'test/web/api.integration.test.ts',
  'test/web/request-values.integration.test.ts',
  'test/web/pages/pages.integration.test.ts',
  'test/web/pages/system-page.integration.test.ts',
  'test/web/pages/closing-now.integration.test.ts',
  'test/tables/**/*.test.ts',
  'test/mcp/mcp-server.integration.test.ts',
  'test/metrics/service-metrics.integration.test.ts',
  'test/pool/worker-pool.integration.test.ts',
  'test/figures/**/*.integration.test.ts',
]

/**
 * The store on PostgreSQL: `contract` runs tests of other projects on a server that is started for them; `engine` has the tests of the
 * engine itself.
 */
export default defineConfig({
  test: {
    maxWorkers: 4,
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          ...shared,
          name: 'contract',
          include: STORE_CONTRACT,
          exclude: [PROCESSES],
          env: { QUOTEKEEPER_TEST_ENGINE: 'postgres' },
          globalSetup: 'test/helpers/servers/postgres-server.ts',
        },
      },
      { test: { ...shared, name: 'engine', include: [POSTGRES_ENGINE] } },
    ],
  },
})
