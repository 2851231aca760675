import { describe, expect, it } from 'vitest'
import type { PollPlanning } from '../../../src/sync/contract.js'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'

const ALWAYS = Number.POSITIVE_INFINITY
const DUE = '2026-11-20'

async function openPastDue(responseDueDate = DUE) {
  const fixture = await openChannelFixture()
  const { id } = fixture.sandbox.world.addRfq(CHANNEL, { responseDueDate })
  return { fixture, id }
}

/** One request in a poll, for the list. */
const planningOf = (now: Date): PollPlanning => ({
  ...{ budget: 1, usualBudget: 1, nextPollAt: new Date(now.getTime() + 600_000), intervalMs: 600_000 },
  ...{ offersMaxAgeMinutes: 60, urgentHours: 48 },
})

/** Six rounds over a day, each after a poll; the third after a restart, the fourth after a replay of all stored documents. */
async function runDay(fixture: ChannelFixture): Promise<void> {
  for (let round = 0; round < 6; round++) {
    if (round === 2) await fixture.reopenStore()
    if (round === 3) expect(await fixture.store.revalidate(fixture.now())).toMatchObject({ nowValid: 0 })
    if (round !== 3) await fixture.pollRfqs({ full: round % 2 === 0 })
    await fixture.closeExpired()
    fixture.advanceSeconds(4 * 3600)
  }
}

describe('an open RFQ past due whose list entry', () => {
  it.each([
    ['has a later due date', { responseDueDate: '2027-01-31' }],
    ['has a due date that is no date', { responseDueDate: 'soon' }],
    ['is closed', { state: 'closed' }],
    ['has a state of the wrong type', { state: 7 }],
  ])('%s is never closed, over a day, a restart and a replay', async (_title, patch) => {
    const { fixture, id } = await openPastDue()
    fixture.sandbox.faults.add({ operation: 'listRfqs', times: ALWAYS, effect: { kind: 'patch', id, patch } })
    await runDay(fixture)
    expect(fixture.posts()).toEqual([])
  })

  it('contradicts it after a first POST gets no second one: the close needs attention', async () => {
    const { fixture, id } = await openPastDue()
    await fixture.pollRfqs()
    // The POST is inconclusive, and the read after it fails.
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 500 } })
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 2, times: 3, effect: { kind: 'status', status: 500 } })
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    const effect = { kind: 'patch' as const, id, patch: { responseDueDate: '2027-01-31' } }
    fixture.sandbox.faults.add({ operation: 'listRfqs', times: ALWAYS, effect })
    for (let round = 0; round < 6; round++) {
      fixture.advanceSeconds(3600)
      if (round !== 1) await fixture.pollRfqs()
      const { unsettled } = await fixture.closeExpired()
      expect(fixture.posts()).toHaveLength(1)
      expect(unsettled).toMatchObject([{ rfqId: id }])
      if (round === 2) await fixture.reopenStore()
    }
    const [decision] = (await fixture.store.decisions({ channel: KEY })).filter(({ outcome }) => outcome !== null)
    expect(decision).toMatchObject({ decision: 'close', outcome: 'unknown' })
  })

  it('is there twice, first with a later due date, is never closed', async () => {
    const { fixture, id } = await openPastDue()
    const patch = { responseDueDate: '2027-01-31' }
    fixture.sandbox.faults.add({
      operation: 'listRfqs',
      times: ALWAYS,
      effect: { kind: 'duplicate', ids: [id], patch },
    })
    await runDay(fixture)
    expect(fixture.posts()).toEqual([])
  })

  const effects = {
    'is closed': (id: string) => ({ kind: 'patch' as const, id, patch: { state: 'closed' } }),
    'has a later due date': (id: string) => ({
      ...{ kind: 'patch' as const, id, patch: { responseDueDate: '2027-01-31' } },
    }),
    'is there twice, first closed': (id: string) => ({
      ...{ kind: 'duplicate' as const, ids: [id], patch: { state: 'closed' } },
    }),
    'is there twice, first with another title': (id: string) => ({
      ...{ kind: 'duplicate' as const, ids: [id], patch: { title: 'Another' } },
    }),
  }
  const unread: Record<string, { only?: string; planned?: boolean }> = {
    'cannot be read by polls': {},
    'is not read by polls, which read another one': { only: 'other' },
    'is not read by polls, which have no requests left': { planned: true },
  }
  const cases = Object.entries(effects).flatMap(([says, effect]) =>
    Object.entries(unread).map(([why, options]) => [says, why, effect, options] as const),
  )

  it.each(cases)(
    '%s, of an RFQ that %s, keeps it open in six rounds with a restart, whatever the rounds read; and does no more once they agree',
    async (_says, _why, effect, { only, planned }) => {
      const { fixture, id } = await openPastDue()
      const { sandbox, advanceSeconds, posts } = fixture
      sandbox.world.addRfq(CHANNEL, { responseDueDate: '2027-06-30', reference: 'other' })
      await fixture.pollRfqs()
      const contradiction = sandbox.faults.add({ operation: 'listRfqs', times: ALWAYS, effect: effect(id) })
      for (let round = 0; round < 6; round++) {
        advanceSeconds(600)
        if (round === 3) await fixture.reopenStore()
        const failing = sandbox.faults.add({
          ...{ operation: 'readRfq' as const, times: ALWAYS, rfqId: id },
          effect: { kind: 'status', status: 500 },
        })
        await fixture.pollRfqs({ ...(only && { only }), ...(planned && { planning: planningOf(fixture.now()) }) })
        failing.remove()
        // A closing round reads another content of the RFQ.
        if (round > 1) sandbox.world.changeRfq(id, { title: `Title ${round}` })
        await fixture.closeExpired()
        expect(posts()).toEqual([])
      }
      contradiction.remove()
      advanceSeconds(600)
      await fixture.pollRfqs()
      await fixture.closeExpired()
      expect(posts()).toHaveLength(1)
    },
  )

  it('omits state and due date, or differs in another member, is closed by one POST', async () => {
    for (const patch of [{ state: null, responseDueDate: null }, { title: 'Another title' }]) {
      const { fixture, id } = await openPastDue()
      fixture.sandbox.faults.add({ operation: 'listRfqs', times: ALWAYS, effect: { kind: 'patch', id, patch } })
      await fixture.pollRfqs()
      await fixture.closeExpired()
      expect(fixture.posts()).toHaveLength(1)
    }
  })

  it('disagrees is closed by one POST once the list agrees', async () => {
    const { fixture, id } = await openPastDue()
    const patch = { responseDueDate: '2027-01-31' }
    await fixture.pollRfqs()
    fixture.sandbox.faults.add({ operation: 'listRfqs', times: 1, effect: { kind: 'patch', id, patch } })
    await fixture.closeExpired()
    expect(fixture.posts()).toEqual([])
    fixture.advanceSeconds(300)
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })
})

describe('a response due date that is a placeholder', () => {
  it.each(['0000-01-01', '0001-01-01', '1900-01-01', '1970-01-01', '1999-12-31'])('never closes: %s', async (date) => {
    const { fixture } = await openPastDue(date)
    await runDay(fixture)
    expect(fixture.posts()).toEqual([])
    const decisions = await fixture.store.decisions({ channel: KEY })
    expect(decisions).toMatchObject([{ decision: 'keep', reason: expect.stringContaining('placeholder') }])
  })

  it('is not any date from 2000 on', async () => {
    const { fixture } = await openPastDue('2000-01-01')
    await fixture.pollRfqs()
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
  })
})
