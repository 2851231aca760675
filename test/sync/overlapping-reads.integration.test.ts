import { describe, expect, it } from 'vitest'
import type { RfqSnapshot, RunHandle, Store } from '../../src/store/contract.js'
import { pollRfqs } from '../../src/sync/poll-rfqs.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const PLANNING = {
  ...{ budget: 20, usualBudget: 20, intervalMs: 300_000, offersMaxAgeMinutes: 60, urgentHours: 24 },
  nextPollAt: new Date('2026-11-21T12:05:00.000Z'),
}

/** Polls while a closing round records an RFQ, each time before the poll records what it has read. */
async function pollDuring(
  fixture: ChannelFixture,
  { times, record, planned = false }: { times: number; record: (round: RunHandle) => Promise<void>; planned?: boolean },
) {
  const { store, now } = fixture
  const round = await store.beginRun({ channel: KEY, kind: 'close', now: now() })
  let left = times
  const overlapped: Store = {
    ...store,
    async recordRfq(run, snapshot, at) {
      if (left-- > 0) await record(round)
      return store.recordRfq(run, snapshot, at)
    },
  }
  const context = { session: fixture.session(), store: overlapped, now }
  const options = { recheckClosedHours: 24, concurrency: 1, ...(planned && { planning: PLANNING }) }
  return pollRfqs(context, options)
}

async function openWithRfq() {
  const fixture = await openChannelFixture()
  const { world } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, { responseDueDate: '2026-12-24', title: 'One' })
  for (let offer = 0; offer < 2; offer++) world.addResponse(id)
  await fixture.pollRfqs()
  const titles = async () =>
    (await fixture.store.rfqHistory(KEY, id)).filter(({ kind }) => kind === 'rfq').map(({ body }) => Object(body).title)
  /** As a closing round that reads the RFQ now. */
  const readByRound = async (round: RunHandle, title: string) => {
    world.changeRfq(id, { title })
    const { value, readAt } = await fixture.session().readRfq(id)
    const read = { shape: 'full', responses: [], responsesComplete: false, readAt } as const
    await fixture.store.recordRfq(round, { ...read, rfq: value } satisfies RfqSnapshot, fixture.now())
  }
  const requests = () => fixture.sandbox.requests.filter(({ operation }) => operation === 'readRfq').length
  return { fixture, world, id, titles, readByRound, requests }
}

describe('a poll that reads an RFQ while a closing round records it', () => {
  it('reads it again, and is complete, also on a schedule, again and again', async () => {
    const { fixture, titles, readByRound, requests } = await openWithRfq()
    const expected = ['One']
    for (let round = 0; round < 4; round++) {
      const before = requests()
      const { run, failures } = await pollDuring(fixture, {
        ...{ times: 1, planned: round % 2 === 1 },
        record: (of) => readByRound(of, `Title ${round}`),
      })
      expect(failures).toEqual([])
      expect(run).toMatchObject({ outcome: 'complete', error: null, postponed: 0, seen: 3 })
      // Its own two reads, and that of the round.
      expect(requests() - before).toBe(3)
      expected.push(`Title ${round}`)
      expect(await titles()).toEqual(expected)
      await fixture.reopenStore()
    }
  })

  it('never puts what it has read in the place of what was recorded meanwhile: it says so, and the next poll reads it', async () => {
    const { fixture, world, id, titles, readByRound } = await openWithRfq()
    let reads = 0
    const { run, failures } = await pollDuring(fixture, {
      times: 3,
      record: (of) => readByRound(of, `Title ${++reads}`),
    })
    expect(run).toMatchObject({ outcome: 'partial', failedItems: 1 })
    expect(failures).toEqual([
      {
        id: expect.stringMatching(/^RFQ \d+$/),
        message: expect.stringMatching(/another run .* 3 reads/),
      },
    ])
    expect(await titles()).toEqual(['One', 'Title 1', 'Title 2', 'Title 3'])
    world.changeRfq(id, { title: 'Later' })
    expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 1 })
    expect((await titles()).at(-1)).toBe('Later')
  })
})
