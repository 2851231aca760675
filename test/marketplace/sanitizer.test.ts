import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSanitizer } from '../../src/marketplace/sanitizer.js'

/** Any UTF-16 text, lone surrogates included. */
const anyText = (maxLength: number) =>
  fc.array(fc.oneof(fc.nat(0xff), fc.nat(0xffff)), { maxLength }).map((units) => String.fromCharCode(...units))

describe('sanitizer', () => {
  const sanitize = createSanitizer('secret-key-0123456789')

  it('removes control characters and lone surrogates, and cuts at 200 characters', () => {
    fc.assert(
      fc.property(anyText(600), (text) => {
        const sanitized = sanitize(text)
        expect(sanitized).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
        expect(Array.from(sanitized).length).toBeLessThanOrEqual(200)
      }),
    )
  })

  it('keeps everything else', () => {
    expect(sanitize('Überlauf\u001b[31m 発注 🌳\r\n')).toBe('Überlauf [31m 発注 🌳')
    expect(sanitize('🌳'.repeat(100))).toBe('🌳'.repeat(100))
    expect(sanitize('🌳'.repeat(101))).toBe(`${'🌳'.repeat(99)}…`)
  })

  it('removes a key without its scheme, or with control characters in it', () => {
    expect(createSanitizer('Bearer abcdefghijkl')('unknown token abcdefghijkl')).toBe('unknown token [API key removed]')
    expect(createSanitizer('Bearer  abcdefghijkl')('got "Bearer \n abcdefghijkl"')).toBe('got "[API key removed]"')
  })
})
