import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { StoreError } from '../../../src/store/errors.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'
import { CHANNEL, type ChannelFixture, openChannelFixture } from '../../helpers/channel-fixture.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { TcpForwarder } from '../../helpers/servers/tcp-forwarder.js'
import { NEWEST } from '../../helpers/store/recording-store.js'

const NOW = '2026-11-22T12:00:00Z'
const COUNT = 12
const isRead = () => true
const isPost = (operation: string | null) => operation === 'closeRfq'

/** The servers, and the address by which clients know the primary one. */
let primary: PrivatePostgres
let replica: PrivatePostgres
let address: TcpForwarder
const servers: PrivatePostgres[] = []
beforeAll(async () => {
  if (postgresSkipReason !== null) return
  primary = await PrivatePostgres.start()
  servers.push(primary)
  address = await TcpForwarder.start(primary.port)
  await addReplica()
})
afterAll(async () => {
  address?.close()
  await Promise.all(servers.map((server) => server.remove()))
})

async function addReplica(): Promise<void> {
  replica = await primary.replicate()
  servers.push(replica)
}
/** Waits until the replica has all that the primary server has. */
async function caughtUp(): Promise<void> {
  const current = await primary.execute('select pg_current_wal_lsn() as lsn')
  const isReplayed = `select pg_last_wal_replay_lsn() >= '${current?.rows[0].lsn}' as done`
  await expect.poll(async () => (await replica.execute(isReplayed))?.rows[0].done).toBe(true)
}
/** The replica becomes the primary server, and gets the address. */
async function promote(): Promise<void> {
  await replica.promote()
  primary = replica
  address.moveTo(primary.port)
}
async function failOver(): Promise<void> {
  await primary.signal('SIGKILL')
  await promote()
}

const urlOf = (schema: string) => `postgres://quotekeeper@127.0.0.1:${address.port}/postgres?schema=${schema}`
let schemas = 0
async function openFixture(dueDate: string): Promise<ChannelFixture> {
  const fixture = await openChannelFixture({ time: NOW })
  for (let index = 0; index < COUNT; index++) {
    const rfq = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: dueDate })
    fixture.sandbox.world.addResponse(rfq.id)
  }
  await fixture.reopenStore(urlOf(`failover_${schemas++}`))
  await caughtUp()
  return fixture
}

/** Waits until the marketplace got so many requests more. */
async function afterRequests(
  { sandbox }: ChannelFixture,
  count: number,
  isCounted: (operation: string | null) => boolean,
) {
  const counted = () => sandbox.requests.filter(({ operation }) => isCounted(operation)).length
  const until = counted() + count
  await expect.poll(counted, { interval: 1 }).toBeGreaterThanOrEqual(until)
}
const settled = async (work: Promise<unknown>) => (await Promise.allSettled([work]))[0]

/** A poll and a closing round later everything is known and closed, each RFQ by one POST. */
async function expectHealed(fixture: ChannelFixture): Promise<void> {
  fixture.advanceSeconds(600)
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  expect((await fixture.closeExpired({ maxPerRun: 100 })).run.outcome).toBe('complete')
  const rfqs = await fixture.store.rfqs({})
  expect(rfqs.map(({ responses }) => responses.length)).toEqual(Array(COUNT).fill(1))
  expect(new Set(rfqs.map(({ rfq }) => (rfq.body as { state: string }).state))).toEqual(new Set(['closed']))
  const posts = fixture.posts().map(({ rfqId }) => rfqId)
  expect([posts.length, new Set(posts).size]).toEqual([COUNT, COUNT])
  expect(await fixture.store.openIntents('acme/forest')).toEqual([])
  expect(await fixture.store.verifyDecisions()).toMatchObject({ brokenAt: null })
}

describe.skipIf(postgresSkipReason !== null)('PostgreSQL that fails over to a streaming replica', () => {
  it('during a poll: the next one has everything, by the same address, without another start', async () => {
    const fixture = await openFixture('2026-12-24')
    const poll = settled(fixture.pollRfqs())
    await afterRequests(fixture, 8, isRead)
    await failOver()
    const first = await poll
    if (first?.status === 'rejected') expect(first.reason).toBeInstanceOf(StoreError)
    fixture.advanceSeconds(600)
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    const rfqs = await fixture.store.rfqs({})
    expect(rfqs.map(({ responses }) => responses.length)).toEqual(Array(COUNT).fill(1))
    await addReplica()
  })

  it('during a closing round: each RFQ is closed once, by one POST', async () => {
    const fixture = await openFixture('2026-11-20')
    await fixture.pollRfqs()
    const round = settled(fixture.closeExpired({ maxPerRun: 100 }))
    await afterRequests(fixture, 4, isPost)
    await failOver()
    await round
    await expectHealed(fixture)
    await addReplica()
  })

  it('to one that lacks the last commits: nothing is closed again, and a run that is unknown now writes nothing', async () => {
    const fixture = await openFixture('2026-11-20')
    await fixture.pollRfqs()
    await caughtUp()
    await replica.kill()
    const { store } = fixture
    const lost = await store.beginRun({ channel: 'acme/forest', kind: 'listings', now: fixture.now() })
    const round = settled(fixture.closeExpired({ maxPerRun: 100 }))
    await afterRequests(fixture, 6, isPost)
    await primary.signal('SIGKILL')
    await replica.launch()
    await promote()
    await round
    expect((await store.runs({})).map(({ kind }) => kind)).toEqual(['rfqs'])
    const sequence = `pg_get_serial_sequence('failover_${schemas - 1}.runs', 'id')`
    await primary.execute(`select setval(${sequence}, ${lost.id - 1})`)
    const other = await store.beginRun({ channel: 'acme/blue', kind: 'listings', now: fixture.now() })
    expect(other.id).toBe(lost.id)
    await expect(store.updatePresence(lost, 'listing', [], NEWEST, fixture.now())).rejects.toThrow(/taken over/)
    await expect(store.updatePresence(other, 'listing', [], NEWEST, fixture.now())).resolves.toBeDefined()
    await expectHealed(fixture)
  })

  it('connections that were made to a standby are dropped once a write is refused, and all go where the address leads now', async () => {
    await addReplica()
    await openFixture('2026-11-20')
    address.moveTo(replica.port)
    const url = urlOf(`failover_${schemas - 1}`)
    const database = new PostgresDatabase(parsePostgresUrl(url), { connections: 3 })
    onTestFinished(() => database.close())
    const busy = database.stream('select key from meta', {}, 1)
    await busy.next()
    // It lags behind from now on.
    await replica.execute('select pg_wal_replay_pause()')
    const write = database.write((tx) => tx.run(`insert into meta values ('moved', '')`))
    await wait(300)
    address.moveTo(primary.port)
    await write
    // Its connection to the standby becomes free.
    await busy.return(undefined)
    const moved = () => database.all(`select key from meta where key = 'moved'`)
    expect(await Promise.all([0, 1, 2].map(moved))).toEqual(Array(3).fill([{ key: 'moved' }]))
  })
})
