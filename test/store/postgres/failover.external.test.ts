import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RunLostError } from '../../../src/store/errors.js'
import { PostgresDatabase } from '../../../src/store/postgres/postgres-database.js'
import { parsePostgresUrl } from '../../../src/store/postgres/postgres-url.js'
import type { ChannelFixture } from '../../helpers/channel-fixture.js'
import { afterCloses, expectClosed, openOutageFixture } from '../../helpers/servers/outage-fixture.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { TcpForwarder } from '../../helpers/servers/tcp-forwarder.js'
import { holdingRun } from '../../helpers/store/holding-run.js'
import { closedAtEnd } from '../../helpers/store/store-engine.js'

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
  const isReplayed = `select pg_last_wal_replay_lsn() >= '${current.rows[0].lsn}' as done`
  await expect.poll(async () => (await replica.execute(isReplayed)).rows[0].done).toBe(true)
}
/** The replica becomes the primary server, and gets the address. */
async function promote(): Promise<void> {
  await replica.promote()
  primary = replica
  address.moveTo(primary.port)
}
const urlOf = (schema: string) => `postgres://quotekeeper@127.0.0.1:${address.port}/postgres?schema=${schema}`
let schemas = 0
async function openFixture(): Promise<ChannelFixture> {
  const fixture = await openOutageFixture(urlOf(`failover_${schemas++}`))
  await caughtUp()
  return fixture
}

describe.skipIf(postgresSkipReason !== null)('PostgreSQL that fails over to a streaming replica', () => {
  it('to one that lacks the last commits: nothing is closed again, and a run that is unknown now writes nothing', async () => {
    const fixture = await openFixture()
    await fixture.pollRfqs()
    await caughtUp()
    await replica.kill()
    const { store } = fixture
    const lost = await store.beginRun({ channel: 'acme/forest', kind: 'listings', now: fixture.now() })
    const round = Promise.allSettled([fixture.closeExpired({ maxPerRun: 100 })])
    await afterCloses(fixture, 6)
    await primary.signal('SIGKILL')
    await replica.launch()
    await promote()
    await round
    expect((await store.runs({})).map(({ kind }) => kind)).toEqual(['rfqs'])
    const sequence = `pg_get_serial_sequence('failover_${schemas - 1}.runs', 'id')`
    await primary.execute(`select setval(${sequence}, ${lost.id - 1})`)
    const other = await holdingRun(store, { channel: 'acme/blue', kind: 'listings', now: fixture.now() })
    expect(other.id).toBe(lost.id)
    const list = { whole: true, readAt: fixture.now() }
    const step = lost.step(() => store.recordList(lost, 'listing', [], list, fixture.now()))
    await expect(step).rejects.toThrow(RunLostError)
    await expect(store.recordList(other, 'listing', [], list, fixture.now())).resolves.toBeDefined()
    await expectClosed(fixture)
  })

  it('connections that were made to a standby are dropped once a write is refused, and all go where the address leads now', async () => {
    await addReplica()
    await openFixture()
    address.moveTo(replica.port)
    const url = urlOf(`failover_${schemas - 1}`)
    const database = closedAtEnd(new PostgresDatabase(parsePostgresUrl(url), { connections: 3 }))
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
