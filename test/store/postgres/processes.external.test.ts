import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '../../../src/store/open-database.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { eventually } from '../../helpers/eventually.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'
import { addPastDueRfq, openProcessFixture } from '../../helpers/servers/process-fixture.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

describe.skipIf((postgresSkipReason ?? redisSkipReason) !== null)('processes in folders of their own', () => {
  it('share one PostgreSQL database and a queue on Redis, and close each RFQ once though one is killed', async () => {
    const redis = await PrivateRedis.start()
    onTestFinished(() => redis.remove())
    const schedule =
      'schedule: { rfqs: "*/2 * * * * *", closeExpired: "*/3 * * * * *", listings: null, channelReport: null }\n'
    const fixture = await openProcessFixture({ more: `queue: ${redis.url}\nweb: { port: 0 }\n${schedule}` })
    const other = join(fixture.folder, 'other machine')
    mkdirSync(other)
    writeFileSync(join(other, 'quotekeeper.yaml'), readFileSync(join(fixture.folder, 'quotekeeper.yaml')))
    for (const folder of [fixture.folder, other])
      writeFileSync(join(folder, '.env'), `QUOTEKEEPER_DATABASE=${server.url}\n`)
    const one = fixture.start(['start'])
    await eventually(() => expect(one.out).toContain('quotekeeper started'))
    const two = fixture.start(['--config', join(other, 'quotekeeper.yaml'), 'start'])
    await eventually(() => expect(two.out).toContain('quotekeeper started'))
    const store = await openDatabase({ database: server.url, connections: 2 })
    onTestFinished(() => store.close())
    const closed = async () =>
      (await store.decisions({ channel: KEY })).flatMap(({ outcome, rfqId }) => (outcome === 'closed' ? rfqId : []))
    await expect.poll(closed, { interval: 200 }).toHaveLength(3)
    one.signal('SIGKILL')
    await one.ended
    const later = addPastDueRfq(fixture.sandbox)
    await expect.poll(closed, { interval: 200 }).toContain(later)
    expect(new Set(await closed())).toEqual(new Set([...fixture.rfqIds, later]))
    const posts = fixture.posts().length
    expect(posts).toBe(4)
    expect((await store.verifyDecisions()).brokenAt).toBeNull()
    expect(existsSync(fixture.database)).toBe(false)
    two.signal('SIGTERM')
    expect(await two.ended).toBe('exit 0')
  }, 120_000)
})
