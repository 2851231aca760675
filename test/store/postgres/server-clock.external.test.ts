import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { RunBusyError } from '../../../src/store/errors.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { PrivatePostgres, postgresSkipReason } from '../../helpers/servers/private-postgres.js'

let server: PrivatePostgres
beforeAll(async () => {
  if (postgresSkipReason === null) server = await PrivatePostgres.start()
})
afterAll(() => server?.remove())

describe.skipIf(postgresSkipReason !== null)('leases on PostgreSQL', () => {
  it('do not end because the clock of a machine is set, in either direction', async () => {
    const url = `${server.url}?schema=clock`
    const [one, other] = [await openPostgresStore({ url }), await openPostgresStore({ url })]
    onTestFinished(async () => {
      vi.useRealTimers()
      await one.close()
      await other.close()
    })
    const begin = (store = other) => store.beginRun({ channel: 'acme/forest', kind: 'rfqs', now: new Date() })
    await begin(one)
    // As a run of another machine, of which only the lease is known.
    await server.execute(
      `update clock.runs set holder = '{"host":"elsewhere","pidNamespace":null,"pid":1,"nonce":"x"}'`,
    )
    for (const ahead of [3_600_000, -3_600_000, 365 * 24 * 3_600_000]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead })
      await expect(begin()).rejects.toThrow(RunBusyError)
    }
  })
})
