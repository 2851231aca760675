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

  it('makes a formula safe that begins after white space or characters that are not shown', () => {
    for (const hidden of ['\u200b', '\u00a0', '\u3164', '\u2800', '\u{e0001}', ' \u200b\u00ad\ufeff '])
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
