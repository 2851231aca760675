import { describe, expect, it } from 'vitest'
import type { SheetPlan } from '../../../reports/layout/sheet-plan.js'
import { rowSheet } from '../../../reports/layout/table-sheet.js'
import { pagesWide, printArea } from '../../../reports/xlsx/page-setup.js'

const sheet = (widths: number[], more: Partial<SheetPlan> = {}) =>
  rowSheet({ ...more, name: 'One', widths, rows: () => [] })
const pages = (widths: number[], more: Partial<SheetPlan> = {}) => pagesWide(sheet(widths, more), widths)

describe('pages of a sheet', () => {
  it('are one page wide as long as the text stays legible', () => {
    expect(pages([30, 40])).toBe(1)
    expect(pages([56, 100, 100])).toBe(1)
    expect(pages([57, 100, 101])).toBe(2)
    expect(pages(Array(70).fill(20))).toBe(6)
  })

  it('have room for the title columns that each repeats', () => {
    const widths = [60, ...Array(10).fill(60)]
    expect(pages(widths)).toBe(3)
    expect(pages(widths, { print: { titleColumns: 'A:A' } })).toBe(4)
  })

  it('leave out columns that are not printed and, on sheets several pages wide, the rows for the screen', () => {
    const plan = sheet([9, 9, 9, 9], { print: { columns: 3, firstRowIfWide: 4 } })
    expect(printArea(plan, 1, 20)).toBe('A$1:C$20')
    expect(printArea(plan, 2, 20)).toBe('A$4:C$20')
  })
})
