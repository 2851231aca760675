import { describe, expect, it } from 'vitest'
import type { Effect } from '../../../src/sandbox/index.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { openClosingFixture, rfqId } from '../../helpers/closing-round-fixture.js'

const id = rfqId(1)

describe('an open RFQ past due whose list entry', () => {
  it('contradicts it after a first POST gets no second one: the close needs attention', async () => {
    const fixture = await openClosingFixture()
    // The POST is inconclusive, and the read after it fails.
    fixture.sandbox.faults.add({ operation: 'closeRfq', effect: { kind: 'status', status: 500 } })
    fixture.sandbox.faults.add({ operation: 'readRfq', skip: 2, times: 3, effect: { kind: 'status', status: 500 } })
    await fixture.closeExpired()
    expect(fixture.posts()).toHaveLength(1)
    const effect = { kind: 'patch' as const, id, patch: { responseDueDate: '2027-01-31' } }
    fixture.always({ operation: 'listRfqs' }, effect)
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

  it.each<[string, Effect]>([
    ['is closed', { kind: 'patch', id, patch: { state: 'closed' } }],
    ['has a later due date', { kind: 'patch', id, patch: { responseDueDate: '2027-01-31' } }],
    ['is there twice, first closed', { kind: 'duplicate', ids: [id], patch: { state: 'closed' } }],
    ['is there twice, with another title', { kind: 'duplicate', ids: [id], patch: { title: 'Another' } }],
  ])(
    '%s keeps it open in six rounds with a restart, whatever they read of it, and no more once they agree',
    async (_title, effect) => {
      const fixture = await openClosingFixture()
      const { sandbox, advanceSeconds, posts } = fixture
      const contradiction = fixture.always({ operation: 'listRfqs' }, effect)
      for (let round = 0; round < 6; round++) {
        advanceSeconds(600)
        if (round === 3) await fixture.reopenStore()
        // Polls cannot read it, and a closing round reads another content of it.
        const failing = fixture.always({ operation: 'readRfq', rfqId: id }, { kind: 'status', status: 500 })
        await fixture.pollRfqs()
        failing.remove()
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
})
