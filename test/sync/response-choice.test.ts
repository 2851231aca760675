import { expect, it } from 'vitest'
import { lastRequestFailed } from '../../src/sync/plan/response-choice.js'

it('the last request for a document was in vain unless it is the one that read it, whatever the clocks said', () => {
  const [earlier, later] = ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z']
  expect(lastRequestFailed({ readAt: earlier, requestedAt: later })).toBe(true)
  // Read by a process whose clock was ahead, then requested in vain.
  expect(lastRequestFailed({ readAt: later, requestedAt: earlier })).toBe(true)
  expect(lastRequestFailed({ readAt: null, requestedAt: earlier })).toBe(true)
  expect(lastRequestFailed({ readAt: later, requestedAt: later })).toBe(false)
  expect(lastRequestFailed({ readAt: null, requestedAt: null })).toBe(false)
})
