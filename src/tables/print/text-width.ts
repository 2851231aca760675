import stringWidth from 'string-width'
import wrapAnsi from 'wrap-ansi'

/** Shortens text to a width of at least 3 columns, ending in an ellipsis if anything was removed. */
export function truncate(text: string, width: number): string {
  if (stringWidth(text) <= width) return text
  const [kept = ''] = wrapAnsi(text, width - 1, { hard: true, wordWrap: false }).split('\n')
  return `${kept.trimEnd()}…`
}

export const padEnd = (text: string, width: number) => text + ' '.repeat(Math.max(0, width - stringWidth(text)))
export const padStart = (text: string, width: number) => ' '.repeat(Math.max(0, width - stringWidth(text))) + text

/** Stands for a space at which a line is not broken: a private-use character. */
const NO_BREAK = '\uf8ff'
const COMMAND = /`(?:npx |node \S+ )?quotekeeper [^`]*`|`node \S+ [^`]*`/g

/**
 * Breaks text at spaces into lines of at most `width` columns. A longer word has a line of its own. So has a command in
 * backticks, which is never broken, so that it can be copied.
 * @param options.hard breaks longer words too
 */
export function wrap(text: string, width: number, { hard = false } = {}): string[] {
  if (text === '') return []
  const joined = text.replace(COMMAND, (command) => command.replaceAll(' ', NO_BREAK))
  if (joined === text) return wrapAnsi(text, width, { hard }).split('\n')
  return wrapAnsi(joined, width)
    .split('\n')
    .flatMap((line) => (hard && !line.includes(NO_BREAK) ? wrapAnsi(line, width, { hard }).split('\n') : line))
    .map((line) => line.replaceAll(NO_BREAK, ' '))
}
