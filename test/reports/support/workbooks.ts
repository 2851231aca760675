import ExcelJS from 'exceljs'
import * as workbooks from '../../../reports/workbooks.js'

export const { rfqWorkbook, overviewWorkbook } = workbooks

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
