import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { expect } from 'vitest'
import { openStore } from '../../src/store/sqlite/store.js'
import { eventually } from '../helpers/eventually.js'
import { answer, expectAtMost, openServer, senders, startSender, TRANSPORT_JITTER_MS } from '../helpers/senders.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'
import { testFolder } from '../helpers/test-folder.js'
import { fault, longFaultUnless } from './fault-test.js'

const longFault = longFaultUnless(null)

async function createDatabase(): Promise<string> {
  const database = join(testFolder(), 'shared.db')
  await (await openStore({ path: database })).close()
  return database
}

longFault(55, 'never more per second than `perSecond`, closes included, and hardly less', async () => {
  const [database, server] = [await createDatabase(), await openServer()]
  const options = { database, url: server.url, parallel: 6, perSecond: 5 }
  await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
  const before = server.arrivals.length
  await wait(10_000)
  const arrivals = server.arrivals.slice(before)
  expectAtMost(5, arrivals)
  // Each list and the close after it, which are three requests, cost four; and the machine may be busy.
  expect(arrivals.length).toBeGreaterThanOrEqual(0.7 * 0.75 * 5 * 10)
  for (const name of ['one', 'two', 'three']) expect(senders(arrivals, name)).toBeGreaterThan(arrivals.length / 5)
})

longFault(55, '`start`, `sync`, `close-expired` and `check` together stay within the limit', async () => {
  const fixture = await openProcessFixture({ rfqs: 12, more: 'web: { port: 0 }\n' })
  const file = join(fixture.folder, 'quotekeeper.yaml')
  writeFileSync(file, readFileSync(file, 'utf8').replace('perSecond: 5000', 'perSecond: 5'))
  fixture.start(['start'])
  await eventually(() => expect(fixture.sandbox.requests.length).toBeGreaterThan(0))
  const commands = [['sync', '--only', 'listings'], ['close-expired', '--dry-run'], ['check']]
  await Promise.all(commands.map((args) => fixture.start(args).ended))
  await eventually(() => expect(fixture.sandbox.requests.length).toBeGreaterThan(38))
  const arrivals = fixture.sandbox.requests.map(({ at }) => ({ at: at.getTime(), sender: '' }))
  expectAtMost(5, arrivals.slice(5))
})

longFault(55, 'never more in flight than `concurrency` of each process', async () => {
  const database = await createDatabase()
  const server = await openServer((response) => void setTimeout(() => answer(response), 300))
  const options = { database, url: server.url, parallel: 6, concurrency: 2 }
  await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
  await wait(2000)
  expect(server.maxInFlight).toBe(6)
})

fault(55, 'after kill -9 of the process that sends, another goes on at once, within the limit', async () => {
  const [database, server] = [await createDatabase(), await openServer()]
  const options = { database, url: server.url, parallel: 4, perSecond: 10 }
  const first = server.arrivals.length
  for (let round = 0; round < 6; round++) {
    const killed = await startSender(`sender-${round}`, options)
    await eventually(() => expect(senders(server.arrivals, `sender-${round}`)).toBeGreaterThan(4))
    killed.kill()
    await killed.ended
  }
  expectAtMost(10, server.arrivals.slice(first))
})

longFault(56, 'none sends within that time, and all continue after it', async () => {
  const database = await createDatabase()
  let pausedAt = Number.POSITIVE_INFINITY
  const server = await openServer((response, number) => {
    if (number !== 25) return answer(response)
    pausedAt = performance.now()
    response.writeHead(429, { 'retry-after': '4' }).end()
  })
  const options = { database, url: server.url, parallel: 3, perSecond: 10 }
  await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
  await eventually(() => expect(server.arrivals.at(-1)?.at).toBeGreaterThan(pausedAt + 5500))
  const after = server.arrivals.filter(({ at }) => at > pausedAt + TRANSPORT_JITTER_MS)
  expect(after[0]?.at).toBeGreaterThan(pausedAt + 4000)
  for (const name of ['one', 'two', 'three']) expect(senders(after, name)).toBeGreaterThan(0)
})

longFault(57, 'damaged or deleted, it is replaced, and the limit holds', async () => {
  const [database, server] = [await createDatabase(), await openServer()]
  const options = { database, url: server.url, parallel: 4, perSecond: 5 }
  await Promise.all(['one', 'two', 'three'].map((name) => startSender(name, options)))
  const first = server.arrivals.length
  const ledger = `${database}-requests`
  const harms = [
    () => rmSync(ledger),
    () => writeFileSync(ledger, 'not a database, but long enough to look like one '.repeat(200)),
    () => new Database(ledger).exec('drop table request_limits').close(),
  ]
  for (const harm of harms) {
    await wait(700)
    harm()
    const before = server.arrivals.length
    await eventually(() => expect(server.arrivals.length).toBeGreaterThan(before + 5))
  }
  expectAtMost(5, server.arrivals.slice(first))
})

longFault(57, 'locked by another program, nothing is sent, the run says why, and the next one succeeds', async () => {
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
})
