import { decoded, descendants, type Element } from '../parts.js'
import { first, partsWith, relationsOf, type Trees } from './links.js'
import { referencesIn } from './references.js'
import { cellAt } from './values.js'

/** What checks need to know about other parts of the workbook, collected once. */
export interface WorkbookIndex {
  /** Part of each sheet by its name, in order. */
  sheets: Map<string, string>
  /** Names that formulas may use, in lower case. */
  names: Set<string>
  strings: string[]
  cellStyles: number
  differentialStyles: number
}

/** Collects what the sheets are checked against. */
export function indexWorkbook(trees: Trees, roots: ReadonlyMap<string, string>): WorkbookIndex {
  const [workbook = ''] = partsWith('x:workbook', roots)
  const relations = relationsOf(workbook, trees)
  const styles = trees.get(partsWith('x:styleSheet', roots)[0] ?? '')
  const [strings = ''] = partsWith('x:sst', roots)
  return {
    sheets: new Map(all(trees.get(workbook), 'sheet').map((sheet) => [attribute(sheet, 'name'), target(sheet)])),
    names: new Set(all(trees.get(workbook), 'definedName').map((name) => attribute(name, 'name').toLowerCase())),
    strings: all(trees.get(strings), 'si').map((si) => si.children.map(({ text }) => decoded(text)).join('')),
    cellStyles: first(styles, 'cellXfs')?.children.length ?? 0,
    differentialStyles: first(styles, 'dxfs')?.children.length ?? 0,
  }
  function target(sheet: Element): string {
    return relations.get(attribute(sheet, 'r:id'))?.target ?? ''
  }
}

export const attribute = ({ attributes }: Element, name: string): string => decoded(attributes[name] ?? '')
export const all = (root: Element | undefined, name: string): Element[] => (root ? [...descendants(root, name)] : [])
/** Values that occur more than once. */
export const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index)

/** Checks sheets and defined names: duplicate or invalid names, missing targets. */
export function* workbookFaultsIn(workbook: Element, { sheets }: WorkbookIndex): Generator<string> {
  const listed = all(workbook, 'sheet')
  for (const key of ['name', 'sheetId', 'r:id']) {
    const values = listed.map((sheet) => attribute(sheet, key).toLowerCase())
    for (const value of repeated(values)) yield `two sheets have the ${key} ${value}`
  }
  for (const name of sheets.keys()) {
    if (name.length > 31 || /^'|'$|[[\]:*?/\\]|^history$/i.test(name) || name === '') yield `invalid sheet name ${name}`
  }
  for (const view of all(workbook, 'workbookView')) {
    if (Number(attribute(view, 'activeTab')) >= listed.length) yield 'the active sheet does not exist'
  }
  yield* nameFaults(all(workbook, 'definedName'), sheets)
}

function* nameFaults(names: readonly Element[], sheets: WorkbookIndex['sheets']): Generator<string> {
  const keys = names.map((name) => `${attribute(name, 'name').toLowerCase()} ${attribute(name, 'localSheetId')}`)
  for (const key of repeated(keys)) yield `two defined names are ${key}`
  for (const name of names) {
    const called = attribute(name, 'name')
    if (!/^[A-Za-z_\\][\w.\\]{0,254}$/.test(called) || cellAt(called.toUpperCase()) || /^[rc]$/i.test(called)) {
      yield `invalid defined name ${called}`
    }
    if (Number(attribute(name, 'localSheetId')) >= sheets.size) yield `${called} belongs to a missing sheet`
    const references = referencesIn(decoded(name.text))
    if (!references) yield `${called} refers to ${name.text}, which is not a range`
    for (const { sheet } of references ?? [])
      if (!sheets.has(sheet)) yield `${called} refers to a missing sheet: ${sheet}`
  }
}

/** What each attribute of a cell format refers to. */
const USED = { fontId: 'fonts', fillId: 'fills', borderId: 'borders', xfId: 'cellStyleXfs' } as const

/** Checks styles for references to missing items. */
export function* styleFaultsIn(styles: Element): Generator<string> {
  const formats = all(styles, 'numFmt').map((format) => attribute(format, 'numFmtId'))
  for (const id of repeated(formats)) yield `two number formats have id ${id}`
  for (const xf of all(styles, 'xf')) {
    for (const [key, list] of Object.entries(USED)) {
      const index = xf.attributes[key]
      const length = first(styles, list)?.children.length ?? 0
      if (index !== undefined && Number(index) >= length) yield `a format uses ${key} ${index} of ${length}`
    }
    const format = attribute(xf, 'numFmtId')
    if (Number(format) >= 164 && !formats.includes(format)) yield `a format uses the number format ${format}`
  }
  for (const style of all(styles, 'cellStyle')) {
    if (Number(attribute(style, 'xfId')) >= (first(styles, 'cellStyleXfs')?.children.length ?? 0))
      yield 'a style uses a missing format'
  }
}

const COUNTED = new Set(['count', 'uniqueCount', 'size'])
const UNCOUNTED = new Set(['tableStyles', 'sst'])

/** Checks `count` attributes. */
export function* countFaultsIn(root: Element): Generator<string> {
  for (const element of [root, ...root.children.flatMap((child) => [child, ...child.children])]) {
    for (const [key, value] of Object.entries(element.attributes)) {
      if (!COUNTED.has(key) || (UNCOUNTED.has(element.name) && key === 'count')) continue
      if (Number(value) !== element.children.length)
        yield `${element.name} counts ${value} of ${element.children.length}`
    }
  }
}
