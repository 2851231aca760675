import { describe, expect, it } from 'vitest'
import {
  bodyRow,
  fittedHeight,
  headingRows,
  headRow,
  RowList,
  right,
  sectionRow,
} from '../../../reports/layout/rows.js'
import * as style from '../../../reports/xlsx/cell-styles.js'
import { text } from '../../../reports/xlsx/cells.js'

const LONG = text('word '.repeat(40), style.wrapped)

describe('rows', () => {
  it('are as high as their wrapped cells need', () => {
    expect(fittedHeight(bodyRow(text('one'), undefined), [20])).toBe(15)
    const heights = [100, 50, 25].map((width) => fittedHeight(bodyRow(LONG), [width]))
    expect(heights).toEqual([...heights].sort((one, other) => one - other))
    expect(new Set(heights).size).toBe(3)
    expect(fittedHeight(bodyRow(text('word '.repeat(40), style.body)), [20])).toBe(15)
  })

  it('give a merged cell the width of all its columns', () => {
    const widths = [10, 25, 25, 50]
    expect(fittedHeight({ ...bodyRow(undefined, LONG), merged: [[1, 3]] }, widths)).toBe(
      fittedHeight(bodyRow(LONG), [100]),
    )
  })

  it('state what they are for', () => {
    const rows = [...headingRows({ subject: 'S' }, 'T', 'N'), sectionRow('A', undefined, 'B'), headRow('C')]
    expect(rows.map(({ role }) => role)).toEqual(['title', 'subject', 'note', 'section', 'head'])
    expect(rows[3]?.cells.map((cell) => cell?.value)).toEqual(['A', undefined, 'B'])
    expect(bodyRow().role).toBeUndefined()
  })

  it('align the headers of numbers right', () => {
    const { cells } = headRow('Name', right('Total'), undefined)
    expect(cells.map((cell) => cell?.style.alignment?.horizontal)).toEqual(['left', 'right', undefined])
  })

  it('know the number of the next row of a list', () => {
    const list = new RowList().add(sectionRow('One')).addSection('Two')
    expect(list.next).toBe(4)
  })
})
