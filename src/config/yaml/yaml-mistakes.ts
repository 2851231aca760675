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
    if (!error) return firstOfEachLine([...mistakes, ...findContentMistakes(source)])
    const { mistake, repaired } = diagnose(error, source)
    if (mistakes.some(({ line }) => line >= mistake.line)) return mistakes // It has the same cause.
    mistakes.push(mistake)
    if (repaired === null) return mistakes
    current = repaired
  }
  return mistakes
}

/** One mistake for each line, in their order: a second one in the same line often has the same cause. */
function firstOfEachLine(mistakes: readonly YamlMistake[]): YamlMistake[] {
  const byLine = new Map<number, YamlMistake>()
  for (const mistake of mistakes) if (!byLine.has(mistake.line)) byLine.set(mistake.line, mistake)
  return [...byLine.values()].sort((a, b) => a.line - b.line)
}
