import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createScrubber, secretForms } from '../../src/domain/secret-scrubber.js'

const KEY = 'Bearer k"ey\\0123/+=456'

describe('secret scrubber', () => {
  it.each([
    ['as it is', KEY],
    ['in JSON', JSON.stringify({ KEY })],
    ['in JSON within JSON', JSON.stringify(JSON.stringify({ KEY }))],
    ['in a URL', encodeURIComponent(KEY)],
    ['without its scheme', KEY.replace('Bearer ', '')],
    ['without its scheme, in JSON', JSON.stringify({ key: KEY.replace('Bearer ', '') })],
    ['without its scheme, in a URL', encodeURIComponent(KEY.replace('Bearer ', ''))],
  ])('removes a secret %s', (_how, text) => {
    const scrubbed = createScrubber([KEY])(`before ${text} after`)
    expect(scrubbed).toMatch(/^before .*\[secret\].* after$/)
    expect(scrubbed).not.toContain('0123')
  })

  it('removes a secret whose white space was collapsed', () => {
    expect(createScrubber(['Basic  abc   defghi'])('got Basic abc defghi')).toBe('got [secret]')
  })

  it('removes longer secrets first, because one may contain another', () => {
    expect(createScrubber(['abc', 'abcdef'])('xabcdefx abc')).toBe('x[secret]x [secret]')
  })

  it('keeps the scheme and other short words of a secret', () => {
    expect(createScrubber(['Bearer abcdefghijkl'])('Bearer token expected')).toBe('Bearer token expected')
  })

  it('ignores an empty secret', () => {
    expect(secretForms('')).toEqual([])
    expect(createScrubber([''])('any text')).toBe('any text')
  })

  it('leaves no secret in any text that contains a form of it', () => {
    const secret = fc
      .string({ minLength: 8, maxLength: 40, unit: 'grapheme-ascii' })
      .filter((key) => key.trim() === key)
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (key, before, after) => {
        const scrub = createScrubber([key], '')
        for (const form of secretForms(key)) expect(scrub(`${before} ${form} ${after}`)).not.toContain(form)
      }),
    )
  })
})
