import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute, join, relative, resolve } from 'node:path'
import { quoteForShell } from '../../core/text/quote-for-shell.js'

/** How this process was started. */
interface Invocation {
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
const COMMAND_LINE = /(?<![\w./-]|npx )quotekeeper (?=(--)?([a-z-]+)\b( \(process )?)/g

/** What a command line starts with here. */
interface CommandStart {
  /** What to type to run this program. */
  name: string
  /** The configuration to name; null if it is the one that is read by default. */
  config: string | null
  /** Names of the commands. */
  commands: ReadonlySet<string>
}

/** Replaces `quotekeeper` by what to type here, wherever it begins a command line, or names a process. */
export function withProgramName(text: string, { name, config, commands }: CommandStart): string {
  const withConfig = config === null ? name : `${name} --config ${quoteForShell(config)}`
  return text.replace(
    COMMAND_LINE,
    (found, dashes: string | undefined, word: string, isProcess: string | undefined) => {
      if (dashes === undefined && !commands.has(word)) return found
      return `${dashes !== undefined || isProcess !== undefined ? name : withConfig} `
    },
  )
}

/** The configuration that a command line has to name to read the same one; null if that is the default. */
export function configToName(config: string | undefined, { env, cwd }: Pick<Invocation, 'env' | 'cwd'>): string | null {
  const byDefault = env.QUOTEKEEPER_CONFIG || 'quotekeeper.yaml'
  return config === undefined || resolve(cwd, config) === resolve(cwd, byDefault) ? null : config
}
