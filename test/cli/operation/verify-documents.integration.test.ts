import Database from 'better-sqlite3'
import { expect, it } from 'vitest'
import { createCliFixture, NOW } from '../cli-fixture.js'

const BLUE = { org: 'acme', channel: 'blue' }
const CHANNELS = [{ ...BLUE, theme: 'blue' as const, listings: 1, rfqs: 0, responsesPerRfq: 0 }]
const PAST_DUE = { responseDueDate: '2026-03-01' }

it('closings --verify names the decision, the RFQ and the version of a document that was rewritten, and fails', async () => {
  const { quotekeeper, sandbox, folder } = await createCliFixture({ channels: CHANNELS })
  const { id } = sandbox.world.addRfq(BLUE, { number: 1042, title: 'As it was', ...PAST_DUE })
  expect(await quotekeeper('close-expired')).toMatchObject({ status: 0 })
  expect(await quotekeeper('closings', '--verify')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/^1 closings, none changed.*\n2 of 2 documents that .* are stored unchanged\.\n$/),
  })
  const db = new Database(`${folder}/data/quotekeeper.db`)
  db.exec(`drop trigger versions_immutable;
    update versions set body = replace(body, 'As it was', 'Rewritten') where version = 1`)
  db.close()
  const { status, out } = await quotekeeper('closings', '--verify')
  expect(status).toBe(1)
  expect(out).toMatch(
    new RegExp(
      `Closing decision 1 .*version 1 of RFQ 1042, id:${id} in acme/blue, which was rewritten\\.\\n1 of 2 documents`,
    ),
  )
  const json = await quotekeeper('closings', '--verify', '--json')
  expect([json.status, JSON.parse(json.out)]).toEqual([
    1,
    expect.objectContaining({
      brokenAt: null,
      documents: {
        ...{ total: 2, unchecked: 0 },
        changed: [{ decision: 1, channel: 'acme/blue', rfqId: id, rfqNumber: 1042, version: 1 }],
      },
    }),
  ])
})

it('closings --verify does not compare what was read anew after a backup was restored', async () => {
  const { quotekeeper, quotekeeperWith, sandbox, folder } = await createCliFixture({ channels: CHANNELS })
  const { id } = sandbox.world.addRfq(BLUE, { number: 1042, ...PAST_DUE })
  await quotekeeper('sync')
  await quotekeeper('backup', `${folder}/early.db`)
  sandbox.world.changeRfq(id, { title: 'Never in the backup' })
  expect(await quotekeeper('close-expired')).toMatchObject({ status: 0 })
  expect(await quotekeeper('restore', `${folder}/early.db`)).toMatchObject({ status: 0 })
  const verified = async () => {
    const { status, out } = await quotekeeper('closings', '--verify')
    return [status, out.split('\n')[1]]
  }
  const message = '0 of 2 documents that closings are based on are stored unchanged; 2 could not be compared: '
  expect(await verified()).toEqual([0, expect.stringContaining(message)])
  sandbox.world.changeRfq(id, { title: 'Read anew' })
  await quotekeeperWith({ now: () => new Date(NOW.getTime() + 60_000) }, 'sync')
  expect(await verified()).toEqual([0, expect.stringContaining(message)])
})
