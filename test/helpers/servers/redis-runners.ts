import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { JobRunner } from '../../../jobs/contract.js'
import { type BullRunnerOptions, createBullRunner } from '../../../jobs/queue/bullmq-runner.js'
import { type RecordingLog, recordingLog } from '../recording-log.js'
import { WAIT_TIMEOUT } from '../time-limits.js'
import { PrivateRedis, redisSkipReason } from './private-redis.js'

/** Job runners on one private Redis. */
export interface RedisRunners {
  readonly redis: PrivateRedis
  /** The log of the current test. */
  readonly log: RecordingLog
  /** The Redis key prefix of the current test. */
  readonly prefix: string
  open(options?: Partial<BullRunnerOptions>): Promise<JobRunner>
}

/** Provides a Redis for the tests of the calling file or `describe`. Runners are closed after each test. */
export function useRedisRunners(): RedisRunners {
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
    get log() {
      return log
    },
    get prefix() {
      return `p${tests}`
    },
    async open(options = {}) {
      const { url } = redis as PrivateRedis
      const timing = { start: WAIT_TIMEOUT, ...options.timing }
      const runner = await createBullRunner({ url, prefix: `p${tests}`, concurrency: 2, log, ...options, timing })
      runners.push(runner)
      return runner
    },
  }
}
