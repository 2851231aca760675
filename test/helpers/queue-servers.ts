import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { type BullRunnerOptions, createBullRunner } from '../../jobs/bullmq-runner.js'
import type { JobRunner } from '../../jobs/contract.js'
import { runsLongTests } from './long-tests.js'
import { PrivatePostgres, postgresSkipReason } from './private-postgres.js'
import { PrivateRedis, redisSkipReason } from './private-redis.js'
import { type RecordingLog, recordingLog } from './recording-log.js'

/** A queue of its own on the server of a test. */
export interface TestQueue {
  /** The log of all its runners. */
  readonly log: RecordingLog
  /** Opens a runner, which is closed when the test has finished. */
  open(timing?: BullRunnerOptions['timing'], concurrency?: number): Promise<JobRunner>
}

const SERVERS = [
  { kind: 'redis' as const, skip: redisSkipReason, start: () => PrivateRedis.start() },
  {
    kind: 'postgres' as const,
    skip: runsLongTests ? postgresSkipReason : 'only with npm run test:long',
    start: () => PrivatePostgres.start(),
  },
]

/**
 * Runs tests once for each server that a queue can be on: on PostgreSQL with the long tests. Those whose program is not installed are
 * skipped.
 * @param tests receives the function that creates a queue
 */
export function describeOnEachServer(title: string, tests: (newQueue: () => TestQueue) => void): void {
  for (const { kind, skip, start } of SERVERS) {
    describe.skipIf(skip !== null)(`${title} on ${kind}`, () => {
      let server: Awaited<ReturnType<typeof start>>
      let queues = 0
      beforeAll(async () => {
        server = await start()
      }, 60_000)
      afterAll(() => server.remove())
      tests(() => {
        const prefix = `queue_${queues++}`
        const log = recordingLog()
        const open = async (timing: BullRunnerOptions['timing'] = {}, concurrency = 2) => {
          const runner = await createBullRunner({
            server: { kind, url: server.url },
            prefix,
            concurrency,
            log,
            timing,
          })
          onTestFinished(() => runner.close(0))
          return runner
        }
        return { log, open }
      })
    })
  }
}
