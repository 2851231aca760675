import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { JobRunner } from '../../../jobs/contract.js'
import { type BullRunnerOptions, createBullRunner } from '../../../jobs/queue/bullmq-runner.js'
import { recordingLog } from '../recording-log.js'
import { WAIT_TIMEOUT } from '../time-limits.js'
import { PrivateRedis, redisSkipReason } from './private-redis.js'

/** Provides a Redis for the tests of the calling file or `describe`. Runners are closed after each test. */
export function useRedisRunners() {
  let redis: PrivateRedis | null = null
  let log = recordingLog()
  let runners: JobRunner[] = []
  let tests = 0
  beforeAll(async () => {
    if (redisSkipReason === null) redis = await PrivateRedis.start()
  })
  beforeEach(() => {
    tests++
    log = recordingLog()
    runners = []
  })
  afterEach(() => Promise.all(runners.map((runner) => runner.close(0))))
  afterAll(() => redis?.remove())
  return {
    get redis() {
      return redis as PrivateRedis
    },
    /** The log of the current test. */
    get log() {
      return log
    },
    /** The Redis key prefix of the current test. */
    get prefix() {
      return `p${tests}`
    },
    async open(options: Partial<BullRunnerOptions> = {}) {
      const { url } = redis as PrivateRedis
      const timing = { start: WAIT_TIMEOUT, ...options.timing }
      const runner = await createBullRunner({ url, prefix: `p${tests}`, concurrency: 2, log, ...options, timing })
      runners.push(runner)
      return runner
    },
  }
}
