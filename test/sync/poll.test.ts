import { expect, it } from 'vitest'
import { detectLoss } from '../../src/sync/list.js'

const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`)

it.each([
  [10, 4, true],
  [11, 5, true],
  [10, 5, false],
  [9, 1, false],
  [10, 10, false],
  // Everything, however little that was.
  [5, 0, true],
  [1, 0, true],
  [0, 0, false],
])('a list of RFQs of which %d were known and has %d of them lost too many: %j', (known, kept, isLoss) => {
  const loss = detectLoss(ids(known), new Set(ids(kept)))
  expect(loss).toEqual(isLoss ? expect.stringContaining(`lost ${known - kept} of ${known} entries`) : null)
})
