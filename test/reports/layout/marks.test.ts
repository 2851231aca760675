import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnIndex, columnLetter } from '../../../reports/layout/grid.js'
import { all, conditionFormula, here, is, isOneOf } from '../../../reports/layout/marks.js'

describe('the condition of a mark', () => {
  it('becomes a formula for the first cell of its range', () => {
    const nested = all(is(here, '<', { column: 'B' }), isOneOf({ column: 'C', row: 9 }, 'a', 'b'))
    expect(conditionFormula(all(is({ row: 2 }, '=', 'say "yes"'), nested), 'D6:F20')).toBe(
      'AND(D$2="say ""yes""",ISNUMBER(D6),D6<$B6,OR($C$9="a",$C$9="b"))',
    )
    expect(conditionFormula(isOneOf(here, 'one'), 'AA4')).toBe('AA4="one"')
  })

  it('reads column letters as the grid writes them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 702 }), (column) => columnIndex(columnLetter(column)) === column - 1),
    )
  })
})
