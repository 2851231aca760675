import type ExcelJS from 'exceljs'

/** What a reader may enter in a cell. */
export type DataValidation = ExcelJS.DataValidation

const required = { allowBlank: false, showErrorMessage: true, errorStyle: 'stop' } as const

/** A number within limits. */
export const numberBetween = ([min, max]: readonly [number, number]): DataValidation => ({
  ...required,
  type: 'decimal',
  operator: 'between',
  formulae: [min, max],
  errorTitle: 'Out of range',
  error: `Enter a number from ${min} to ${max}.`,
})

/** A number above 0, up to a maximum. */
export const numberAboveZero = (max: number): DataValidation => ({
  ...numberBetween([1e-12, max]),
  error: `Enter a number above 0, at most ${max}.`,
})

/** One of these words. */
export const oneOf = (choices: readonly string[]): DataValidation => ({
  ...required,
  type: 'list',
  formulae: [`"${choices.join(',')}"`],
  errorTitle: 'Invalid choice',
  error: `Choose one of: ${choices.join(', ')}.`,
})

/** The same, or nothing. */
export const optional = (rule: DataValidation): DataValidation => ({ ...rule, allowBlank: true })

/** Tonnes of at least 0, or nothing. */
export const TONNES: DataValidation = {
  ...required,
  type: 'decimal',
  operator: 'greaterThanOrEqual',
  formulae: [0],
  allowBlank: true,
  errorTitle: 'Invalid tonnes',
  error: 'Enter the tonnes to award to this offer: 0 or more.',
}
