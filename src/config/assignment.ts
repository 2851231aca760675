import { parse } from 'yaml'
import { isRecord, type ValueOrigin } from './environment.js'
import type { Path } from './yaml-document.js'

/** The section whose keys may be given another value for one command. */
const SECTION = 'reports'

interface Assignment {
  /** As it was written, such as `weights.price`. */
  key: string
  path: Path
  value: unknown
}

/**
 * Puts values given on the command line in the place of keys under `reports:`, and says which of them stands for a path.
 * @param value the file as read
 * @param texts `KEY=VALUE` each, the key with dots, the value as it would stand in the file; the last of a key counts
 */
export function applyAssignments(value: unknown, texts: readonly string[]) {
  const assignments = texts.map(assignmentOf)
  const assigned = isRecord(value) ? assignments.reduce<unknown>(withAssignment, value) : value
  const placeOf = (path: Path): ValueOrigin | null => {
    const found = assignments.findLast((one) => path.length > 1 && alike(one.path, path))
    return found ? { file: 'command line', line: null, key: `--set ${found.key}` } : null
  }
  return { value: assigned, placeOf }
}

function assignmentOf(text: string): Assignment {
  const [key = '', ...rest] = text.split('=')
  return { key, path: [SECTION, ...key.split('.')], value: yamlOf(rest.join('=')) }
}

/** What is no YAML is text, and then told as what it is: text where something else was wanted. */
function yamlOf(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}

const withAssignment = (value: unknown, { path, value: wanted }: Assignment) => replaced(value, path, wanted)

function replaced(value: unknown, [step, ...rest]: Path, wanted: unknown): unknown {
  if (step === undefined) return wanted
  const record = isRecord(value) ? value : {}
  return { ...record, [step]: replaced(record[step], rest, wanted) }
}

/** Whether one of them is within the other: a whole section may be wrong because of one of its keys. */
const alike = (one: Path, other: Path) => one.every((step, index) => index >= other.length || step === other[index])
