import { isCollection, isNode, isPair, isScalar, LineCounter, parseDocument } from 'yaml'
import type { ConfigIssue } from './config-error.js'

export type Path = readonly (string | number)[]

/** A parsed YAML file with the line of each part. */
interface ConfigDocument {
  value: unknown
  /** The line of a key (or of its nearest existing parent), counted from 1; null for an empty file. */
  lineOf(path: Path): number | null
  /** Errors in the YAML, at most one for each line. */
  issues: ConfigIssue[]
}

const LAYOUT =
  'Expected "key: value" with a space after the colon, each key once, keys of a section indented alike with spaces, quotes and ' +
  'brackets closed, and quotes around a value that begins with one of @ ` % * & ! | > or contains ": " or a backslash'

/**
 * Parses YAML 1.2 and keeps line numbers. Errors name the kind of mistake only: messages of the parser quote the file,
 * which may contain a secret.
 * @param text content of the file
 * @param file its name in error messages
 */
export function readDocument(text: string, file: string): ConfigDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true })
  const lineOf = (path: Path) => {
    const offset = offsetOf(document.contents, path)
    return offset === null ? null : lines.linePos(offset).line
  }
  const errors = [...document.errors, ...document.warnings].sort((one, other) => one.pos[0] - other.pos[0])
  const byLine = new Map<number, ConfigIssue>()
  for (const { code, pos } of errors) {
    const { line, col } = lines.linePos(pos[0])
    const message = `Invalid YAML at column ${col} (${code.toLowerCase().replaceAll('_', ' ')}). ${LAYOUT}`
    if (!byLine.has(line)) byLine.set(line, { file, line, key: '', message })
  }
  if (byLine.size > 0) return { value: undefined, lineOf, issues: [...byLine.values()] }
  try {
    return { value: document.toJS(), lineOf, issues: [] }
  } catch {
    const message = 'Invalid YAML: an alias (*) of nothing, or aliases that repeat too much'
    return { value: undefined, lineOf, issues: [{ file, line: null, key: '', message }] }
  }
}

/** The offset of the deepest existing part of the path. */
function offsetOf(contents: unknown, path: Path): number | null {
  let node = contents
  let offset = startOf(contents)
  for (const step of path) {
    const item: unknown = isCollection(node)
      ? node.items.find((each, index) => (isPair(each) ? keyOf(each.key) : index) === step)
      : undefined
    if (item === undefined) break
    offset = startOf(isPair(item) ? item.key : item) ?? offset
    node = isPair(item) ? item.value : item
  }
  return offset
}

const keyOf = (key: unknown) => (isScalar(key) ? key.value : key)
const startOf = (part: unknown): number | null => (isNode(part) ? (part.range?.[0] ?? null) : null)
