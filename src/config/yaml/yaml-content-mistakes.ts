import { isScalar, visit } from 'yaml'
import { quoteIt, shownKey, type YamlMistake, type YamlSource } from './yaml-source.js'

/** Mistakes that are correct YAML, but mean something else. */
export function findContentMistakes(source: YamlSource): YamlMistake[] {
  return [...duplicateKeys(source), ...specialValues(source), ...textOnly(source)]
}

function duplicateKeys(source: YamlSource): YamlMistake[] {
  const mistakes: YamlMistake[] = []
  visit(source.document, {
    Map: (_key, { items }) => {
      const lines = new Map<unknown, number>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        const line = source.lineAt(key.range?.[0] ?? 0)
        const first = lines.get(key.value)
        if (first === undefined) lines.set(key.value, line)
        else {
          const found = `a key that its section already has, in line ${first}`
          mistakes.push({
            line,
            key: shownKey(String(key.value)),
            found,
            allowed: 'each key only once; remove one of the two',
          })
        }
      }
    },
  })
  return mistakes
}

function textOnly(source: YamlSource): YamlMistake[] {
  const { contents } = source.document
  if (!isScalar(contents) || contents.value === null) return []
  const line = source.lineAt(contents.range?.[0] ?? 0)
  return [{ line, key: '', ...missingColon(source.line(line)) }]
}

function specialValues(source: YamlSource): YamlMistake[] {
  const found: { offset: number; mistake: (source: YamlSource, offset: number) => YamlMistake }[] = []
  const used = new Set<string>()
  // The offset of a scalar. An anchor of a section that is not used changes nothing.
  const defined = new Map<string, number | null>()
  visit(source.document, {
    Alias: (_key, node) => {
      used.add(node.source)
      if (!defined.has(node.source)) found.push({ offset: node.range?.[0] ?? 0, mistake: beginsWith('*') })
    },
    Node: (_key, node) => {
      const offset = node.range?.[0] ?? 0
      if ('anchor' in node && node.anchor !== undefined) defined.set(node.anchor, isScalar(node) ? offset : null)
      if ('tag' in node && node.tag?.startsWith('!')) found.push({ offset, mistake: beginsWith('!') })
      if (isScalar(node) && typeof node.value === 'string' && node.type === 'PLAIN' && /^[“”„‘’«]/.test(node.value))
        found.push({ offset, mistake: typographicQuotes })
    },
  })
  for (const [name, offset] of defined) {
    if (!used.has(name) && offset !== null) found.push({ offset, mistake: beginsWith('&') })
  }
  return found.map(({ offset, mistake }) => mistake(source, source.valueStart(offset)))
}

/** The mistake of a value that begins with a character that has a meaning in YAML. */
export const beginsWith =
  (character: string) =>
  (source: YamlSource, offset: number): YamlMistake => {
    const key = source.keyBefore(offset)
    return {
      line: source.lineAt(offset),
      key,
      found: `a value that begins with ${character}, which has a meaning in YAML`,
      allowed: quoteIt(key),
    }
  }

function typographicQuotes(source: YamlSource, offset: number): YamlMistake {
  const key = source.keyBefore(offset)
  return { line: source.lineAt(offset), key, found: 'typographic quotes', allowed: 'straight quotes: "…"' }
}

/** A key whose colon is followed by its value at once. */
export const TIGHT_COLON = /^\s*(?:-\s+)*([\w-]+):[^\s]/

/** What is wrong with a line that is no key with its value. */
export function missingColon(line: string): Pick<YamlMistake, 'found' | 'allowed'> {
  if (TIGHT_COLON.test(line))
    return { found: 'no space after the colon', allowed: 'a space between the colon and the value' }
  const allowed = line.includes('=') ? '"key: value", with a colon instead of =' : '"key: value"'
  return { found: 'a line without a colon', allowed }
}
