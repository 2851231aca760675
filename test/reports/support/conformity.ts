import { type Element, parseXml } from './parts.js'
import { chartFaultsIn, drawingFaultsIn } from './schema/charts.js'
import { formulaFaultsIn } from './schema/formulas.js'
import { linkFaults, partRoots, type Trees } from './schema/links.js'
import { Schema } from './schema/schema.js'
import { sheetFaultsIn } from './schema/sheets.js'
import {
  countFaultsIn,
  indexWorkbook,
  styleFaultsIn,
  type WorkbookIndex,
  workbookFaultsIn,
} from './schema/workbook-index.js'

/** Parsed parts, the expected root element of each, and the faults found so far. */
interface Read {
  trees: Trees
  roots: Map<string, string>
  faults: string[]
}

/**
 * Checks a workbook against its format: each part against the description of its schema (schema/), links between parts,
 * and rules that no schema states but whose violation Excel reports as damage.
 * @param parts by name, from `partsOf`
 * @returns one message per fault, with the name of its part; empty for a valid workbook
 */
export function workbookFaults(parts: ReadonlyMap<string, string>): string[] {
  const { trees, roots, faults } = read(parts)
  const workbook = indexWorkbook(trees, roots)
  for (const [part, root] of roots) {
    const tree = trees.get(part)
    if (!tree) continue
    const found = [...countFaultsIn(tree), ...partFaults(tree, root, workbook, trees)]
    faults.push(...found.map((fault) => `${part}: ${fault}`))
  }
  return faults
}

/** The faults that concern the schemas and the links between parts only. */
export const schemaFaults = (parts: ReadonlyMap<string, string>): string[] => read(parts).faults

function read(parts: ReadonlyMap<string, string>): Read {
  const trees = new Map([...parts].map(([name, xml]) => [name, parseXml(xml)]))
  const { roots, faults } = partRoots(trees)
  const schema = new Schema()
  for (const [part, root] of roots) {
    const tree = trees.get(part)
    if (tree) faults.push(...schema.faults(tree, root).map((fault) => `${part}: ${fault}`))
  }
  return { trees, roots, faults: [...faults, ...linkFaults(trees, roots)] }
}

function* partFaults(tree: Element, root: string, workbook: WorkbookIndex, trees: Trees): Generator<string> {
  if (root === 'x:workbook') yield* workbookFaultsIn(tree, workbook)
  if (root === 'x:styleSheet') yield* styleFaultsIn(tree)
  if (root === 'xdr:wsDr') yield* drawingFaultsIn(tree)
  if (root === 'c:chartSpace') yield* chartFaultsIn(tree, workbook, trees)
  if (root !== 'x:worksheet') return
  yield* sheetFaultsIn(tree, workbook)
  yield* formulaFaultsIn(tree, workbook)
}
