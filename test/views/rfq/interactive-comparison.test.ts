import { expect, it } from 'vitest'
import type { ParsedResponse } from '../../../src/compare/input/comparison-input.js'
import type { KnownDocument } from '../../../src/core/records.js'
import { createParser } from '../../../src/views/rfq/interactive-comparison.js'

it('parsed responses are kept up to a sum of lengths, those used last, each version by its own hash', () => {
  const parsedIds: string[] = []
  const parse = createParser(({ id }) => {
    parsedIds.push(id)
    return { id } as unknown as ParsedResponse
  }, 100)
  const use = (id: string, length: number, contentHash = '1') =>
    parse({ id, shape: 'full', contentHash, bodyText: 'x'.repeat(length) } as KnownDocument)
  const parses = (work: () => void) => {
    parsedIds.length = 0
    work()
    return parsedIds.join('')
  }
  for (let round = 0; round < 6; round++) {
    expect(parses(() => 'abcabc'.split('').map((id) => use(id, 30)))).toBe('abc')
    expect(parses(() => use('b', 30, '2'))).toBe('b')
    expect(parses(() => use('b', 30, '2'))).toBe('')
    expect(parses(() => use('c', 30))).toBe('')
    expect(parses(() => use('a', 30))).toBe('a')
    // Too long to be kept.
    expect(parses(() => use('d', 101))).toBe('d')
    expect(parses(() => use('d', 101))).toBe('d')
  }
})
