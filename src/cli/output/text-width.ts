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

/** Breaks text at spaces into lines of at most `width` columns. A longer word keeps its own line. */
export const wrap = (text: string, width: number): string[] => (text === '' ? [] : wrapAnsi(text, width).split('\n'))
