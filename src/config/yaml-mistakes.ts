import { findContentMistakes } from './yaml-content-mistakes.js'
import { type YamlMistake, YamlSource } from './yaml-source.js'
import { diagnose } from './yaml-syntax-mistakes.js'

/** More mistakes are not listed. */
const MAX_MISTAKES = 20

/**
 * Finds the mistakes in a YAML text. A parser reports several errors for one mistake, often in other lines; so the first
 * one is explained by its line, its value is removed, and the text is parsed again.
 */
export function findYamlMistakes(text: string): YamlMistake[] {
  const mistakes: YamlMistake[] = []
  for (let current = text; mistakes.length < MAX_MISTAKES; ) {
    const source = new YamlSource(current)
    const [error] = source.syntaxErrors
    if (!error) return [...mistakes, ...findContentMistakes(source)].sort((a, b) => a.line - b.line)
    const { mistake, repaired } = diagnose(error, source)
    if (mistakes.some(({ line }) => line >= mistake.line)) return mistakes // It has the same cause.
    mistakes.push(mistake)
    if (repaired === null) return mistakes
    current = repaired
  }
  return mistakes
}
