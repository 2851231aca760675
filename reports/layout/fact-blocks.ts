import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, text } from '../xlsx/cells.js'
import { sectionRow } from './rows.js'
import type { RowPlan } from './sheet-plan.js'

/** A label and its value; the label is a cell if it is a formula. */
export type Fact = readonly [label: string | Cell, value: Cell]
export interface FactBlock {
  title: string
  facts: readonly Fact[]
}

/** Blocks of labels and values, side by side: each takes a column, one it overflows into, one of values and a gap. */
export function* factBlockRows(blocks: readonly FactBlock[]): Generator<RowPlan> {
  yield sectionRow(...blocks.flatMap(({ title }) => [title, undefined, undefined, undefined]))
  const rows = Math.max(...blocks.map(({ facts }) => facts.length))
  for (let row = 0; row < rows; row++) yield { cells: blocks.flatMap(({ facts }) => factCells(facts[row])) }
}

function factCells(fact: Fact | undefined): (Cell | undefined)[] {
  if (fact === undefined) return [undefined, undefined, undefined, undefined]
  const [name, value] = fact
  return [typeof name === 'string' ? text(name, style.label) : name, blank(style.label), value, undefined]
}

/** A text value, aligned like figures. */
export const textFact = (value: unknown): Cell => text(value, style.asRight(style.body))
