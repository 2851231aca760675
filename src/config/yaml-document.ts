import { isCollection, isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import type { ConfigIssue } from './config-error.js'

export type Path = readonly (string | number)[]

/** A YAML file as read: its value, and where each part of it stands. */
export interface ConfigDocument {
  value: unknown
  /** The line of a key (or of what holds it), counted from 1; null for an empty file. */
  lineOf(path: Path): number | null
  /** What is wrong with the text as YAML. */
  issues: ConfigIssue[]
}

/**
 * Reads YAML 1.2 and remembers the lines.
 * @param text content of the file
 * @param file how to name it in mistakes
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
  allowed: 'YAML 1.2, each key once',
})

/** Where the deepest part of the path that exists begins. */
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
