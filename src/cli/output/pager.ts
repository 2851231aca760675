import { spawn } from 'node:child_process'
import type { Environment } from '../../config/environment.js'

/** Shows long text on a terminal, page by page. */
export interface Pager {
  /** Rows of the terminal. */
  rows(): number
  /** Resolves when the user has quit the pager. Without a pager, the text is printed. */
  show(text: string): Promise<void>
}

/** Where a command prints. */
interface Output {
  out(text: string): void
  err(text: string): void
  stop: AbortSignal
}

/**
 * Collects what a command prints instead of printing it.
 * @returns a function that prints it: in the pager if it is longer than the terminal, and then what is not the result
 */
export function collectOutput(io: Output, pager: Pager): () => Promise<void> {
  const { out, err } = io
  const collected = { out: '', err: '' }
  io.out = (text) => {
    collected.out += text
  }
  io.err = (text) => {
    collected.err += text
  }
  return async () => {
    Object.assign(io, { out, err })
    const lines = collected.out.split('\n').length
    if (lines > pager.rows() && !io.stop.aborted) await pager.show(collected.out)
    else io.out(collected.out)
    if (collected.err !== '') io.err(collected.err)
  }
}

/** Like git: $PAGER or less, which prints text that fits the screen and quits, keeps colours, and leaves the text there. */
const DEFAULT_PAGER = 'less'
const LESS_OPTIONS = 'FRX'

/** The pager of a terminal, or null if $PAGER is empty or `cat`, or the terminal cannot move its cursor. */
export function terminalPager(stdout: NodeJS.WriteStream, env: Environment): Pager | null {
  const command = env.PAGER ?? DEFAULT_PAGER
  if (!stdout.isTTY || command.trim() === '' || command === 'cat' || env.TERM === 'dumb') return null
  return {
    rows: () => stdout.rows || 24,
    async show(text) {
      if (!(await runPager(command, text, { LESS: LESS_OPTIONS, ...env }))) stdout.write(text)
    },
  }
}

/** @returns false if there is no such program */
async function runPager(command: string, text: string, env: Environment): Promise<boolean> {
  // Ctrl-C is for the pager, which goes on: the command has done its work.
  const listeners = process.listeners('SIGINT')
  const ignore = () => undefined
  process.removeAllListeners('SIGINT').on('SIGINT', ignore)
  try {
    const status = await new Promise<number | null>((resolve) => {
      const pager = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env: { ...env } })
      pager.on('error', () => resolve(NOT_FOUND)).on('close', resolve)
      // The user may quit before the end of the text.
      pager.stdin.on('error', ignore).end(text)
    })
    return status !== NOT_FOUND
  } finally {
    process.off('SIGINT', ignore)
    for (const listener of listeners) process.on('SIGINT', listener)
  }
}

/** The status of a shell that cannot find a program. */
const NOT_FOUND = 127
