/** A value a rule compares; null is an empty cell. */
type CellValue = number | string | boolean | null
/** What a cell holds, by its place counted from 0; `NOT_AVAILABLE` for #N/A. */
export type CellLookup = (row: number, column: number) => CellValue | typeof NOT_AVAILABLE
export const NOT_AVAILABLE: unique symbol = Symbol('#N/A')

/** Works an expression out for a cell so many rows and columns from the one it was written for. */
export type Expression = (cells: CellLookup, rows: number, columns: number) => CellValue | typeof NOT_AVAILABLE

const TOKEN =
  /\s*(?:("(?:[^"]|"")*")|(\$?[A-Z]{1,3}\$?\d+)(?![A-Z(])|(\d+(?:\.\d+)?)|([A-Z]+)(?=\()|(<=|>=|<>|[=<>(),]))/y

/**
 * Reads the expressions that rules of our own sheets are made of: comparisons of cells and constants, `AND`, `OR`,
 * `ISNUMBER` and `ISNA`. Relative addresses move with the cell, as in a spreadsheet.
 * @throws RangeError for anything else: the rule was written a moment ago, in this program
 */
export function parseExpression(text: string): Expression {
  const reader = new Reader(text)
  const read = comparison(reader)
  if (reader.peek() !== null) throw new RangeError(`not read: ${text}`)
  return read
}

interface Token {
  kind: 'text' | 'cell' | 'number' | 'name' | 'sign'
  text: string
}

const KINDS = ['text', 'cell', 'number', 'name', 'sign'] as const

class Reader {
  readonly #tokens: Token[] = []
  #at = 0

  constructor(text: string) {
    const pattern = new RegExp(TOKEN)
    while (pattern.lastIndex < text.length) {
      const found = pattern.exec(text)
      const at = found?.slice(1).findIndex((part) => part !== undefined) ?? -1
      const kind = KINDS[at]
      if (found === null || kind === undefined) throw new RangeError(`not read: ${text}`)
      this.#tokens.push({ kind, text: found[at + 1] as string })
    }
  }
  peek(): Token | null {
    return this.#tokens[this.#at] ?? null
  }
  next(): Token {
    const token = this.peek()
    if (token === null) throw new RangeError('an expression ends too early')
    this.#at++
    return token
  }
  /** Takes a sign if it is next. */
  takes(sign: string): boolean {
    const here = this.peek()
    if (here?.kind !== 'sign' || here.text !== sign) return false
    this.#at++
    return true
  }
}

const SIGNS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
}

function comparison(reader: Reader): Expression {
  const left = term(reader)
  const sign = reader.peek()
  const holds = sign?.kind === 'sign' ? SIGNS[sign.text] : undefined
  if (holds === undefined) return left
  reader.next()
  const right = term(reader)
  return (...at) => {
    const one = left(...at)
    const other = right(...at)
    return one === NOT_AVAILABLE || other === NOT_AVAILABLE ? NOT_AVAILABLE : holds(orderOf(one, other))
  }
}

/** Numbers come before texts; an empty cell is as 0 beside a number and as "" beside a text. Case does not count. */
function orderOf(one: CellValue, other: CellValue): number {
  if (typeof one === 'string' || typeof other === 'string') {
    if (typeof one === 'number') return -1
    if (typeof other === 'number') return 1
    const [a, b] = [one, other].map((value) => String(value ?? '').toLowerCase()) as [string, string]
    return a < b ? -1 : a > b ? 1 : 0
  }
  return Number(one ?? 0) - Number(other ?? 0)
}

function term(reader: Reader): Expression {
  const token = reader.next()
  if (token.kind === 'text') return constant(token.text.slice(1, -1).replaceAll('""', '"'))
  if (token.kind === 'number') return constant(Number(token.text))
  if (token.kind === 'cell') return cell(token.text)
  if (token.kind === 'name') return call(token.text, reader)
  throw new RangeError(`not expected in an expression: ${token.text}`)
}

const constant =
  (value: CellValue): Expression =>
  () =>
    value

function cell(address: string): Expression {
  const [, fixedColumn, letters = '', fixedRow, digits] = /^(\$?)([A-Z]+)(\$?)(\d+)$/.exec(address) ?? []
  const [row, column] = [Number(digits) - 1, columnIndex(letters)]
  return (cells, rows, columns) => cells(row + (fixedRow ? 0 : rows), column + (fixedColumn ? 0 : columns))
}

/** `A` is 0, `AA` is 26. */
export const columnIndex = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

function call(name: string, reader: Reader): Expression {
  const parts = argumentsOf(reader)
  const [first] = parts
  if (name === 'AND') return (...at) => parts.every((part) => part(...at) === true)
  if (name === 'OR') return (...at) => parts.some((part) => part(...at) === true)
  if (name === 'ISNUMBER' && first) return (...at) => typeof first(...at) === 'number'
  if (name === 'ISNA' && first) return (...at) => first(...at) === NOT_AVAILABLE
  throw new RangeError(`no function of rules: ${name}`)
}

function argumentsOf(reader: Reader): Expression[] {
  const parts: Expression[] = []
  reader.takes('(')
  do parts.push(comparison(reader))
  while (reader.takes(','))
  if (!reader.takes(')')) throw new RangeError('an expression lacks a bracket')
  return parts
}
