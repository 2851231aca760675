import { describe, expect, it } from 'vitest'
import { detectLoss } from '../../src/sync/list.js'

describe('detectLoss', () => {
  const ids = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`)
  const lost = (count: number, kept: number) => detectLoss(ids(count), new Set(ids(kept)))

  it('is more than half of ten or more entries', () => {
    expect(lost(10, 4)).toContain('lost 6 of 10 entries')
    expect(lost(11, 5)).toContain('lost 6 of 11 entries')
    expect(lost(10, 5)).toBeNull()
    expect(lost(9, 1)).toBeNull()
    expect(lost(10, 10)).toBeNull()
  })

  it('is everything, however little that was', () => {
    expect(lost(5, 0)).toContain('lost 5 of 5 entries')
    expect(lost(1, 0)).not.toBeNull()
    expect(lost(0, 0)).toBeNull()
  })
})
