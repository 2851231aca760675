import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/sandbox/index.js'
import { type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const ALWAYS = Number.POSITIVE_INFINITY
const ENTRIES = 24
const POLLS = 3

const LISTS = ['listListings', 'listRfqs'] as const
type List = (typeof LISTS)[number]

const openPolled = async () => {
  const fixture = await openChannelFixture({ listings: ENTRIES, rfqs: ENTRIES, responsesPerRfq: 0, retries: 0 })
  await fixture.pollListings()
  await fixture.pollRfqs()
  return fixture
}
const poll = async (fixture: ChannelFixture, list: List, options = {}) =>
  (await (list === 'listRfqs' ? fixture.pollRfqs(options) : fixture.pollListings(options))).run

/** Polls with faults of the list, over a restart; returns the errors of the runs. */
async function pollWith(fixture: ChannelFixture, list: List, effects: readonly Effect[], outcome: string) {
  const faults = effects.map((effect) => fixture.sandbox.faults.add({ operation: list, times: ALWAYS, effect }))
  const errors = new Set<string | null>()
  for (let number = 0; number < POLLS; number++) {
    fixture.advanceSeconds(60)
    const run = await poll(fixture, list)
    expect(run).toMatchObject({ outcome, suspicious: outcome === 'partial', missing: 0 })
    errors.add(run.error)
    if (number === 1) await fixture.reopenStore()
  }
  for (const fault of faults) fault.remove()
  return [...errors]
}

describe.each(LISTS)('the entries that a list (%s) lacks', (list) => {
  it.each<[string, readonly Effect[]]>([
    [
      'its hasmore is true',
      [
        { kind: 'drop', count: 4 },
        { kind: 'patch', patch: { hasMore: true } },
      ],
    ],
    [
      'its total is 24, and it has 20 entries',
      [
        { kind: 'drop', count: 4 },
        { kind: 'patch', patch: { total: 24 } },
      ],
    ],
    ['it suddenly lost 24 of 24 entries', [{ kind: 'empty' }]],
  ])('are not missing if %s, until a list is whole', async (reason, effects) => {
    const fixture = await openPolled()
    expect(await pollWith(fixture, list, effects, 'partial')).toEqual([expect.stringContaining(reason)])
    expect(await poll(fixture, list)).toMatchObject({ outcome: 'complete', missing: 0, changed: 0 })
  })

  it('are missing if a person accepts the loss', async () => {
    const fixture = await openPolled()
    fixture.sandbox.faults.add({ operation: list, effect: { kind: 'patch', patch: { items: [], hasMore: true } } })
    expect(await poll(fixture, list, { acceptLoss: true })).toMatchObject({ outcome: 'complete', missing: ENTRIES })
  })

  it('are not missing if the body is an error with status 200', async () => {
    const fixture = await openPolled()
    const body = { items: [], statusCode: 500, message: 'The database is away', error: 7 }
    const errors = await pollWith(fixture, list, [{ kind: 'status', status: 200, body }], 'failed')
    expect(errors).toEqual([
      expect.stringMatching(/status 200, but the body is an error \(statusCode 500\).*database is away/),
    ])
    expect(await poll(fixture, list)).toMatchObject({ outcome: 'complete', missing: 0 })
  })
})

it('an only entry that a list lacks is not missing, nor a list that was always empty suspicious', async () => {
  const fixture = await openChannelFixture({ listings: 1 })
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  expect((await fixture.pollRfqs()).run.outcome).toBe('complete')
  await fixture.pollListings()
  await pollWith(fixture, 'listListings', [{ kind: 'empty' }], 'partial')
})

it('what changed in a list that is a page is recorded', async () => {
  const fixture = await openPolled()
  const [first] = (await fixture.session().listRfqs()).value
  fixture.sandbox.world.changeRfq(first?.id ?? '', { title: 'Changed' })
  fixture.sandbox.faults.add({ operation: 'listRfqs', effect: { kind: 'patch', patch: { nextCursor: 'abc' } } })
  expect(await poll(fixture, 'listRfqs')).toMatchObject({ outcome: 'partial', changed: 1 })
})

it.each(['readRfq', 'readResponse'] as const)(
  'a document (%s) that is an error with status 200 is a failed read',
  async (operation) => {
    const fixture = await openChannelFixture({ rfqs: 2, responsesPerRfq: 1, retries: 0 })
    await fixture.pollRfqs()
    const [stored] = await fixture.store.rfqs({ channel: KEY })
    const patch = { statusCode: 503, message: 'Come back later' }
    fixture.sandbox.faults.add({
      operation,
      rfqId: stored?.rfq.id ?? '',
      times: ALWAYS,
      effect: { kind: 'patch', patch },
    })
    for (let number = 0; number < POLLS; number++) {
      const { run } = await fixture.pollRfqs()
      expect(run).toMatchObject({
        outcome: 'partial',
        failedItems: 1,
        changed: 0,
        error: expect.stringContaining('statusCode 503'),
      })
    }
  },
)
