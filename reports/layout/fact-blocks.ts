import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, number, text } from '../xlsx/cells.js'
import { sectionRow } from './rows.js'
import type { RowPlan } from './sheet-plan.js'
import { codeWords } from './wording.js'

export type Fact = readonly [label: string, value: Cell]
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
  const [label, value] = fact
  return [text(label, style.label), blank(style.label), value, undefined]
}

/** How many of the figure above have each code. */
export const partFacts = (counts: readonly (readonly [code: string, count: number])[]): Fact[] =>
  counts.map(([code, count]) => {
    const label = `  of which ${codeWords(code).toLowerCase()}`.slice(0, 40)
    return [label, number(count, style.integer)]
  })
