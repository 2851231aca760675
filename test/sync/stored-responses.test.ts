import { expect, it } from 'vitest'
import type { ResponsePollState } from '../../src/store/contract.js'
import { createResponseLoader } from '../../src/sync/stored-responses.js'

const state = (rfqId: string, id: string): ResponsePollState => ({
  ...{ rfqId, id, readAt: null, requestedAt: null, summaryHash: null, readSummaryHash: null, missingSince: null },
  ...{ firstObservedAt: '2026-11-22T00:00:00.000Z', fingerprint: null },
})

it('the stored responses of RFQs are loaded for many at once, each with its own, in any order', async () => {
  const ids = Array.from({ length: 120 }, (_, index) => `rfq-${index}`)
  const loads: number[] = []
  const responseStates = async (_channel: string, rfqIds: readonly string[]) => {
    loads.push(rfqIds.length)
    return rfqIds.flatMap((id) => (id === 'rfq-7' ? [] : [state(id, `${id}-a`), state(id, `${id}-b`)]))
  }
  const load = createResponseLoader({ responseStates }, 'acme/forest', ids)
  const shuffled = ids.map((_, index) => ids[(index * 7) % ids.length] as string)
  const found = await Promise.all(shuffled.map(async (id) => [id, [...(await load(id)).keys()]]))
  expect(found).toEqual(shuffled.map((id) => [id, id === 'rfq-7' ? [] : [`${id}-a`, `${id}-b`]]))
  expect(loads.sort()).toEqual([20, 50, 50])
  expect([...(await load('another')).keys()]).toEqual(['another-a', 'another-b'])
})
