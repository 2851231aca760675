import { isCollection, isMap, isNode, isPair, isScalar, LineCounter, type Node, parseDocument } from 'yaml'
import type { ConfigIssue } from '../config-error.js'
import { findYamlMistakes } from './yaml-mistakes.js'

export type Path = readonly (string | number)[]

/** A parsed YAML file with the line of each part. */
export interface ConfigDocument {
  value: unknown
  /** The line of a key (or of its nearest existing parent), counted from 1; null for an empty file. */
  lineOf(path: Path): number | null
  /** A scalar as it is written without quotes, such as `0042`; null for anything else. */
  writtenAs(path: Path): string | null
  /** Mistakes in the YAML. */
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
  const issues = findYamlMistakes(text).map((mistake): ConfigIssue => ({ file, ...mistake }))
  const lineOf = (path: Path) => {
    const offset = offsetOf(document.contents, path)
    return offset === null ? null : lineAt(offset)
  }
  const writtenAs = (path: Path) => {
    const node = document.getIn(path, true)
    return isScalar(node) && node.type === 'PLAIN' ? (node.source ?? null) : null
  }
  if (issues.length > 0) return { value: undefined, lineOf, writtenAs, issues }
  try {
    return { value: document.toJS(), lineOf, writtenAs, issues }
  } catch {
    // All aliases have an anchor, so they repeat too much: a few lines would become gigabytes.
    const issue = { file, line: null, key: '', found: 'aliases (*) that repeat too much', allowed: 'the text itself' }
    return { value: undefined, lineOf, writtenAs, issues: [issue] }
  }
}

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
