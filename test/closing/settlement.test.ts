import { describe, expect, it } from 'vitest'
import type { FreshRead } from '../../src/closing/fresh-read.js'
import { settleAsGone, settleByRead } from '../../src/closing/settlement.js'
import type { CloseIntent } from '../../src/store/contract.js'

const SENT_AT = '2026-11-21T12:00:00.000Z'
const intent = (posts: number) => ({ posts, sentAt: posts > 0 ? SENT_AT : null }) as CloseIntent
const read = (state: string | null) => ({ state, missingSince: '2026-11-21T13:00:00.000Z' }) as FreshRead
const nothingSent = { reply: null, sent: [] }

describe('an intent that a crash left open', () => {
  it.each([
    [1, 'closed', 'closed', `(sent ${SENT_AT}); a read shows state closed`],
    [1, 'open', 'unknown', `(sent ${SENT_AT}); a read shows state open`],
    [1, null, 'unknown', `(sent ${SENT_AT}); a read shows no state`],
    [0, 'closed', 'already-closed', '(not sent); a read shows state closed'],
    [0, 'open', null, '(not sent); a read shows state open'],
  ])('after %d POSTs and a read of state %s has the outcome %s', (posts, state, outcome, reason) => {
    expect(settleByRead(intent(posts), read(state))).toMatchObject({
      ...nothingSent,
      failure: null,
      outcome,
      reason: `the process ended before the outcome of its close was recorded ${reason}`,
    })
  })

  it.each([
    [1, 'unknown'],
    [0, null],
  ])('after %d POSTs and without a read has the outcome %s', (posts, outcome) => {
    expect(settleAsGone(intent(posts), read(null), '404')).toMatchObject({
      ...nothingSent,
      failure: '404',
      outcome,
      reason: expect.stringContaining('has been missing from the list since 2026-11-21T13:00:00.000Z'),
    })
  })
})
