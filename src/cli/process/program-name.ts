import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative } from 'node:path'
import { quoteForShell } from '../../core/text/quote-for-shell.js'

/** How this process was started. */
export interface Invocation {
  /** `process.argv[1]`. */
  script: string
  env: Readonly<Record<string, string | undefined>>
  cwd: string
}

/**
 * What to type to run this program again: `quotekeeper` if that is on the PATH, `npx quotekeeper` after `npx`, otherwise
 * `node` with the script, relative to the current folder if it is in it.
 */
export function programName({ script, env, cwd }: Invocation): string {
  if (env.npm_lifecycle_event === 'npx') return 'npx quotekeeper'
  // npm adds such folders to the PATH of what it runs only.
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => !/[/\\]node_modules[/\\]\.bin$/.test(folder))
  const target = resolveLinks(script)
  if (target !== null && folders.some((folder) => resolveLinks(join(folder, 'quotekeeper')) === target))
    return 'quotekeeper'
  const fromHere = relative(cwd, script)
  return `node ${quoteForShell(fromHere.startsWith('..') || isAbsolute(fromHere) ? script : fromHere)}`
}

function resolveLinks(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}

/** A command or an option after `quotekeeper`, where that is a word of its own. */
const COMMAND_LINE = /(?<![\w./-])quotekeeper (?=(--)?([a-z-]+)\b)/g

/**
 * Replaces `quotekeeper` by what to type here, wherever it begins a command line.
 * @param commands names of the commands
 */
export const withProgramName = (text: string, name: string, commands: ReadonlySet<string>): string =>
  text.replace(COMMAND_LINE, (found, dashes: string | undefined, word: string) =>
    dashes !== undefined || commands.has(word) ? `${name} ` : found,
  )
