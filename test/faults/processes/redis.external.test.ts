import { setTimeout as wait } from 'node:timers/promises'
import { Queue } from 'bullmq'
import { expect, onTestFinished } from 'vitest'
import { createRunner } from '../../../jobs/service.js'
import { eventually } from '../../helpers/eventually.js'
import { recordingHandlers } from '../../helpers/recording-handlers.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'
import { faultUnless } from '../fault-test.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const fault = faultUnless(redisSkipReason)
const runners = useRedisRunners()

fault('Redis killed and restarted', 'new jobs are accepted after the restart, and none runs twice', async () => {
  const { handlers, done } = recordingHandlers()
  const scheduler = await runners.open()
  const worker = await runners.open()
  await worker.work(handlers)
  await scheduler.enqueue('poll-rfqs', PAYLOAD)
  await eventually(() => expect(done).toHaveLength(1))

  await runners.redis.kill()
  await expect(scheduler.enqueue('poll-rfqs', PAYLOAD)).rejects.toThrow(
    /127\.0\.0\.1:\d+ does not answer \((?!Reached the max retries)/,
  )
  expect(await scheduler.ping()).toMatchObject({ ok: false })

  await runners.redis.launch()
  await eventually(async () => expect(await scheduler.ping()).toMatchObject({ ok: true }))
  await eventually(async () => expect(await scheduler.enqueue('poll-rfqs', PAYLOAD)).not.toBeNull())
  await eventually(() => expect(done).toHaveLength(2))
  // One line of each runner when the outage began, and one when it ended.
  expect(runners.log.at('error')).toEqual(Array(2).fill(expect.stringContaining('is unavailable')))
  expect(runners.log.at('info')).toEqual(Array(2).fill(expect.stringContaining('is available again')))
})

fault('Redis failover', 'commands fail while Redis is a read-only replica, then jobs run again', async () => {
  const { handlers, done } = recordingHandlers()
  const runner = await runners.open()
  await runner.work(handlers)
  await runner.enqueue('poll-rfqs', PAYLOAD)
  await eventually(() => expect(done).toHaveLength(1))
  await runners.redis.withClient((client) => client.replicaof('127.0.0.1', 1))
  expect(await runner.ping()).toMatchObject({ ok: false })
  await expect(runner.enqueue('poll-rfqs', PAYLOAD)).rejects.toThrow('does not answer')
  await runners.redis.withClient((client) => client.replicaof('NO', 'ONE'))
  await eventually(async () => expect(await runner.ping()).toMatchObject({ ok: true }))
  // The refused command may still arrive later; jobs run in either case.
  await eventually(async () => expect(await runner.enqueue('poll-rfqs', PAYLOAD)).not.toBeNull())
  await eventually(() => expect(done.length).toBeGreaterThan(1))
  const later = await eventually(async () => {
    const id = await runner.enqueue('poll-rfqs', PAYLOAD)
    expect(id).not.toBeNull()
    return id
  })
  await eventually(() => expect(done.map(({ id }) => id)).toContain(later))
})

fault('Redis failover', 'a refused command is retried and succeeds within the timeout', async () => {
  const { handlers, done } = recordingHandlers()
  const runner = await runners.open()
  await runner.work(handlers)
  await runners.redis.withClient((client) => client.replicaof('127.0.0.1', 1))
  const enqueued = runner.enqueue('poll-rfqs', PAYLOAD)
  await wait(300)
  expect(done).toEqual([])
  await runners.redis.withClient((client) => client.replicaof('NO', 'ONE'))
  const id = await enqueued
  await eventually(() => expect(done.map((job) => job.id)).toEqual([id]))
})

fault('an invalid job payload', 'the job is rejected, logged and not retried', async () => {
  const { handlers, done } = recordingHandlers()
  const runner = await runners.open()
  await runner.work(handlers)
  const [host, port] = ['127.0.0.1', runners.redis.port]
  const outsider = new Queue('jobs', { connection: { host, port }, prefix: runners.prefix })
  await outsider.add('poll-rfqs', { channel: 'acme/forest', cause: 'tick', apiKey: 's3cret' }, { attempts: 3 })
  await outsider.add('drop-tables', { channel: 'acme/forest', cause: 'tick' })
  await eventually(async () => expect(await outsider.getFailedCount()).toBe(2))
  expect(runners.log.at('error')).toHaveLength(2)
  expect((await outsider.getFailed()).map(({ attemptsMade }) => attemptsMade)).toEqual([1, 1])
  expect(runners.log.at('error').join()).toMatch(/refused.*apiKey.*refused.*unknown job name "drop-tables"/)
  expect(JSON.stringify(runners.log.lines)).not.toContain('s3cret')
  expect(done).toEqual([])
  await outsider.close()
})

fault('a process with another database on the same Redis', 'a job waits for processes with its database', async () => {
  const open = async (database: string) => {
    const queue = { kind: 'redis', url: runners.redis.url } as const
    const runner = await createRunner(queue, { database, log: runners.log })
    onTestFinished(() => runner.close(0))
    return runner
  }
  const [one, two] = [await open('one'), await open('two')]
  const { handlers, done } = recordingHandlers()
  const ids = [await one.enqueue('poll-rfqs', PAYLOAD), await two.enqueue('poll-rfqs', PAYLOAD)] as [string, string]
  await two.work(handlers)
  await eventually(async () => expect(await two.job(ids[1])).toMatchObject({ state: 'completed' }))
  expect(done).toHaveLength(1)
  expect(await one.job(ids[0])).toMatchObject({ state: 'waiting' })
})
