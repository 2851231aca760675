import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const ENTRIES = 24

const LISTS = ['listListings', 'listRfqs'] as const
type List = (typeof LISTS)[number]

const openPolled = async () => {
  const fixture = await openChannelFixture({ listings: ENTRIES, rfqs: ENTRIES, responsesPerRfq: 1, retries: 0 })
  await fixture.pollListings()
  await fixture.pollRfqs()
  return fixture
}
const poll = async (fixture: ChannelFixture, list: List, options = {}) =>
  (await (list === 'listRfqs' ? fixture.pollRfqs(options) : fixture.pollListings(options))).run

/** What a marketplace sends with status 200 although it failed. */
const ERROR = { statusCode: 500, message: 'The database is away' }

describe.each(LISTS)('the entries that a list (%s) lacks', (list) => {
  it.each<[string, string, Effect]>([
    ['partial', 'its hasmore is given', { kind: 'patch', patch: { items: [], hasMore: true } }],
    ['partial', 'it suddenly lost 13 of 24 entries', { kind: 'drop', count: 13 }],
    ['partial', 'it suddenly lost 24 of 24 entries', { kind: 'empty' }],
    [
      'failed',
      'status 200, but the body is an error (statusCode 500)',
      { kind: 'status', status: 200, body: { items: [], ...ERROR } },
    ],
  ])('are not missing in a poll that is %s, because %s, until a list is whole', async (outcome, reason, effect) => {
    const fixture = await openPolled()
    const fault = fixture.always({ operation: list }, effect)
    for (let number = 0; number < 3; number++) {
      fixture.advanceSeconds(60)
      const run = await poll(fixture, list)
      expect(run).toMatchObject({ outcome, missing: 0, error: expect.stringContaining(reason) })
      if (outcome === 'partial') expect(run.suspicious).toBe(true)
      if (number === 1) await fixture.reopenStore()
    }
    fault.remove()
    expect(await poll(fixture, list)).toMatchObject({ outcome: 'complete', missing: 0, changed: 0 })
  })

  it('are missing if a person accepts the loss', async () => {
    const fixture = await openPolled()
    fixture.sandbox.faults.add({ operation: list, effect: { kind: 'patch', patch: { items: [], hasMore: true } } })
    expect(await poll(fixture, list, { acceptLoss: true })).toMatchObject({ outcome: 'complete', missing: ENTRIES })
  })
})

it('what changed in a list that is a page is recorded', async () => {
  const fixture = await openPolled()
  const [first] = (await fixture.session().listRfqs()).value
  fixture.sandbox.world.changeRfq(first?.id ?? '', { title: 'Changed' })
  fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'patch', patch: { nextCursor: 'abc' } } })
  expect(await poll(fixture, 'listRfqs')).toMatchObject({ outcome: 'partial', changed: 1 })
})

it.each(['readRfq', 'readResponse'] as const)(
  'a document (%s) that is an error is a failed read',
  async (operation) => {
    const fixture = await openPolled()
    const [stored] = await fixture.store.rfqs({ channel: KEY })
    const rfqId = stored?.rfq.id ?? ''
    fixture.always({ operation, rfqId }, { kind: 'patch', patch: ERROR })
    const error = expect.stringContaining('statusCode 500')
    expect(await poll(fixture, 'listRfqs')).toMatchObject({ outcome: 'partial', failedItems: 1, changed: 0, error })
  },
)
