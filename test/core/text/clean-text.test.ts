import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cleanText, splitText, truncate } from '../../../src/core/text/clean-text.js'
import { anyCharacter } from '../../helpers/data/any-text.js'

const ill = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) })
/** XML 1.0, production Char, without control characters other than line feeds. */
const WELL_FORMED = /^[\n\u0020-\u007E\u00A0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u

describe('text from outside', () => {
  it('contains only characters that XML allows, whatever the input', () => {
    fc.assert(
      fc.property(ill, (text) => {
        expect(cleanText(text)).toMatch(WELL_FORMED)
      }),
    )
  })
  it('shows a replacement character for each removed character', () => {
    expect(cleanText('a\u0000b\uFFFEc\uD800d')).toBe('a\uFFFDb\uFFFDc\uFFFDd')
  })
  it('keeps well-formed text and normalizes line breaks', () => {
    expect(cleanText('Überprüfung 👩‍👩‍👧 森\r\nnext\u2028last')).toBe('Überprüfung 👩‍👩‍👧 森\nnext\nlast')
  })
  it('removes bidirectional controls', () => expect(cleanText('\u202Egnp.exe\u2066')).toBe('\uFFFDgnp.exe\uFFFD'))
  it('removes characters without a width, except the joiners of scripts and emoji', () => {
    expect(cleanText('pay\u200Bpal \uFEFFa\u2060b')).toBe('pay\uFFFDpal \uFFFDa\uFFFDb')
    expect(cleanText('می\u200Cخواهم 👩\u200D👧 क्\u200Dष')).toBe('می\u200Cخواهم 👩\u200D👧 क्\u200Dष')
  })
  it('removes everything else that is not shown, except variation selectors of emoji', () => {
    for (const hidden of ['\u{E0041}', '\u3164', '\u115F', '\u00AD', '\u034F', '\u{E0100}', '\uFFFA'])
      expect(cleanText(`a${hidden}b`)).toBe('a\uFFFDb')
    expect(cleanText('❤\uFE0F 1\uFE0F\u20E3')).toBe('❤\uFE0F 1\uFE0F\u20E3')
  })
  it('shows objects as JSON', () => {
    expect(cleanText({ formula: '=1' })).toBe('{"formula":"=1"}')
    expect([cleanText(null), cleanText(undefined)]).toEqual(['', ''])
  })
  it('is truncated with a mark, without splitting a character', () => {
    expect(truncate('12345', 5)).toBe('12345')
    expect(truncate('123456', 5)).toBe('1234…')
    expect(truncate('ab👩cd', 4)).toBe('ab…')
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 3, max: 40 }), (text, most) => {
        const cut = truncate(cleanText(text), most)
        expect(cut.length).toBeLessThanOrEqual(most)
        expect(cut).toMatch(WELL_FORMED)
      }),
    )
  })
  it('is split into pieces that, joined, equal the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.integer({ min: 2, max: 9 }), (text, most) => {
        const pieces = splitText(text, most)
        expect(pieces.join('')).toBe(text)
        expect(pieces.every((piece) => piece.length <= most)).toBe(true)
      }),
    )
  })
})
