import { describe, expect, it } from 'vitest'
import { ROUNDS } from '../../helpers/long-tests.js'
import { recordingHandlers } from '../../helpers/recording-handlers.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'

const OURS = { id: 'id-1', path: '/srv/a.db', host: 'one' }
const THEIRS = { id: 'id-2', path: '/srv/b.db', host: 'two' }

const runners = useRedisRunners()

describe.skipIf(redisSkipReason !== null)('the database of a queue', () => {
  const { open } = runners

  it('refuses another database, also after every restart, and names both', async () => {
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
      const prefix = `queue-${round}`
      const runners = await Promise.all([1, 2, 3, 4].map(() => open({ prefix })))
      const results = await Promise.allSettled(
        runners.map((runner, index) => runner.bindDatabase({ ...OURS, id: `id-${index}` })),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
      await Promise.all(runners.map((runner) => runner.close(0)))
    }
  })

  it('is only changed by adopting it, which the processes with the former database report', async () => {
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

  it('is not bound by a process that only works', async () => {
    await (await open()).bindDatabase(THEIRS, { claim: false })
    const scheduler = await open()
    expect(await scheduler.checkDatabase(OURS)).toEqual({ ok: true, message: 'belongs to no database yet' })
    await scheduler.bindDatabase(OURS)
    await expect((await open()).bindDatabase(THEIRS, { claim: false })).rejects.toThrow('/srv/a.db')
  })

  it('runs no job of another database, and leaves it to those who use that', async () => {
    const foreign = await open({ timing: { returnPause: 50 } })
    const lost = new Promise<Error>((resolve) => {
      void foreign.bindDatabase(THEIRS, { claim: false, onLost: resolve })
    })
    const [ofForeign, ofOurs] = [recordingHandlers(), recordingHandlers()]
    await foreign.work(ofForeign.handlers)
    const ours = await open()
    await ours.bindDatabase(OURS)
    for (let job = 0; job < ROUNDS; job++) {
      await ours.enqueue('poll-rfqs', { channel: `acme/c${job}`, cause: 'tick' }, `job-${job}`)
    }
    expect((await lost).message).toMatch(/belongs to the database .*id-1.* but this process uses \/srv\/b\.db/)
    await ours.work(ofOurs.handlers)
    await expect.poll(() => ofOurs.done.length).toBe(ROUNDS)
    expect(ofForeign.done).toEqual([])
  })

  it('refuses jobs of the former database after it was adopted, runs its own, and goes on', async () => {
    const former = await open()
    await former.bindDatabase(OURS)
    for (let job = 0; job < ROUNDS; job++) {
      await former.enqueue('poll-rfqs', { channel: `acme/c${job}`, cause: 'tick' }, `former-${job}`)
    }
    await former.close(0)
    const adopting = await open()
    const losses: Error[] = []
    await adopting.bindDatabase(THEIRS, { adopt: true, onLost: (error) => losses.push(error) })
    const { handlers, done } = recordingHandlers()
    await adopting.work(handlers)
    for (let job = 0; job < ROUNDS; job++) {
      // Not enqueued while the job of the former database still waits.
      const enqueue = () => adopting.enqueue('poll-rfqs', { channel: `acme/c${job}`, cause: 'tick' }, `own-${job}`)
      await expect.poll(enqueue).toBe(true)
    }
    await expect.poll(() => done.length).toBe(ROUNDS)
    expect(losses).toEqual([])
  })

  it('tells a running process that another database has adopted it', async () => {
    const former = await open({ timing: { databaseCheck: 50 } })
    const lost = new Promise<Error>((resolve) => {
      void former.bindDatabase(OURS, { onLost: resolve })
    })
    await expect
      .poll(() => former.checkDatabase(OURS))
      .toMatchObject({ message: expect.stringContaining('this database') })
    await (await open()).bindDatabase(THEIRS, { adopt: true })
    expect((await lost).message).toContain('/srv/b.db')
  })

  it('is not bound by a check', async () => {
    expect(await (await open()).checkDatabase(OURS)).toEqual({ ok: true, message: 'belongs to no database yet' })
    await (await open()).bindDatabase(THEIRS)
  })
})

describe.skipIf(redisSkipReason !== null)('the database of a queue on a Redis that was emptied', () => {
  it('is bound again by a running process, and by the next start', async () => {
    const { redis } = runners
    const open = () => runners.open({ timing: { databaseCheck: 200 } })
    const running = await open()
    await running.bindDatabase(OURS)
    const isBound = async () => (await redis.withClient((client) => client.keys('*database*'))).length > 0
    // Without anybody asking for its readiness, and refused to a worker that comes first.
    for (let round = 0; round < ROUNDS; round++) {
      await redis.withClient((client) => client.flushall())
      const worker = await open()
      // Refused if the queue is bound again already; otherwise it binds nothing.
      await worker.bindDatabase(THEIRS, { claim: false }).catch((error) => expect(error.message).toContain('/srv/a.db'))
      await expect.poll(isBound).toBe(true)
      await expect((await open()).bindDatabase(THEIRS)).rejects.toThrow('/srv/a.db')
    }
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
