import { expect, it } from 'vitest'
import { nameProblem } from '../../../src/core/text/clean-text.js'

it('the name of a person is neither empty nor long, and has no characters that are not shown', () => {
  for (const name of ['ana', 'Zoë Müller', '山田', 'ana@example.org', 'x'.repeat(100)])
    expect(nameProblem(name)).toBeNull()
  expect([nameProblem(''), nameProblem(' ')]).toEqual(['is empty', 'is empty'])
  expect(nameProblem('x'.repeat(101))).toBe('is longer than 100 characters')
  // Hangul fillers, zero-width and bidirectional characters, controls, unassigned and private ones.
  for (const hidden of ['\u3164', '\u115f', '\u200b', '\u202e', '\n', '\u0378', '\ue000'])
    expect([hidden, nameProblem(`a${hidden}b`)]).toEqual([hidden, 'has characters that are not shown'])
})
