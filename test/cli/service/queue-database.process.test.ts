import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'
import { openProcessFixture, type ProcessFixture } from '../../helpers/servers/process-fixture.js'

/** Two installations on one Redis, each with a database of its own. */
async function twoInstallations() {
  const redis = await PrivateRedis.start()
  onTestFinished(() => redis.remove())
  const more = `queue: ${redis.url}\nweb: { port: 0 }\n`
  return { redis, one: await openProcessFixture({ more }), two: await openProcessFixture({ more }) }
}

async function started(fixture: ProcessFixture, ...args: string[]) {
  const process = fixture.start(args)
  await eventually(() => expect(process.out + process.err).toContain('quotekeeper started'))
  return process
}

async function refused(fixture: ProcessFixture, ...args: string[]) {
  const { status, out, err } = await fixture.run(...args)
  expect(status).toBe(1)
  expect(out + err).not.toContain('quotekeeper started')
  expect(err).toContain('belongs to the database')
}

describe.skipIf(redisSkipReason !== null)('processes with different databases on one queue', () => {
  it('accept another database with --adopt-queue, and after Redis was emptied', async () => {
    const { redis, one, two } = await twoInstallations()
    const first = await started(one, 'start')
    const adopting = await started(two, 'work', '--adopt-queue')
    expect(await first.ended).toBe('exit 1')
    expect(first.err).toContain('belongs to the database')
    await refused(one, 'work')
    // Without --port, a worker listens on nothing.
    expect(adopting.out).not.toContain('"url"')
    adopting.signal('SIGTERM')
    expect(await adopting.ended).toBe('exit 0')
    await redis.withClient((client) => client.flushall())
    await started(one, 'start')
    await refused(two, 'work')
  })

  it('accept a restored backup of the database, also at another path', async () => {
    const { one, two } = await twoInstallations()
    const first = await started(one, 'work')
    first.signal('SIGTERM')
    await first.ended
    expect(await one.run('backup', 'copy.db')).toMatchObject({ status: 0 })
    renameSync(join(one.folder, 'copy.db'), join(two.folder, 'copy.db'))
    expect(await two.run('restore', 'copy.db')).toMatchObject({ status: 0 })
    await started(two, 'work')
    expect(await one.run('restore', join(two.folder, 'quotekeeper.db'))).toMatchObject({ status: 0 })
    await started(one, 'work')
  })
})
