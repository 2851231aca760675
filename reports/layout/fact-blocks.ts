import type { RowPlan } from '../layout/sheet-plan.js'
import { asRight, body, label, section } from '../xlsx/cell-styles.js'
import { blank, type Cell, text } from '../xlsx/cells.js'

/** A label and its value; the label is a cell if it is a formula. */
export type Fact = readonly [label: string | Cell, value: Cell]
export interface FactBlock {
  title: string
  facts: readonly Fact[]
}

/** Columns of each block's labels and values; a label overflows into the empty column beside it. */
const BLOCK_COLUMNS = [
  [0, 2],
  [4, 6],
  [8, 10],
] as const

/** Up to three blocks of labels and values, side by side. */
export function* factBlockRows(blocks: readonly FactBlock[]): Generator<RowPlan> {
  yield { cells: spread(blocks.map((block) => [text(block.title, section), undefined] as const)), height: 18 }
  const rows = Math.max(...blocks.map(({ facts }) => facts.length))
  for (let row = 0; row < rows; row++) {
    yield {
      cells: spread(
        blocks.map(({ facts }) => {
          const fact = facts[row]
          return fact ? ([labelCell(fact[0]), fact[1]] as const) : ([undefined, undefined] as const)
        }),
      ),
    }
  }
}

const labelCell = (content: Fact[0]): Cell => (typeof content === 'string' ? text(content, label) : content)

function spread(pairs: readonly (readonly [Cell | undefined, Cell | undefined])[]): (Cell | undefined)[] {
  const cells: (Cell | undefined)[] = []
  for (const [index, [name, value]] of pairs.entries()) {
    const [first, second] = BLOCK_COLUMNS[index] ?? BLOCK_COLUMNS[0]
    cells[first] = name
    if (value !== undefined) cells[first + 1] = blank(label)
    cells[second] = value
  }
  return Array.from(cells)
}

/** A text value, aligned like figures. */
export const textFact = (value: unknown): Cell => text(value, asRight(body))
