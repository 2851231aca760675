import { isNode, LineCounter, parseDocument } from 'yaml'
import type { ConfigIssue } from './config-error.js'

export type Path = readonly (string | number)[]

/** A parsed YAML file with the line of each part. */
interface ConfigDocument {
  value: unknown
  /** The line of the value at a path, or of the nearest part that exists, counted from 1; null for an empty file. */
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
  const lineOf = (path: Path): number | null => {
    const node = document.getIn(path, true)
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line
    return path.length === 0 ? null : lineOf(path.slice(0, -1))
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
