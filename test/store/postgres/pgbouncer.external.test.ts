import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { expectClosed, expectPolled, openOutageFixture, PAST_DUE } from '../../helpers/servers/outage-fixture.js'
import { PrivatePgBouncer, pgBouncerSkipReason } from '../../helpers/servers/private-pgbouncer.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'
import { closedAtEnd } from '../../helpers/store/store-engine.js'

const SKIP = postgresSkipReason ?? pgBouncerSkipReason
const ATTEMPTS = 6

let server: PrivatePostgres
beforeAll(async () => {
  if (SKIP === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

async function startBouncer(settings: Record<string, string | number>): Promise<PrivatePgBouncer> {
  const bouncer = await PrivatePgBouncer.start(server, settings)
  onTestFinished(() => bouncer.remove())
  return bouncer
}
const newSchema = () => `pooled_${randomBytes(4).toString('hex')}`

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Other programs on the same pool, with one transaction after another until the test has finished. */
async function keepBusy(url: string, clients: number): Promise<void> {
  let isOver = false
  onTestFinished(() => {
    isOver = true
  })
  for (let each = 0; each < clients; each++) {
    const client = await connect(url)
    const next = (): Promise<void> | undefined =>
      isOver ? undefined : client.query('select pg_sleep(random() / 200)').then(next)
    void next()?.catch(() => undefined)
  }
}

describe.skipIf(SKIP !== null)(`PostgreSQL behind PgBouncer${SKIP ? ` (skipped: ${SKIP})` : ''}`, () => {
  it.each([
    { pool_mode: 'transaction', server_round_robin: 0, others: 0 },
    { pool_mode: 'transaction', server_round_robin: 0, others: 4 },
    { pool_mode: 'transaction', server_round_robin: 1, others: 4 },
    { pool_mode: 'statement', server_round_robin: 0, others: 0 },
  ])(
    'with $pool_mode pooling (round robin $server_round_robin, $others others) is refused before a setting reaches others',
    async ({ others, ...settings }) => {
      const { url } = await startBouncer(settings)
      await keepBusy(url, others)
      const schema = newSchema()
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (const open of [
          () => openPostgresStore({ url: `${url}?schema=${schema}` }),
          () => openPostgresStore({ url: `${url}?schema=${schema}`, readOnly: true }),
        ])
          await expect(open()).rejects.toThrow(
            /is behind a pooler that .* Set pool_mode = session .* or name PostgreSQL/,
          )
      }
      const made = await server.execute(`select 1 from pg_namespace where nspname = '${schema}'`)
      expect(made?.rowCount).toBe(0)
      const client = await connect(url)
      for (let session = 0; session < ATTEMPTS; session++) {
        const { rows } = await client.query(
          `select current_setting('search_path') as path, current_setting('default_transaction_read_only') as read_only,
          current_setting('statement_timeout') as timeout`,
        )
        expect(rows).toEqual([{ path: '"$user", public', read_only: 'off', timeout: '0' }])
      }
    },
  )

  it('with session pooling polls and closes as without, also when PgBouncer gives up all connections', async () => {
    const bouncer = await startBouncer({ pool_mode: 'session', default_pool_size: 20 })
    const fixture = await openOutageFixture(`${bouncer.url}?schema=${newSchema()}`, PAST_DUE)
    const giveUp = [
      () => bouncer.command('RECONNECT'),
      async () => {
        await bouncer.command('KILL postgres')
        await bouncer.command('RESUME postgres')
      },
      async () => {
        await bouncer.kill()
        await bouncer.launch()
      },
    ]
    for (const each of giveUp) {
      await expectPolled(fixture)
      await each()
    }
    await expectClosed(fixture)
  })

  it('whose pool is too small says so, and goes on when sessions are free', async () => {
    const bouncer = await startBouncer({ pool_mode: 'session', default_pool_size: 2 })
    const store = closedAtEnd(await openPostgresStore({ url: `${bouncer.url}?schema=${newSchema()}`, connections: 1 }))
    const held = await connect(bouncer.url)
    await held.query('select 1')
    const other = openPostgresStore({ url: `${bouncer.url}?schema=${newSchema()}`, connections: 1 })
    await expect(other).rejects.toThrow(/does not answer: .* default_pool_size/)
    await held.end()
    expect(await store.checkWritable()).toMatchObject({ ok: true })
  })
})
