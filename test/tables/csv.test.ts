import { describe, expect, it } from 'vitest'
import { csvText } from '../../src/tables/print/csv.js'

const fieldOf = (message: string): string => csvText(message).replace(/^"(.*)"$/s, '$1')

describe('CSV table', () => {
  it.each(['=1+1', '+1', '-1', '@SUM(1)', '|cmd', '%1', '\uff1d1+1'])(
    'makes %j safe, which begins like a formula',
    (message) => {
      expect(fieldOf(message)).toBe(`'${message}`)
    },
  )

  it.each([
    ['a zero-width space', '\u200b'],
    ['a byte order mark', '\ufeff'],
    ['a soft hyphen', '\u00ad'],
    ['a left-to-right mark', '\u200e'],
    ['an Arabic letter mark', '\u061c'],
    ['a word joiner', '\u2060'],
    ['a no-break space', '\u00a0'],
    ['a Hangul filler', '\u3164'],
    ['a Braille blank', '\u2800'],
    ['a tag character', '\u{e0001}'],
    ['a combining grapheme joiner', '\u034f'],
    ['several of them', ' \u200b\u00ad\ufeff '],
  ])('makes a formula safe that begins after %s', (_, hidden) => {
    for (const start of ['=', '+', '-', '@']) expect(fieldOf(`${hidden}${start}1+1`)).toBe(`'${hidden}${start}1+1`)
  })

  it('leaves other text as it is', () => {
    for (const message of ['Forest', '1-2', 'a=b', '\u200bForest', 'é', '漢字']) expect(fieldOf(message)).toBe(message)
  })

  it('writes each text on one line, in a time that grows with its length only', () => {
    expect(fieldOf('a \n\n b\nc')).toBe('a | b | c')
    // Some milliseconds; ten minutes if each blank is tried as the beginning of the white space.
    const blanks = ' '.repeat(1_000_000)
    expect(fieldOf(`a${blanks}b\n${blanks}c`)).toBe(`a${blanks}b | c`)
  })
})
