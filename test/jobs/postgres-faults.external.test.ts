import { createPostgresBackend, Queue } from 'bullmq'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createBullRunner } from '../../jobs/bullmq-runner.js'
import type { JobRunner } from '../../jobs/contract.js'
import { fairnessKey } from '../../jobs/job-id.js'
import { PrivatePostgres, postgresSkipReason } from '../helpers/private-postgres.js'
import { freePort } from '../helpers/private-redis.js'
import { recordingHandlers } from '../helpers/recording-handlers.js'
import { recordingLog } from '../helpers/recording-log.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const eventually = <T>(ask: () => T) => vi.waitFor(ask, { timeout: 20_000, interval: 20 })
const open = (url: string, prefix: string) =>
  createBullRunner({
    server: { kind: 'postgres', url },
    prefix,
    concurrency: 2,
    log: recordingLog(),
    timing: { start: 3_000 },
  })

describe.skipIf(postgresSkipReason !== null)(
  `PostgreSQL queue under faults${postgresSkipReason ? ` (skipped: ${postgresSkipReason})` : ''}`,
  () => {
    let postgres: PrivatePostgres
    let runner: JobRunner
    let prefix = ''
    let prefixes = 0
    const openQueue = () =>
      new Queue('jobs', { connection: { connectionString: postgres.url, schema: prefix } }, createPostgresBackend)
    beforeAll(async () => {
      postgres = await PrivatePostgres.start()
    }, 60_000)
    beforeEach(async () => {
      prefix = `faults_${prefixes++}`
      runner = await open(postgres.url, prefix)
    })
    afterEach(() => runner.close(0))
    afterAll(() => postgres.remove())

    it('continues after a restart of PostgreSQL', async () => {
      const { handlers, done } = recordingHandlers()
      await runner.work(handlers)
      await runner.enqueue('poll-rfqs', PAYLOAD, 'before')
      await eventually(() => expect(done).toHaveLength(1))
      // Its end must be recorded, or the restarted queue waits until it counts as stalled.
      const queue = openQueue()
      await eventually(async () => expect(await queue.getCompletedCount()).toBe(1))
      await queue.close()
      await postgres.kill()
      await expect(runner.enqueue('poll-rfqs', PAYLOAD, 'while-away')).rejects.toThrow('does not answer')
      expect(await runner.ping()).toMatchObject({ ok: false })
      await postgres.launch()
      await eventually(async () => expect(await runner.ping()).toMatchObject({ ok: true }))
      await runner.enqueue('poll-rfqs', PAYLOAD, 'after')
      await eventually(() => expect(done.map(({ id }) => id)).toEqual(['before', 'after']))
    })

    it('waits at the start for a server that is still starting', async () => {
      await postgres.kill()
      const opening = open(postgres.url, 'late_server')
      await postgres.launch()
      await (await opening).close(0)
    })

    it('a finished job whose id a second scheduler added again does not block later ticks', async () => {
      const { handlers, done } = recordingHandlers()
      await runner.work(handlers)
      await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-1')
      await eventually(() => expect(done).toHaveLength(1))
      const racing = openQueue()
      await eventually(async () => expect(await racing.getCompletedCount()).toBe(1))
      const deduplication = { id: fairnessKey('poll-rfqs', PAYLOAD), keepLastIfActive: true }
      await racing.add('poll-rfqs', PAYLOAD, { jobId: 'tick-1', deduplication })
      await racing.close()
      expect(await runner.enqueue('poll-rfqs', PAYLOAD, 'tick-2')).toBe(true)
      await eventually(() => expect(done.map(({ id }) => id)).toEqual(['tick-1', 'tick-2']))
    })
  },
)

it('without PostgreSQL the start fails within seconds, and the error says what to do', async () => {
  const url = `postgres://user:s3cret@127.0.0.1:${await freePort()}/queue`
  const began = performance.now()
  await expect(open(url, 'absent')).rejects.toThrow(
    /^the queue at postgres:\/\/127\.0\.0\.1:\d+\/queue does not answer \(connect ECONNREFUSED.*\): start it, or/,
  )
  expect(performance.now() - began).toBeLessThan(6_000)
})
