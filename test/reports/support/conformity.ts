import { type Element, parseXml } from './parts.js'
import { formulaFaultsIn } from './schema/formulas.js'
import { linkFaults, partRoots, THEME, type Trees } from './schema/links.js'
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

/** Parts by their text, as parsed and with the faults that their schema finds: altered workbooks have most parts in common. */
export class KnownParts {
  readonly #trees = new Map<string, Element>()
  readonly #faults = new Map<string, readonly string[]>()
  readonly #schema = new Schema()

  tree(xml: string): Element {
    const tree = this.#trees.get(xml) ?? parseXml(xml)
    this.#trees.set(xml, tree)
    return tree
  }

  schemaFaults(xml: string, root: string): readonly string[] {
    const key = `${root} ${xml}`
    const faults = this.#faults.get(key) ?? this.#schema.faults(this.tree(xml), root)
    this.#faults.set(key, faults)
    return faults
  }
}

/**
 * Checks a workbook against its format: each part against the description of its schema (schema/), links between parts,
 * and rules that no schema states but whose violation Excel reports as damage.
 * @param parts by name, from `partsOf`
 * @param known parts of other workbooks that were checked
 * @returns one message per fault, with the name of its part; empty for a valid workbook
 */
export function workbookFaults(parts: ReadonlyMap<string, string>, known = new KnownParts()): string[] {
  const { trees, roots, faults } = read(parts, known)
  const workbook = indexWorkbook(trees, roots)
  for (const [part, root] of roots) {
    const tree = trees.get(part)
    if (!tree) continue
    const found = [...countFaultsIn(tree), ...partFaults(tree, root, workbook)]
    faults.push(...found.map((fault) => `${part}: ${fault}`))
  }
  return faults
}

/** The faults that concern the schemas and the links between parts only. */
export const schemaFaults = (parts: ReadonlyMap<string, string>): string[] => read(parts, new KnownParts()).faults

function read(parts: ReadonlyMap<string, string>, known: KnownParts): Read {
  const trees = new Map([...parts].map(([name, xml]) => [name, known.tree(xml)]))
  const { roots, faults } = partRoots(trees)
  for (const [part, root] of roots) {
    const xml = parts.get(part)
    if (xml !== undefined && root !== THEME)
      faults.push(...known.schemaFaults(xml, root).map((fault) => `${part}: ${fault}`))
  }
  return { trees, roots, faults: [...faults, ...linkFaults(trees, roots)] }
}

function* partFaults(tree: Element, root: string, workbook: WorkbookIndex): Generator<string> {
  if (root === 'x:workbook') yield* workbookFaultsIn(tree, workbook)
  if (root === 'x:styleSheet') yield* styleFaultsIn(tree)
  if (root !== 'x:worksheet') return
  yield* sheetFaultsIn(tree, workbook)
  yield* formulaFaultsIn(tree, workbook)
}
