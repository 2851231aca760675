import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromStoredText, toStoredText } from '../../../src/store/documents/stored-text.js'
import { anyCharacter } from '../../helpers/data/any-text.js'

const LETTERS = [
  '\\',
  '\0',
  '\ud800',
  '\udfff',
  'u',
  '0000',
  'd800',
  'dbff',
  'D800',
  'u0000',
  'ud800',
  '\u{1f333}',
  'a',
]
const text = fc.oneof(
  fc.array(fc.constantFrom(...LETTERS), { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: anyCharacter }),
)

describe('stored text', () => {
  it('is well-formed, has no NUL, and converts back to the original', () => {
    fc.assert(
      fc.property(text, (original) => {
        const stored = toStoredText(original)
        expect(stored).not.toMatch(/\0|\p{Surrogate}/u)
        expect(fromStoredText(stored)).toBe(original)
      }),
      { numRuns: 500 },
    )
  })

  it.each([
    ['rfq-1', 'rfq-1'],
    ['C:\\users\\u1', 'C:\\users\\u1'],
    ['a\ud800b', 'a\\ud800b'],
    ['a\0b', 'a\\u0000b'],
    ['a\\ud800b', 'a\\\\ud800b'],
    ['a\\\ud800b', 'a\\\\\\ud800b'],
  ])('of %j is %j', (original, stored) => {
    expect(toStoredText(original)).toBe(stored)
    expect(fromStoredText(stored)).toBe(original)
  })

  it('converts a long run of backslashes in linear time', () => {
    const backslashes = '\\'.repeat(1_000_000)
    const started = performance.now()
    expect(toStoredText(backslashes)).toBe(backslashes)
    expect(fromStoredText(backslashes)).toBe(backslashes)
    const stored = toStoredText(`${backslashes}\0`)
    expect(stored).toHaveLength(2_000_006)
    expect(fromStoredText(stored)).toBe(`${backslashes}\0`)
    // Some milliseconds; hours if each backslash is tried as the beginning of the run.
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
