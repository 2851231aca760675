import ExcelJS from 'exceljs'

/** The sheets of a workbook. */
export async function sheetsOf(bytes: Buffer): Promise<ExcelJS.Worksheet[]> {
  const workbook = new ExcelJS.Workbook()
  await workbook.xlsx.load(bytes as never)
  return workbook.worksheets
}

/** The values of the cells of a sheet. */
export async function valuesOf(bytes: Buffer, name: string): Promise<ExcelJS.CellValue[][]> {
  const sheet = (await sheetsOf(bytes)).find((each) => each.name === name)
  return Array.from(sheet?.getSheetValues() ?? [], (row) => (row ?? []) as ExcelJS.CellValue[])
}

interface ReadCell {
  formula: string | undefined
  /** Of a formula, its stored result. */
  value: string | number | boolean | null
  link: string | undefined
}
/** Cells by place: `Choices!B4`. */
export type Cells = Map<string, ReadCell>

/** The cells of some sheets. */
export function cellsOf(sheets: readonly ExcelJS.Worksheet[]): Cells {
  const cells: Cells = new Map()
  for (const sheet of sheets)
    sheet.eachRow((row) =>
      row.eachCell((cell) => {
        const { address, formula, hyperlink: link } = cell
        cells.set(`${sheet.name}!${address}`, { formula, value: plainValue(cell), link })
      }),
    )
  return cells
}

/** The value of a cell as it is shown. */
export function plainValue(cell: ExcelJS.Cell): ReadCell['value'] {
  const value = cell.formula ? cell.result : cell.value
  if (value === undefined || value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object') return value
  return 'error' in value ? value.error : cell.text
}

/** The cells that contain a formula. */
export const formulasOf = (cells: Cells | undefined) =>
  [...(cells ?? [])].flatMap(([place, { formula, value }]) =>
    formula === undefined ? [] : [{ place, formula, value }],
  )

/** Formulas whose stored result differs from the recalculated one: place, stored, recalculated, formula. */
export const differences = (written: Cells | undefined, computed: Cells | undefined): unknown[][] =>
  formulasOf(written).flatMap(({ place, formula, value }) => {
    const found = computed?.get(place)?.value ?? null
    return isSame(value, found) ? [] : [[place, value, found, formula]]
  })

/** Tolerance: LibreOffice adds in a different order. */
const isSame = (one: ReadCell['value'], other: ReadCell['value']): boolean =>
  typeof one === 'number' && typeof other === 'number'
    ? Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other))
    : (one ?? '') === (other ?? '')
