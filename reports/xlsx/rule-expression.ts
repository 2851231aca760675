/** A value that a rule compares; null is an empty cell. */
type CellValue = number | string | boolean | null
/** Returns the value of a cell by row and column, counted from 0; `NOT_AVAILABLE` for #N/A. */
export type CellLookup = (row: number, column: number) => CellValue | typeof NOT_AVAILABLE
export const NOT_AVAILABLE: unique symbol = Symbol('#N/A')

/** Evaluates an expression for the cell offset by `rows` and `columns` from the cell it was written for. */
export type Expression = (cells: CellLookup, rows: number, columns: number) => CellValue | typeof NOT_AVAILABLE

const TOKEN =
  /\s*(?:("(?:[^"]|"")*")|(\$?[A-Z]{1,3}\$?\d+)(?![A-Z(])|(\d+(?:\.\d+)?)|([A-Z]+)(?=\()|(<=|>=|<>|[=<>(),]))/y

/**
 * Parses the formulas used in our conditional formats: comparisons of cells and constants, `AND`, `OR`, `ISNUMBER` and
 * `ISNA`. Relative addresses move with the cell, as in a spreadsheet.
 * @throws RangeError for anything else
 */
export function parseExpression(text: string): Expression {
  const reader = new TokenReader(text)
  const read = parseComparison(reader)
  if (reader.peek() !== null) throw new RangeError(`Unsupported formula in a conditional format: ${text}`)
  return read
}

interface Token {
  kind: 'text' | 'cell' | 'number' | 'name' | 'sign'
  text: string
}

const TOKEN_KINDS = ['text', 'cell', 'number', 'name', 'sign'] as const

class TokenReader {
  readonly #tokens: Token[] = []
  #at = 0

  constructor(text: string) {
    const pattern = new RegExp(TOKEN)
    while (pattern.lastIndex < text.length) {
      const found = pattern.exec(text)
      const at = found?.slice(1).findIndex((part) => part !== undefined) ?? -1
      const kind = TOKEN_KINDS[at]
      if (found === null || kind === undefined)
        throw new RangeError(`Unsupported formula in a conditional format: ${text}`)
      this.#tokens.push({ kind, text: found[at + 1] as string })
    }
  }
  peek(): Token | null {
    return this.#tokens[this.#at] ?? null
  }
  next(): Token {
    const token = this.peek()
    if (token === null) throw new RangeError('Unexpected end of formula')
    this.#at++
    return token
  }
  /** Consumes the sign if it comes next. */
  consume(sign: string): boolean {
    const here = this.peek()
    if (here?.kind !== 'sign' || here.text !== sign) return false
    this.#at++
    return true
  }
}

const COMPARISONS: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
}

function parseComparison(reader: TokenReader): Expression {
  const left = parseTerm(reader)
  const sign = reader.peek()
  const matches = sign?.kind === 'sign' ? COMPARISONS[sign.text] : undefined
  if (matches === undefined) return left
  reader.next()
  const right = parseTerm(reader)
  return (...at) => {
    const one = left(...at)
    const other = right(...at)
    return one === NOT_AVAILABLE || other === NOT_AVAILABLE ? NOT_AVAILABLE : matches(compareValues(one, other))
  }
}

/** Numbers sort before text; an empty cell equals 0 or "". Case is ignored. */
function compareValues(one: CellValue, other: CellValue): number {
  if (typeof one === 'string' || typeof other === 'string') {
    if (typeof one === 'number') return -1
    if (typeof other === 'number') return 1
    const [a, b] = [one, other].map((value) => String(value ?? '').toLowerCase()) as [string, string]
    return a < b ? -1 : a > b ? 1 : 0
  }
  return Number(one ?? 0) - Number(other ?? 0)
}

function parseTerm(reader: TokenReader): Expression {
  const token = reader.next()
  if (token.kind === 'text') return constant(token.text.slice(1, -1).replaceAll('""', '"'))
  if (token.kind === 'number') return constant(Number(token.text))
  if (token.kind === 'cell') return parseCell(token.text)
  if (token.kind === 'name') return parseCall(token.text, reader)
  throw new RangeError(`Unexpected token in formula: ${token.text}`)
}

const constant =
  (value: CellValue): Expression =>
  () =>
    value

function parseCell(address: string): Expression {
  const [, fixedColumn, letters = '', fixedRow, digits] = /^(\$?)([A-Z]+)(\$?)(\d+)$/.exec(address) ?? []
  const [row, column] = [Number(digits) - 1, columnIndex(letters)]
  return (cells, rows, columns) => cells(row + (fixedRow ? 0 : rows), column + (fixedColumn ? 0 : columns))
}

/** `A` is 0, `AA` is 26. */
export const columnIndex = (letters: string): number =>
  [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1

function parseCall(name: string, reader: TokenReader): Expression {
  const parts = parseArguments(reader)
  const [first] = parts
  if (name === 'AND') return (...at) => parts.every((part) => part(...at) === true)
  if (name === 'OR') return (...at) => parts.some((part) => part(...at) === true)
  if (name === 'ISNUMBER' && first) return (...at) => typeof first(...at) === 'number'
  if (name === 'ISNA' && first) return (...at) => first(...at) === NOT_AVAILABLE
  throw new RangeError(`Unsupported function in formula: ${name}`)
}

function parseArguments(reader: TokenReader): Expression[] {
  const parts: Expression[] = []
  reader.consume('(')
  do parts.push(parseComparison(reader))
  while (reader.consume(','))
  if (!reader.consume(')')) throw new RangeError('Missing closing parenthesis in formula')
  return parts
}
