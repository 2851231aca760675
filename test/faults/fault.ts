import { it } from 'vitest'
import { matrix } from './matrix.js'

/** A test of one row. Several tests of a row must all pass for it to count. */
export function fault(row: number, detail: string, test: () => Promise<void>, timeout?: number): void {
  const named = matrix[row]
  if (!named) throw new RangeError(`The matrix has no row ${row}.`)
  it(`fault ${row} (${named.fault}): ${detail}`, test, timeout)
}
