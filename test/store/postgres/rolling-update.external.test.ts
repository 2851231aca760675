import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresReader } from '../../../src/store/postgres/reader.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { CHANNEL, openChannelFixture } from '../../helpers/channel-fixture.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

describe.skipIf(postgresSkipReason !== null)('a process during a rolling update', () => {
  it('continues while a newer version adds to the schema, including threads that start later; a newly started old process is refused', async () => {
    const url = `${server.url}?schema=desk`
    const fixture = await openChannelFixture({ time: '2026-11-22T12:00:00Z' })
    const store = await fixture.reopenStore(url)
    const addRfq = () => {
      const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
      fixture.sandbox.world.addResponse(id)
      return id
    }
    const before = addRfq()
    await fixture.pollRfqs()
    const tables = await server.execute(
      `select relname as name from pg_class where relnamespace = 'desk'::regnamespace and relkind in ('r', 'p') and not relispartition`,
    )
    const widened = ((tables?.rows ?? []) as { name: string }[]).map(
      ({ name }) => `alter table desk.${name} add column added text`,
    )
    expect(widened.length).toBeGreaterThan(12)
    await server.execute(...widened, 'create table desk.added (id int)')
    await server.execute(`insert into desk.migrations (number, name, applied_at) values (999, 'later', '')`)
    const after = addRfq()
    fixture.sandbox.world.changeRfq(before, { title: 'Changed' })
    fixture.advanceSeconds(600)
    expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
    expect((await fixture.closeExpired()).run.outcome).toBe('complete')
    expect((await store.decisions({ outcome: 'closed' })).map(({ rfqId }) => rfqId).sort()).toEqual(
      [before, after].sort(),
    )
    // As a thread that reads pages, which may start at any time.
    const reader = await openPostgresReader(url)
    onTestFinished(() => reader.close())
    expect(await reader.rfqs({})).toHaveLength(2)
    await expect(openPostgresStore({ url })).rejects.toThrow(/newer Quotekeeper \(schema 999/)
  })
})
