import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type BullRunnerOptions, createBullRunner } from '../../jobs/bullmq-runner.js'
import type { JobRunner } from '../../jobs/contract.js'
import { noRedis, PrivateRedis } from './private-redis.js'
import { type KeptLog, keptLog } from './recording-log.js'

/** Runners on one private Redis. */
export interface RunnerDesk {
  readonly redis: PrivateRedis
  /** Of the test under way, as the keys in Redis are. */
  readonly log: KeptLog
  readonly prefix: string
  open(options?: Partial<BullRunnerOptions>): Promise<JobRunner>
}

/** A Redis for the tests of a file or a `describe`, which calls this; each test closes what runners it opened. */
export function runnersOnRedis(): RunnerDesk {
  let redis: PrivateRedis | null = null
  let log = keptLog()
  let runners: JobRunner[] = []
  let tests = 0
  beforeAll(async () => {
    if (noRedis === null) redis = await PrivateRedis.start()
  })
  beforeEach(() => {
    tests++
    log = keptLog()
    runners = []
  })
  afterEach(() => Promise.all(runners.map((runner) => runner.close(0))))
  afterAll(() => redis?.end())
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
      const server = { kind: 'redis' as const, url: (redis as PrivateRedis).url }
      const runner = await createBullRunner({ server, prefix: `p${tests}`, concurrency: 2, log, ...options })
      runners.push(runner)
      return runner
    },
  }
}
