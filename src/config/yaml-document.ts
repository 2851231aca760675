import { isCollection, isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import type { ConfigIssue } from './config-error.js'

export type Path = readonly (string | number)[]

/** A parsed YAML file with the line of each part. */
export interface ConfigDocument {
  value: unknown
  /** The line of a key (or of its nearest existing parent), counted from 1; null for an empty file. */
  lineOf(path: Path): number | null
  /** YAML syntax errors. */
  issues: ConfigIssue[]
}

/**
 * Parses YAML 1.2 and keeps line numbers.
 * @param text content of the file
 * @param file its name in error messages
 */
export function readDocument(text: string, file: string): ConfigDocument {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false })
  const lineAt = (offset: number) => lines.linePos(offset).line
  const issues = document.errors.map(({ message, pos }) => syntaxIssue(file, lineAt(pos[0]), message))
  const lineOf = (path: Path) => {
    const offset = offsetOf(document.contents, path)
    return offset === null ? null : lineAt(offset)
  }
  if (issues.length > 0) return { value: undefined, lineOf, issues }
  try {
    return { value: document.toJS(), lineOf, issues }
  } catch (error) {
    return { value: undefined, lineOf, issues: [syntaxIssue(file, null, (error as Error).message)] }
  }
}

const syntaxIssue = (file: string, line: number | null, message: string): ConfigIssue => ({
  file,
  line,
  key: '',
  found: message,
  allowed: 'valid YAML 1.2, each key only once',
})

/** The offset of the deepest existing part of the path. */
function offsetOf(root: Node | null, path: Path): number | null {
  let node: unknown = root
  let offset = root?.range?.[0] ?? null
  for (const step of path) {
    const part = child(node, step)
    if (!part) return offset
    offset = part.offset ?? offset
    node = part.node
  }
  return offset
}

function child(node: unknown, step: string | number): { node: unknown; offset: number | null } | null {
  if (!isCollection(node)) return null
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => (isScalar(key) ? String(key.value) : key) === String(step))
    return pair ? { node: pair.value, offset: startOf(pair.key) } : null
  }
  const item = node.items[Number(step)]
  return item === undefined ? null : { node: isPair(item) ? item.value : item, offset: startOf(item) }
}

const startOf = (part: unknown): number | null => (isNode(part) ? (part.range?.[0] ?? null) : null)
