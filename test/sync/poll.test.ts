import { describe, expect, it } from 'vitest'
import { detectMassLoss } from '../../src/sync/poll.js'

describe('detectMassLoss', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`)
  const lost = (count: number, kept: number) => detectMassLoss(ids(count), new Set(ids(kept)), 'RFQs')

  it('is more than half of ten or more entries', () => {
    expect(lost(10, 4)).toContain('lost 6 of 10 RFQs')
    expect(lost(11, 5)).toContain('lost 6 of 11 RFQs')
    expect(lost(10, 5)).toBeNull()
    expect(lost(9, 0)).toBeNull()
    expect(lost(10, 10)).toBeNull()
  })
})
