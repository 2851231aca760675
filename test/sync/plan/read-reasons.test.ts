import { describe, expect, it } from 'vitest'
import type { RfqPollState } from '../../../src/store/contract.js'
import { lastRequestFailed, reasonToRead } from '../../../src/sync/plan/read-reasons.js'

const NOW = new Date('2026-03-10T12:00:00Z')
const HOUR_MS = 3_600_000

describe('reasonToRead', () => {
  const listed = { id: 'a', hash: 'h', state: 'closed' as string | null }
  const known = {
    state: 'closed',
    entryHash: 'h',
    isFollowed: true,
    detailReadAt: NOW.toISOString(),
    incomplete: false,
    missingSince: null,
  } as RfqPollState
  const rules = { full: false, recheckClosedHours: 24, now: NOW }
  const reason = (
    changes: { listed?: object; known?: Partial<RfqPollState> | null; rules?: Partial<typeof rules> } = {},
  ) =>
    reasonToRead(
      { ...listed, ...changes.listed },
      changes.known === null ? undefined : { ...known, ...changes.known },
      { ...rules, ...changes.rules },
    )
  const hoursAgo = (hours: number) => new Date(NOW.getTime() - hours * HOUR_MS).toISOString()

  it('is null for a closed RFQ that was read, stays listed, and has not changed', () => {
    expect(reason()).toBeNull()
  })

  it('is recheck if it is unknown how long ago the RFQ was read', () => {
    expect(reason({ known: { detailReadAt: hoursAgo(-1 / 60) } })).toBeNull()
    expect(reason({ known: { detailReadAt: hoursAgo(-2 / 60) } })).toBe('recheck')
  })

  it.each([
    ['a full poll', { rules: { full: true } }, 'full poll'],
    ['an RFQ not stored', { known: null }, 'new'],
    ['an open RFQ', { listed: { state: 'open' } }, 'open'],
    ['an RFQ of an unknown state', { listed: { state: null } }, 'open'],
    ['an RFQ listed as closed and stored as open', { known: { state: 'open' } }, 'newly closed'],
    ['a changed list entry', { listed: { hash: 'other' } }, 'changed'],
    ['a list entry after which it was not read', { known: { isFollowed: false } }, 'changed'],
    ['an RFQ whose detail was never read', { known: { detailReadAt: null } }, 'incomplete'],
    ['an RFQ with an offer that was not read', { known: { incomplete: true } }, 'incomplete'],
    ['an RFQ that was missing', { known: { missingSince: hoursAgo(1) } }, 'returned'],
    ['an RFQ read exactly as long ago as allowed', { known: { detailReadAt: hoursAgo(24) } }, 'recheck'],
  ])('%s is read', (_, changes, expected) => {
    expect(reason(changes)).toBe(expected)
  })

  it('a closed RFQ is not read a moment earlier', () => {
    const readAt = new Date(NOW.getTime() - 24 * HOUR_MS + 1).toISOString()
    expect(reason({ known: { detailReadAt: readAt } })).toBeNull()
  })
})

it('the last request for a document failed unless it is the one that read it, whatever the clocks said', () => {
  const [earlier, later] = ['2026-11-21T10:00:00.000Z', '2026-11-21T11:00:00.000Z']
  expect(lastRequestFailed({ readAt: earlier, requestedAt: later })).toBe(true)
  // Read by a process whose clock was ahead, then requested without success.
  expect(lastRequestFailed({ readAt: later, requestedAt: earlier })).toBe(true)
  expect(lastRequestFailed({ readAt: null, requestedAt: earlier })).toBe(true)
  expect(lastRequestFailed({ readAt: later, requestedAt: later })).toBe(false)
  expect(lastRequestFailed({ readAt: null, requestedAt: null })).toBe(false)
})
