import {
  type Document,
  type ErrorCode,
  isCollection,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml'
import type { ConfigIssue } from './config-error.js'

export type Path = readonly (string | number)[]

/** A parsed YAML file with the line of each part. */
export interface ConfigDocument {
  value: unknown
  /** The line of a key (or of its nearest existing parent), counted from 1; null for an empty file. */
  lineOf(path: Path): number | null
  /** A scalar as it is written without quotes, such as `0042`; null for anything else. */
  writtenAs(path: Path): string | null
  /** Errors in the YAML, at most one for each line. */
  issues: ConfigIssue[]
}

/**
 * Parses YAML 1.2 and keeps line numbers.
 * @param text content of the file
 * @param file its name in error messages
 */
export function readDocument(text: string, file: string): ConfigDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const lineOf = (path: Path) => {
    const offset = offsetOf(document, path)
    return offset === null ? null : lines.linePos(offset).line
  }
  const writtenAs = (path: Path) => {
    const node = document.getIn(path, true)
    return isScalar(node) && node.type === 'PLAIN' ? (node.source ?? null) : null
  }
  const byLine = new Map<number, ConfigIssue>()
  for (const { offset, found, allowed } of findErrors(document)) {
    const { line, col } = lines.linePos(offset)
    if (!byLine.has(line)) byLine.set(line, { file, line, key: '', found: `${found} (column ${col})`, allowed })
  }
  const issues = [...byLine.values()]
  if (issues.length > 0) return { value: undefined, lineOf, writtenAs, issues }
  try {
    return { value: document.toJS(), lineOf, writtenAs, issues }
  } catch {
    // Aliases that repeat too much: a few lines would become gigabytes.
    const issue = { file, line: 1, key: '', found: 'aliases (*) that repeat too much', allowed: 'the text itself' }
    return { value: undefined, lineOf, writtenAs, issues: [issue] }
  }
}

interface YamlError {
  offset: number
  found: string
  allowed: string
}

const QUOTE = 'quotes around a value that begins with one of @ ` % * & ! | > or contains ": "'
const LAYOUT =
  '"key: value" with a space after the colon, keys of a section indented alike, quotes and brackets closed (they may begin in an earlier line)'

const ALLOWED: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: QUOTE,
  BAD_DQ_ESCAPE: 'single quotes, or two backslashes',
  BAD_SCALAR_START: QUOTE,
  BLOCK_AS_IMPLICIT_KEY: 'keys of a section indented alike; quotes around a value that contains ": "',
  DUPLICATE_KEY: 'each key only once in its section',
  MULTIPLE_DOCS: 'one configuration per file; remove the line ---',
  TAB_AS_INDENT: 'spaces; YAML allows no tabs there',
  TAG_RESOLVE_FAILED: QUOTE,
  UNEXPECTED_TOKEN: `${QUOTE}; quotes and brackets in pairs`,
}

/** In place of messages that contain a part of the file. */
const FOUND: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: 'Unknown directive (%)',
  TAG_RESOLVE_FAILED: 'Unknown tag (!)',
}

/** The errors of the parser, and what it accepts although it is a mistake here. */
function findErrors(document: Document.Parsed): YamlError[] {
  const errors = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0])
  // After an end that has no beginning, the parser reports each line.
  const end = errors.findIndex(({ message }) => message.includes('in YAML stream'))
  const found = errors.slice(0, end === -1 ? undefined : end + 1).map(
    ({ code, message, pos }): YamlError => ({
      offset: pos[0],
      found: FOUND[code] ?? withoutValue(message),
      allowed: ALLOWED[code] ?? LAYOUT,
    }),
  )
  if (found.length > 0) return found
  visit(document, {
    Alias: (_key, alias) => {
      if (alias.resolve(document)) return
      found.push({ offset: alias.range?.[0] ?? 0, found: 'Alias (*) without an anchor (&)', allowed: QUOTE })
    },
    Map(_key, { items }) {
      // `{ EUR: 1,08 }` has the keys EUR and 08.
      const at = items.findIndex(({ key, value }) => value === null && isScalar(key) && /^\d+$/.test(String(key.value)))
      const before = items[at - 1]?.value
      if (isScalar(before) && typeof before.value === 'number')
        found.push({ offset: startOf(before) ?? 0, found: 'Decimal comma', allowed: 'a decimal point, as in 1.08' })
    },
  })
  const { contents } = document
  if (isScalar(contents) && contents.value !== null)
    found.push({ offset: contents.range[0], found: 'Text without a key', allowed: LAYOUT })
  return found
}

/** Other messages end with such a part, which may be a secret: `Not a YAML token: …`, `Invalid escape sequence \…`. */
const withoutValue = (message: string) => message.replace(/((?<=\S)[:;]|\s\\).*$/s, '')

/** The offset of the deepest existing part of the path. */
function offsetOf({ contents }: Document.Parsed, path: Path): number | null {
  let node: unknown = contents
  let offset = startOf(contents)
  for (const step of path) {
    const item: unknown = isCollection(node)
      ? node.items.find((item, index) => (isPair(item) ? keyOf(item.key) : index) === step)
      : undefined
    if (item === undefined) break
    offset = startOf(isPair(item) ? item.key : item) ?? offset
    node = isPair(item) ? item.value : item
  }
  return offset
}

const keyOf = (key: unknown) => (isScalar(key) ? key.value : key)
const startOf = (part: unknown): number | null => (isNode(part) ? (part.range?.[0] ?? null) : null)
