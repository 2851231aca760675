import { expect, it } from 'vitest'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { createRfqList } from '../../src/views/rfqs/rfq-list.js'
import { CHANNEL, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const RULES = { key: KEY, timeZone: 'UTC', graceHours: 0, autoClose: 'on' as const }

it('figures of an RFQ have the status and newer terms that it shows of offers that cannot be read, until they are read', async () => {
  const fixture = await openChannelFixture()
  const { world, faults } = fixture.sandbox
  const { id } = world.addRfq(CHANNEL, { minVolume: 1, maxVolume: 1_000_000 })
  const [first, second] = [1, 2].map(() => world.addResponse(id, { status: 'submitted' }).id) as [string, string]
  await fixture.pollRfqs()
  const list = createRfqList({ store: fixture.store, channels: [RULES], settings: DEFAULT_SETTINGS })
  const figuresNow = async () => {
    const now = fixture.now()
    const [figures] = await list.figures(await list.rows({ now }), now)
    return { accepted: figures?.accepted?.offers.length ?? 0, newerTerms: figures?.newerTerms }
  }
  expect(await figuresNow()).toEqual({ accepted: 0, newerTerms: 0 })
  for (const responseId of [first, second])
    faults.add({
      ...{ operation: 'readResponse', responseId, times: Number.POSITIVE_INFINITY },
      effect: { kind: 'status', status: 500 },
    })
  world.changeResponse(first, { status: 'accepted' })
  world.changeResponse(second, { offer: { totalPrice: 7 } })
  fixture.advanceSeconds(300)
  await fixture.pollRfqs()
  expect(await figuresNow()).toEqual({ accepted: 1, newerTerms: 1 })
  // Nothing new is recorded of the offers themselves: they answer as before the change, and the RFQ still says otherwise.
  faults.clear()
  faults.add({
    ...{ operation: 'readResponse', responseId: first, times: Number.POSITIVE_INFINITY },
    effect: { kind: 'transform', change: (response: object) => ({ ...response, status: 'submitted' }) },
  })
  fixture.advanceSeconds(300)
  await fixture.pollRfqs()
  expect(await figuresNow()).toEqual({ accepted: 0, newerTerms: 0 })
})
