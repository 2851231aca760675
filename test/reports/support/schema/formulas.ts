import { decoded, type Element } from '../parts.js'
import type { WorkbookIndex } from './workbook-index.js'

/** The functions our formulas use; those after Excel 2007 would need a prefix (MS-XLSX, 2.2.2). */
const FUNCTIONS = new Set(['AND', 'IF', 'ISNUMBER', 'N', 'OR', 'SUM', 'SUMIFS'])
const WORDS = new Set(['TRUE', 'FALSE'])
const STRING = /"(?:[^"]|"")*"/g
const ERROR = /#(?:N\/A|DIV\/0!|VALUE!|REF!|NAME\?|NUM!|NULL!)/g
const SHEET = /(?:'((?:[^']|'')+)'|([\p{L}_][\p{L}\d_.]*))!/gu
const CALL = /([A-Za-z_][\w.]*)\(/g
const CELLS = /\$?\b[A-Z]{1,3}\$?\d+\b|\$?\b[A-Z]{1,3}:\$?[A-Z]{1,3}\b|\$?\b\d+:\$?\d+\b/g
const NAME = /[\p{L}_\\][\p{L}\d_.\\]*/gu

/** Elements whose text is a formula. */
const FORMULAS = new Set(['f', 'formula', 'formula1', 'formula2'])

/** Checks formulas for missing sheets, functions and names. */
export function* formulaFaultsIn(sheet: Element, workbook: WorkbookIndex): Generator<string> {
  for (const formula of new Set(formulasIn(sheet))) {
    for (const fault of formulaFaults(formula, workbook)) yield `${formula.slice(0, 80)}: ${fault}`
  }
}

function formulasIn({ name, text, children }: Element): string[] {
  return FORMULAS.has(name) ? [decoded(text)] : children.flatMap(formulasIn)
}

/** The faults of one formula. */
export function* formulaFaults(formula: string, { sheets, names }: WorkbookIndex): Generator<string> {
  if (formula.startsWith('=')) yield 'begins with ='
  const used = textOf(formula)
  for (const sheet of used.sheets) if (!sheets.has(sheet)) yield `unknown sheet ${sheet}`
  for (const name of used.functions) {
    if (!FUNCTIONS.has(name)) yield `unknown function ${name}`
  }
  for (const name of used.names) if (!names.has(name.toLowerCase())) yield `unknown name ${name}`
}

interface Words {
  sheets: string[]
  functions: string[]
  names: string[]
}

/** Workbooks have most of their formulas in common. */
const known = new Map<string, Words>()

/** The words of a formula, by what they name. */
function textOf(formula: string): Words {
  const found = known.get(formula) ?? readText(formula)
  known.set(formula, found)
  return found
}

function readText(formula: string): Words {
  const bare = formula.replaceAll(STRING, '""').replaceAll(ERROR, '0')
  // Only a formula with an exclamation mark names a sheet; looking for one takes long.
  const hasSheets = bare.includes('!')
  const sheets = hasSheets ? [...bare.matchAll(SHEET)] : []
  const calls = hasSheets ? bare.replaceAll(SHEET, '') : bare
  return {
    sheets: sheets.map(([, quoted, plain]) => (quoted ?? plain ?? '').replaceAll("''", "'")),
    functions: [...calls.matchAll(CALL)].map(([, name = '']) => name),
    names: [...calls.replaceAll(CALL, '(').replaceAll(CELLS, '').matchAll(NAME)]
      .map(([name]) => name)
      .filter((name) => !WORDS.has(name) && !/^[eE]$/.test(name)),
  }
}
