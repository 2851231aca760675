import { expect, it } from 'vitest'
import { openScenario } from '../../golden/scenario.js'

it('credits that are recommended for several RFQs are a condition of each, a question, and a mark on Today', async () => {
  const { pollAfter, out, sandbox } = await openScenario({
    ...{ now: new Date('2026-11-23T09:00:00.000Z'), seed: 101, still: false },
    channels: [{ org: 'acme', channel: 'blue-carbon', theme: 'blue', listings: 7, rfqs: 5 }],
  })
  await pollAfter(3)
  const { recommendation, questions } = JSON.parse(await out('compare', '1004', '--json')).decision
  const message = 'Credits of 2024 are also recommended for RFQ 1006 and 1007: together 51,775 of 41,200 t.'
  expect(recommendation.conditions).toContainEqual({ loud: true, message })
  expect(questions[0].text).toContain(
    'You offer 51,775 t of 2024, with your offers for RFQ 1006 and 1007; your listing has 41,200.',
  )
  const marked = async () => {
    const { rfqs } = JSON.parse(await out('today', '--json')) as { rfqs: { number: number; doubts: string[] }[] }
    return rfqs.flatMap(({ number, doubts }) => (doubts.includes('beyond listing') ? number : []))
  }
  expect(await marked()).toEqual([1004])
  // One that closed and waits for a decision claims its credits still.
  const [channel] = sandbox.world.channels
  const closed = channel?.rfqs.find(({ terms }) => terms.number === 1007)
  sandbox.world.changeRfq(closed?.terms.id ?? '', { state: 'closed' })
  await pollAfter(0)
  expect((await marked()).sort()).toEqual([1004, 1007])
  // A comparison as of a past moment never changes, whatever is recommended elsewhere now.
  sandbox.setClock(new Date('2026-11-26T10:00:00.000Z'))
  expect(await out('compare', '1004', '--as-of', '2026-11-26T09:00:00.000Z')).not.toContain('also recommended')
})
