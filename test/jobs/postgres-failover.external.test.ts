import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { PrivatePostgres, postgresSkipReason } from '../helpers/private-postgres.js'
import { addPastDueRfq, openProcessFixture, type ProcessFixture } from '../helpers/process-fixture.js'
import { TcpForwarder } from '../helpers/tcp-forwarder.js'

const PASSWORD = 'not-to-be-logged'
const JOBS = `select state::text, max(attempts_started) as starts from quotekeeper.job where state <> 'waiting' group by state`

/** Two servers, of which the second one has every commit of the first, and an address that leads to the first. */
async function startServers() {
  const primary = await PrivatePostgres.start()
  onTestFinished(() => primary.remove())
  const replica = await primary.replicate()
  onTestFinished(() => replica.remove())
  await primary.execute(`alter system set synchronous_standby_names = '*'`, 'select pg_reload_conf()')
  const address = await TcpForwarder.start(primary.port)
  onTestFinished(() => address.close())
  return { primary, replica, address, url: `postgres://quotekeeper:${PASSWORD}@127.0.0.1:${address.port}/postgres` }
}

/** Starts `work` in a folder of its own, on the database file of the fixture. */
function startWorker({ folder, database, start }: ProcessFixture) {
  const configuration = readFileSync(join(folder, 'quotekeeper.yaml'), 'utf8')
  mkdirSync(join(folder, 'other'))
  const file = join(folder, 'other', 'quotekeeper.yaml')
  writeFileSync(file, configuration.replace('./quotekeeper.db', database))
  return start(['--config', file, 'work'])
}

const runsIn = (output: string) => output.split('"run":').length - 1
const errorsIn = (output: string) => output.split('"level":"error"').length - 1

it.skipIf(postgresSkipReason !== null)(
  'a queue on PostgreSQL that fails over: start and work go on by the same address, and run no job and close no RFQ twice',
  async () => {
    const { primary, replica, address, url } = await startServers()
    const schedule = 'rfqs: "* * * * * *", closeExpired: "* * * * * *", listings: null, channelReport: null'
    const fixture = await openProcessFixture({
      more: `queue: ${url}\nweb: { port: 0 }\nclosing: { reportOnClose: false }\nschedule: { ${schedule} }\n`,
    })
    const processes = [fixture.start(['start']), startWorker(fixture)]
    await eventually(() => {
      for (const { out } of processes) expect(out).toContain('quotekeeper started')
    })

    // The end of a poll cannot be recorded in the queue at first.
    await new Promise<void>((killed) => {
      const call = () => primary.signal('SIGKILL').then(killed)
      fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'call', call } })
    })
    await fixture.waitForRows('select count(*) as n from runs where outcome is null', [{ n: 0 }])
    await replica.promote()
    address.moveTo(replica.port)
    const before = processes.map(({ out }) => runsIn(out))
    const later = addPastDueRfq(fixture.sandbox)
    await eventually(() => {
      for (const [at, { out }] of processes.entries()) expect(runsIn(out)).toBeGreaterThan(before[at] ?? 0)
    })
    const closed = [...fixture.rfqIds, later].sort().map((id) => ({ id }))
    await fixture.waitForRows("select rfq_id as id from close_decisions where outcome = 'closed' order by 1", closed)
    expect(fixture.posts()).toHaveLength(closed.length)

    for (const { out, err } of processes) {
      expect(out + err).not.toContain(PASSWORD)
      expect(errorsIn(out)).toBeLessThan(10)
    }
    for (const each of processes) each.signal('SIGTERM')
    expect(await Promise.all(processes.map(({ ended }) => ended))).toEqual(['exit 0', 'exit 0'])
    expect((await replica.execute(JOBS))?.rows).toEqual([{ state: 'completed', starts: 1 }])
  },
)
