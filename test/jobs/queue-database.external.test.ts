import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createBullRunner } from '../../jobs/bullmq-runner.js'
import { PrivatePostgres, postgresSkipReason } from '../helpers/private-postgres.js'
import { PrivateRedis, redisSkipReason } from '../helpers/private-redis.js'
import { recordingLog } from '../helpers/recording-log.js'

const OURS = { id: 'id-1', path: '/srv/a.db', host: 'one' }
const THEIRS = { id: 'id-2', path: '/srv/b.db', host: 'two' }
const ROUNDS = 6

const servers = [
  { kind: 'redis' as const, skip: redisSkipReason, start: () => PrivateRedis.start() },
  { kind: 'postgres' as const, skip: postgresSkipReason, start: () => PrivatePostgres.start() },
]

describe.each(servers)('the database of a queue on $kind', ({ kind, skip, start }) => {
  if (skip !== null) {
    it.skip(`skipped: ${skip}`)
    return
  }
  let server: Awaited<ReturnType<typeof start>>
  let prefixes = 0
  beforeAll(async () => {
    server = await start()
  }, 60_000)
  afterAll(() => server.remove())

  /** Opens runners on a queue of their own. */
  const newQueue = () => {
    const prefix = `owner_${prefixes++}`
    return async () => {
      const runner = await createBullRunner({
        ...{ server: { kind, url: server.url }, prefix, concurrency: 1, log: recordingLog() },
      })
      onTestFinished(() => runner.close(0))
      return runner
    }
  }

  it('refuses another database, also after every restart, and names both', async () => {
    const open = newQueue()
    for (let round = 0; round < ROUNDS; round++) {
      const first = await open()
      await first.bindDatabase({ ...OURS, path: `/srv/moved-${round}.db` })
      const second = await open()
      const refusal = await second.bindDatabase(THEIRS).catch((error: Error) => error)
      expect(refusal).toMatchObject({
        name: 'QueueDatabaseError',
        message: expect.stringMatching(
          /belongs to the database \/srv\/moved-0\.db on one \(id id-1\), but .* \/srv\/b\.db on two \(id id-2\).*--adopt-queue/,
        ),
      })
      expect(await first.checkDatabase(OURS)).toMatchObject({ ok: true })
      expect(await second.checkDatabase(THEIRS)).toMatchObject({ ok: false })
      await Promise.all([first.close(0), second.close(0)])
    }
  })

  it('belongs to exactly one of several databases that start at once', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const open = newQueue()
      const runners = await Promise.all([open(), open(), open(), open()])
      const results = await Promise.allSettled(
        runners.map((runner, index) => runner.bindDatabase({ ...OURS, id: `id-${index}` })),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await Promise.all(runners.map((runner) => runner.close(0)))
    }
  })

  it('is only changed by adopting it, which the processes with the former database report', async () => {
    const open = newQueue()
    const [former, later] = [await open(), await open()]
    await former.bindDatabase(OURS)
    expect(await former.ping()).toMatchObject({ ok: true })
    await later.bindDatabase(THEIRS, { adopt: true })
    expect(await later.checkDatabase(THEIRS)).toMatchObject({ ok: true })
    expect(await former.ping()).toMatchObject({
      ok: false,
      message: expect.stringContaining('belongs to the database'),
    })
    await expect((await open()).bindDatabase(OURS)).rejects.toThrow('/srv/b.db')
  })

  it('is not bound by a check', async () => {
    const open = newQueue()
    expect(await (await open()).checkDatabase(OURS)).toEqual({ ok: true, message: 'belongs to no database yet' })
    await (await open()).bindDatabase(THEIRS)
  })
})

describe.skipIf(redisSkipReason !== null)('the database of a queue on a Redis that was emptied', () => {
  it('is bound again by a running process, and by the next start', async () => {
    const redis = await PrivateRedis.start()
    onTestFinished(() => redis.remove())
    const open = async () => {
      const runner = await createBullRunner({
        ...{ server: { kind: 'redis', url: redis.url }, concurrency: 1, log: recordingLog() },
      })
      onTestFinished(() => runner.close(0))
      return runner
    }
    const running = await open()
    await running.bindDatabase(OURS)
    for (let round = 0; round < ROUNDS; round++) {
      await redis.withClient((client) => client.flushall())
      await running.ping()
      await expect((await open()).bindDatabase(THEIRS)).rejects.toThrow('/srv/a.db')
    }
    await running.close(0)
    await redis.withClient((client) => client.flushall())
    await (await open()).bindDatabase(THEIRS)
    await expect((await open()).bindDatabase(OURS)).rejects.toThrow('/srv/b.db')
  })
})
