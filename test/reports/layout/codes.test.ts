import { describe, expect, it } from 'vitest'
import { codeLabel, codeList, countryName } from '../../../reports/layout/wording.js'

describe('codes in words', () => {
  it('are readable, whatever joins the words of a code', () => {
    const codes = [
      'registryTransfer',
      'ForestsAndWoodlands',
      'already-closed',
      'in_review',
      'spot',
      'no-registry-id',
      'rfq-missing',
    ]
    expect(codes.map(codeLabel)).toEqual([
      'Registry transfer',
      'Forests and woodlands',
      'Already closed',
      'In review',
      'Spot',
      'No registry ID',
      'RFQ missing',
    ])
    expect(codeList(['removal', 'avoidedEmissions'])).toBe('Removal, Avoided emissions')
  })

  it('leave other texts as they are, on one line', () => {
    for (const text of ['VM0042', 'CCB', 'Gold Standard', '=1+1', 'line one', '', 'Überprüfung'])
      expect(codeLabel(text)).toBe(text)
    expect(codeLabel('two\nlines')).toBe('two lines')
    expect(codeLabel(null)).toBe('')
  })

  it('name countries by their code', () => {
    expect(['ID', 'KE', 'BR'].map(countryName)).toEqual(['Indonesia', 'Kenya', 'Brazil'])
    expect(['ZZZ', 'Kenya', 'ke', '=A'].map(countryName)).toEqual(['ZZZ', 'Kenya', 'ke', '=A'])
    expect(countryName(null)).toBe('')
  })
})
