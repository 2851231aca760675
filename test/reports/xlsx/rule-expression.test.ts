import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnLetter } from '../../../reports/layout/grid.js'
import { type CellLookup, columnIndex, NOT_AVAILABLE, parseExpression } from '../../../reports/xlsx/rule-expression.js'

const SHEET = [
  ['yes', 3, NOT_AVAILABLE, null],
  ['No "way"', 4, 4, ''],
] as const
const cells: CellLookup = (row, column) => SHEET[row]?.[column] ?? null
const at = (text: string, rows = 0, columns = 0) => parseExpression(text)(cells, rows, columns)

describe('parseExpression', () => {
  it('compares cells and constants as a spreadsheet does', () => {
    const holding = [
      'A1="yes"',
      'A1="YES"',
      'B1=3',
      'B1>2.5',
      'B2<=C2',
      'B1<>B2',
      'D1=""',
      'D1=0',
      'A2="no ""way"""',
      'A1>B1',
    ]
    const not = ['A1="no"', 'B1>3', 'B1="3"', 'A1=0', '"a">"b"', 'D2=0']
    expect(holding.filter((text) => at(text) !== true)).toEqual([])
    expect(not.filter((text) => at(text) !== false)).toEqual([])
  })

  it('evaluates ISNUMBER and ISNA, and never compares #N/A as larger or smaller', () => {
    expect(at('ISNA(C1)')).toBe(true)
    expect(at('ISNUMBER(C1)')).toBe(false)
    expect(at('C1>0')).toBe(NOT_AVAILABLE)
    expect(at('AND(A1="yes",ISNUMBER(B1),B1<=3)')).toBe(true)
    expect(at('AND(C1>0,A1="yes")')).toBe(false)
    expect(at('OR($A1="x", $A1="yes")')).toBe(true)
  })

  it('shifts relative addresses and keeps absolute ones', () => {
    expect(at('B1=4', 1)).toBe(true)
    expect(at('B$1=3', 1)).toBe(true)
    expect(at('A1=3', 0, 1)).toBe(true)
    expect(at('$A1="yes"', 0, 1)).toBe(true)
  })

  it.each(['SUM(A1)', 'A1=', '(A1', 'A1 A2', 'AND(A1', "'Other'!A1", '1+1', '=A1', ''])('rejects %j', (text) => {
    expect(() => parseExpression(text)).toThrow(RangeError)
  })

  it('reads column letters as the grid writes them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 702 }), (column) => columnIndex(columnLetter(column)) === column - 1),
    )
  })
})
