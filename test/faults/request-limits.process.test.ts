import { writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { openStore } from '../../src/store/sqlite/store.js'
import { eventually } from '../helpers/eventually.js'
import { answer, expectAtMost, openServer, senders, startSender } from '../helpers/senders.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'
import { testFolder } from '../helpers/test-folder.js'
import { fault } from './fault-test.js'

async function createDatabase(): Promise<string> {
  const database = join(testFolder(), 'shared.db')
  await (await openStore({ path: database })).close()
  return database
}

fault(
  'three processes send requests to one marketplace',
  'never more in flight than `concurrency` of each process',
  async () => {
    const database = await createDatabase()
    const held: ServerResponse[] = []
    const server = await openServer((response) => void held.push(response))
    const options = { database, url: server.url, parallel: 6, concurrency: 2, awaitReply: false }
    await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
    for (let round = 0; round < 20; round++) {
      await eventually(() => expect(server.inFlight).toBe(6), 5)
      for (const response of held.splice(0)) answer(response)
    }
    expect(server.maxInFlight).toBe(6)
  },
)

fault(
  'three processes send requests to one marketplace',
  'after kill -9 of the process that sends, another goes on at once, within the limit',
  async () => {
    const [database, server, since] = [await createDatabase(), await openServer(), performance.now()]
    const options = { database, url: server.url, parallel: 4, perSecond: 10 }
    let sending = await startSender('sender-0', options)
    for (let round = 1; round < 6; round++) {
      const next = await startSender(`sender-${round}`, options)
      sending.kill()
      await sending.ended
      const before = senders(server.arrivals, `sender-${round}`)
      await eventually(() => expect(senders(server.arrivals, `sender-${round}`)).toBeGreaterThan(before + 4))
      sending = next
    }
    expectAtMost(10, server.arrivals, since)
  },
)

fault(
  'Retry-After answered to one of three processes',
  'none sends within that time, and all continue after it',
  async () => {
    const database = await createDatabase()
    let pausedAt = Number.POSITIVE_INFINITY
    const server = await openServer((response, number) => {
      if (number !== 25) return answer(response)
      pausedAt = performance.now()
      response.writeHead(429, { 'retry-after': '4' }).end()
    })
    const options = { database, url: server.url, parallel: 3, perSecond: 10 }
    await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
    const after = () => server.arrivals.filter(({ at }) => at > pausedAt + 4000)
    await eventually(() => {
      for (const name of ['one', 'two', 'three']) expect(senders(after(), name)).toBeGreaterThan(0)
    })
    // What had started may arrive late: one request of each that sends.
    expect(server.arrivals.filter(({ at }) => at > pausedAt && at < pausedAt + 4000).length).toBeLessThan(9)
  },
)

fault('the file of the request limits locked or damaged', 'damaged, it is emptied, and the limit holds', async () => {
  const [database, server, since] = [await createDatabase(), await openServer(), performance.now()]
  const options = { database, url: server.url, parallel: 4, perSecond: 5 }
  await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
  const ledger = `${database}-requests`
  const harms = [
    () => writeFileSync(ledger, 'not a database, but long enough to look like one '.repeat(200)),
    () => new Database(ledger).exec('drop table request_limits').close(),
  ]
  for (const harm of harms) {
    harm()
    const before = server.arrivals.length
    await eventually(() => expect(server.arrivals.length).toBeGreaterThan(before + 5))
  }
  expectAtMost(5, server.arrivals, since)
})

fault(
  'the file of the request limits locked or damaged',
  'locked by another program, nothing is sent, the run says why, and the next one succeeds',
  async () => {
    const fixture = await openProcessFixture()
    expect(await fixture.start(['sync']).ended).toBe('exit 0')
    const sent = fixture.sandbox.requests.length
    const other = new Database(`${fixture.database}-requests`)
    other.exec('begin exclusive')
    const check = fixture.start(['check'])
    const blocked = fixture.start(['sync', '--only', 'rfqs'])
    expect(await blocked.ended).toBe('exit 1')
    expect(blocked.err).toContain('No request was sent, because the limits that all processes keep together cannot be')
    expect(blocked.err).toMatch(/locked by another process: \S+-requests/)
    expect(await check.ended).toBe('exit 1')
    expect(check.out).toContain('No request was sent')
    expect(fixture.sandbox.requests).toHaveLength(sent)
    expect(fixture.sql('select outcome from runs order by id desc limit 1')).toEqual([{ outcome: 'failed' }])
    other.close()
    expect(await fixture.start(['sync', '--only', 'rfqs']).ended).toBe('exit 0')
  },
)
