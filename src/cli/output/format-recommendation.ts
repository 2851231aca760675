import type { Io } from '../process/process-io.js'
import { sanitize } from './terminal-text.js'
import { wrap } from './text-width.js'

/** The lines of a recommendation, wrapped to the terminal with a hanging indent. */
export function formatRecommendation(lines: readonly string[], width: Io['width']): string {
  return lines
    .flatMap((line) => hanging(sanitize(line), width))
    .map((line) => `${line}\n`)
    .join('')
}

const INDENT = '  '

function hanging(line: string, width: Io['width']): string[] {
  if (width === null) return [line]
  return wrap(line, Math.max(20, width - INDENT.length)).map((part, at) => (at === 0 ? part : `${INDENT}${part}`))
}
