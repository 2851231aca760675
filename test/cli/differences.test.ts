import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { differences, inWords } from '../../src/cli/differences.js'

describe('the differences of two documents', () => {
  it('name each place with what stood and stands there', () => {
    const before = { title: 'A', offer: { total: 100, lines: [{ v: 1 }, { v: 2 }] }, gone: true }
    const after = { title: 'A', offer: { total: 90, lines: [{ v: 1 }, { v: 3 }, { v: 4 }] }, note: null }
    expect(differences(before, after).map(inWords)).toEqual([
      'offer.total 100 → 90',
      'offer.lines[1].v 2 → 3',
      'offer.lines[2] nothing → {…}',
      'note nothing → null',
      'gone true → nothing',
    ])
  })

  it('are none exactly when the documents are equal', () => {
    const small = fc.jsonValue({ maxDepth: 3 })
    fc.assert(
      fc.property(small, small, (one, other) => {
        // As they come out of JSON.parse, where -0 and __proto__ are what JSON makes of them.
        const [a, b] = [JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other))]
        expect(differences(a, a)).toEqual([])
        expect(differences(a, b).length === 0).toBe(sorted(a) === sorted(b))
      }),
    )
  })
})

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, each) =>
    each && typeof each === 'object' && !Array.isArray(each) ? Object.fromEntries(Object.entries(each).sort()) : each,
  )
