import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitizer } from '../../src/marketplace/sanitizer.js'

/** Any UTF-16, half pairs of surrogates included. */
const anyText = (maxLength: number) =>
  fc.array(fc.oneof(fc.nat(0xff), fc.nat(0xffff)), { maxLength }).map((units) => String.fromCharCode(...units))

describe('outside text in a message', () => {
  const quote = sanitizer('secret-key-0123456789')

  it('has no control characters, no half characters, and at most 200 characters', () => {
    fc.assert(
      fc.property(anyText(600), (text) => {
        const quoted = quote(text)
        expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
        expect(Array.from(quoted).length).toBeLessThanOrEqual(200)
      }),
    )
  })

  it('is kept otherwise', () => {
    expect(quote('Überlauf\u001b[31m 発注 🌳\r\n')).toBe('Überlauf [31m 発注 🌳')
    expect(quote('🌳'.repeat(200))).toBe('🌳'.repeat(200))
    expect(quote('🌳'.repeat(201))).toBe(`${'🌳'.repeat(199)}…`)
  })

  it('never shows the key, wherever it stands and however it is written', () => {
    const around = anyText(250)
    const character = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
    const key = fc.array(character, { minLength: 16, maxLength: 40 }).map((characters) => characters.join(''))
    fc.assert(
      fc.property(key, around, around, (apiKey, before, after) => {
        for (const spelling of [apiKey, JSON.stringify(apiKey).slice(1, -1), encodeURIComponent(apiKey)]) {
          expect(sanitizer(apiKey)(before + spelling + after)).not.toContain(spelling)
        }
      }),
    )
  })

  it('does not show a key whose scheme was left out, or that was broken up by control characters', () => {
    expect(sanitizer('Bearer abcdefghijkl')('unknown token abcdefghijkl')).toBe('unknown token [key]')
    expect(sanitizer('Bearer  abcdefghijkl')('got "Bearer \n abcdefghijkl"')).toBe('got "[key]"')
  })
})
