import { blank, type Cell, text } from '../cells.js'
import type { RowPlan } from '../plan.js'
import { asRight, body, label, section } from '../styles.js'

/** A name, live where it is a cell, and what stands beside it. */
export type Fact = readonly [name: string | Cell, value: Cell]
export interface Block {
  title: string
  facts: readonly Fact[]
}

/** Columns in which a block's names and values stand; a name runs on into the empty column beside it. */
const BLOCK_COLUMNS = [
  [0, 2],
  [4, 6],
  [8, 10],
] as const

/** Blocks of names and values, side by side. */
export function* blocks(all: readonly Block[]): Generator<RowPlan> {
  yield { cells: spread(all.map((block) => [text(block.title, section), undefined] as const)), height: 18 }
  const most = Math.max(...all.map(({ facts }) => facts.length))
  for (let row = 0; row < most; row++) {
    yield {
      cells: spread(
        all.map(({ facts }) => {
          const fact = facts[row]
          return fact ? ([nameCell(fact[0]), fact[1]] as const) : ([undefined, undefined] as const)
        }),
      ),
    }
  }
}

const nameCell = (name: Fact[0]): Cell => (typeof name === 'string' ? text(name, label) : name)

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

/** A word where others have figures. */
export const word = (value: unknown): Cell => text(value, asRight(body))
