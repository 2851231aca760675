import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, number, text } from '../xlsx/cells.js'
import { emptyCells, sectionRow } from './rows.js'
import type { RowPlan } from './sheet-plan.js'
import { codeLabel } from './wording.js'

export type Fact = readonly [label: string, value: Cell]
export interface FactBlock {
  title: string
  facts: readonly Fact[]
}

/** Blocks of labels and values, side by side: each takes a column, one it overflows into, one of values and a gap. */
export function* factBlockRows(blocks: readonly FactBlock[]): Generator<RowPlan> {
  yield sectionRow(...blocks.flatMap(({ title }) => [title, ...emptyCells(3)]))
  const rows = Math.max(...blocks.map(({ facts }) => facts.length))
  for (let row = 0; row < rows; row++) yield { cells: blocks.flatMap(({ facts }) => factCells(facts[row])) }
}

const factCells = (fact: Fact | undefined): (Cell | undefined)[] =>
  fact ? [text(fact[0], style.label), blank(style.label), fact[1], undefined] : emptyCells(4)

/** How many of the figure above have each code. */
export const partFacts = (counts: readonly (readonly [code: string, count: number])[]): Fact[] =>
  counts.map(([code, count]) => {
    const label = `  of which ${codeLabel(code).toLowerCase()}`.slice(0, 40)
    return [label, number(count, style.integer)]
  })
