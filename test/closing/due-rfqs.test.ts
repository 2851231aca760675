import { expect, it } from 'vitest'
import { approvalOf } from '../../src/closing/due-rfqs.js'
import type { EvaluatedRfq } from '../../src/closing/evaluate.js'

const due = (id: string, dueDate = '2026-11-20') => ({ id, document: { responseDueDate: dueDate } }) as EvaluatedRfq
const THREE = [due('a'), due('b'), due('c')]
const ROUND = { channel: 'acme/forest', day: '2026-11-21', maxPerRun: 1 }

it('a round needs approval only if it is larger than maxPerRun', () => {
  expect(approvalOf({ ...ROUND, maxPerRun: 3 }, THREE)).toBeNull()
  expect(approvalOf({ ...ROUND, maxPerRun: 2 }, THREE)).toEqual({
    plan: expect.stringMatching(/^plan-[0-9a-f]{12}$/),
    reason: expect.stringMatching(/^3 RFQs are past due, more than maxPerRun \(2\): blocked until approved \(plan-/),
    command: expect.stringMatching(/^quotekeeper close-expired --channel acme\/forest --approve plan-[0-9a-f]{12}$/),
  })
})

it('a plan is of exactly its RFQs with their due dates, in any order, on its channel and day', () => {
  const planOf = (rfqs: EvaluatedRfq[], more = {}) => approvalOf({ ...ROUND, ...more }, rfqs)?.plan
  expect(planOf(THREE.toReversed(), { maxPerRun: 2 })).toBe(planOf(THREE))
  const others = [
    planOf(THREE.slice(1)),
    planOf([...THREE, due('d')]),
    planOf([due('a'), due('b'), due('c', '2026-11-01')]),
    planOf(THREE, { day: '2026-11-22' }),
    planOf(THREE, { channel: 'acme/river' }),
  ]
  expect(new Set([planOf(THREE), ...others]).size).toBe(1 + others.length)
})
