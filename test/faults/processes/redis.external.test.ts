import { expect, it, onTestFinished } from 'vitest'
import { createRunner } from '../../../jobs/service.js'
import { eventually } from '../../helpers/eventually.js'
import { recordingHandlers } from '../../helpers/recording-handlers.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'

const PAYLOAD = { channel: 'acme/forest', cause: 'tick' }
const redisIt = it.skipIf(redisSkipReason !== null)
const runners = useRedisRunners()

redisIt('Redis failover: commands fail while Redis is a read-only replica, then jobs run again', async () => {
  const { handlers, done } = recordingHandlers()
  const runner = await runners.open()
  await runner.work(handlers)
  await runner.enqueue('poll-rfqs', PAYLOAD)
  await eventually(() => expect(done).toHaveLength(1))
  await runners.redis.withClient((client) => client.replicaof('127.0.0.1', 1))
  await expect(runner.load()).rejects.toThrow('does not answer')
  await expect(runner.enqueue('poll-rfqs', PAYLOAD)).rejects.toThrow('does not answer')
  await runners.redis.withClient((client) => client.replicaof('NO', 'ONE'))
  await eventually(async () => expect(await runner.load()).toMatchObject({ active: 0 }))
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

redisIt('a process with another database on the same Redis: a job waits for processes with its database', async () => {
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
