import { parse } from 'yaml'
import { isRecord, type ValueOrigin } from './environment.js'
import type { Path } from './yaml-document.js'

/** The section whose keys a command may override. */
const SECTION = 'reports'

interface Assignment {
  /** As written, such as `requirements.priceMax`. */
  key: string
  path: Path
  value: unknown
}

/**
 * Overrides keys under `reports:` with values from the command line.
 * @param value the parsed file
 * @param texts `KEY=VALUE` each, with a dotted key and a YAML value; the last one for a key wins
 * @returns the new value, and a function that finds the option behind a path
 */
export function applyAssignments(value: unknown, texts: readonly string[]) {
  const assignments = texts.map(parseAssignment)
  const assigned = isRecord(value) ? assignments.reduce<unknown>(assign, value) : value
  const originOf = (path: Path): ValueOrigin | null => {
    const found = assignments.findLast((assignment) => path.length > 1 && overlap(assignment.path, path))
    return found ? { file: 'command line', line: null, key: `--set ${found.key}` } : null
  }
  return { value: assigned, originOf }
}

function parseAssignment(text: string): Assignment {
  const [key = '', ...rest] = text.split('=')
  return { key, path: [SECTION, ...key.split('.')], value: parseValue(rest.join('=')) }
}

/** Invalid YAML is kept as text, which validation then rejects with a clear message. */
function parseValue(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return text
  }
}

const assign = (value: unknown, { path, value: newValue }: Assignment) => replaceAt(value, path, newValue)

/** Setting one exchange rate keeps the source of the others. */
const RATES_KEY = 'exchangeRates'

function replaceAt(value: unknown, [step, ...rest]: Path, newValue: unknown): unknown {
  if (step === undefined) return newValue
  const record = isRecord(value) ? value : {}
  const inner = record[step]
  const isSource = step === RATES_KEY && rest.length > 0 && typeof inner === 'string'
  return { ...record, [step]: replaceAt(isSource ? { from: inner } : inner, rest, newValue) }
}

/** Whether one path contains the other: a whole section may be invalid because of one of its keys. */
const overlap = (one: Path, other: Path) => one.every((step, index) => index >= other.length || step === other[index])
