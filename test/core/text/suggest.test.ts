import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closestMatches, editDistance } from '../../../src/core/text/suggest.js'

describe('edit distance', () => {
  it.each([
    ['', '', 0],
    ['abc', 'ABC', 0],
    ['abc', 'abd', 1],
    ['abc', 'acb', 1],
    ['abc', 'ab', 1],
    ['kitten', 'sitting', 3],
    ['', 'abc', 3],
  ])('of %j and %j is %i', (one, other, distance) => {
    expect(editDistance(one, other)).toBe(distance)
  })

  it('is symmetric, 0 only for equal texts, and at most the length of the longer text', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
    fc.assert(
      fc.property(word, word, (one, other) => {
        const distance = editDistance(one, other)
        expect(distance).toBe(editDistance(other, one))
        expect(distance === 0).toBe(one === other)
        expect(distance).toBeLessThanOrEqual(Math.max(one.length, other.length))
        expect(distance).toBeGreaterThanOrEqual(Math.abs(one.length - other.length))
      }),
    )
  })
})

describe('closest matches', () => {
  it('are sorted best first, without duplicates', () => {
    expect(closestMatches('1042', ['1043', '1042', '2042', '1043', '9999'])).toEqual(['1042', '1043', '2042'])
  })
  it('include candidates that contain the text', () => {
    expect(closestMatches('mangrove', ['Mangroves for 2027', 'Cookstoves'])).toEqual(['Mangroves for 2027'])
  })
  it('are empty if nothing is similar', () => {
    expect(closestMatches('xyz', ['abc'])).toEqual([])
  })
  it('are found among candidates that are very long, without comparing them in full', () => {
    const long = Array.from({ length: 10 }, (_, n) => `${'x'.repeat(500_000)}${n}`)
    const started = performance.now()
    expect(closestMatches('1043', [...long, 'a '.repeat(500_000), '1042'])).toEqual(['1042'])
    // A tenth of a second; most of a minute if each is compared in full.
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
