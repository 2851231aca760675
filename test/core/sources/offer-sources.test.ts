import { expect, it } from 'vitest'
import { newerSummariesOf } from '../../../src/core/sources/offer-sources.js'

it('an offer has a newer summary if its RFQ shows another one than when it was read, whatever the clocks said', () => {
  const [earlier, later] = ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z']
  const offer = { id: 'a', readAt: earlier, summaryHash: '02', readSummaryHash: '01', missingSince: null }
  const found = (more: Partial<typeof offer> | { readAt: null } | { missingSince: string } = {}, rfqReadAt = later) =>
    newerSummariesOf(rfqReadAt, [{ ...offer, ...more }])
  expect(found()).toEqual({ rfqReadAt: later, offers: [{ id: 'a', readAt: earlier }] })
  // The offer was read by a process whose clock was ahead.
  expect(found({ readAt: later }, earlier)).toEqual({ rfqReadAt: earlier, offers: [{ id: 'a', readAt: later }] })
  for (const more of [{ summaryHash: '01' }, { readAt: null }, { missingSince: later }]) expect(found(more)).toBeNull()
  expect(newerSummariesOf(null, [offer])).toBeNull()
})
