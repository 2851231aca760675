import type ExcelJS from 'exceljs'

/** The conditional formats of a range of cells. */
export type ConditionalFormat = ExcelJS.ConditionalFormattingOptions

/** What a reader may enter in a cell. */
export type DataValidation = ExcelJS.DataValidation
