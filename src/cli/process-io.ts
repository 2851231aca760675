import type { Environment } from '../config/environment.js'
import type { Clock } from '../domain/clock.js'

/** What a command may touch of the process it runs in. */
export interface Io {
  /** Writes a result to stdout. Does nothing once the reader has gone. */
  out(text: string): void
  /** Writes to stderr what is not the result: progress, remarks, errors. */
  err(text: string): void
  /** Columns of the terminal on stdout; null where stdout is none. */
  width: number | null
  /** Whether somebody watches stderr. */
  stderrIsTerminal: boolean
  /** Whether stdout, or stderr, may carry colours. */
  colour: { out: boolean; err: boolean }
  env: Environment
  cwd: string
  now: Clock
  /** Aborted by the first request to end: Ctrl-C or SIGTERM. */
  stop: AbortSignal
  /** Whether the reader of stdout has gone (`| head`): what would be written is wasted. */
  stdoutClosed(): boolean
  /** The compiled script of the thread that reports are made in; null: they are made in this one. */
  reportWorkerScript: URL | null
}

type Stream = NodeJS.WriteStream

/** The real process as an Io. Ends it by itself only where a second Ctrl-C, or the deadline after the first, says so. */
export function processIo(stop: AbortSignal): Io {
  const { stdout, stderr } = process
  const out = writer(stdout)
  const err = writer(stderr)
  return {
    out: out.write,
    err: err.write,
    width: stdout.isTTY ? stdout.columns || 80 : null,
    stderrIsTerminal: Boolean(stderr.isTTY),
    colour: { out: supportsColour(stdout), err: supportsColour(stderr) },
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    stop,
    stdoutClosed: out.gone,
    reportWorkerScript: new URL('../reporting/report-thread.js', import.meta.url),
  }
}

/** A reader that went away is no failure: the rest is dropped, work that does more than print goes on. */
function writer(stream: Stream) {
  let gone = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    gone = true
  })
  return { write: (text: string) => void (gone || stream.write(text)), gone: () => gone }
}

/** https://no-color.org: any value but an empty one means no colours. */
const supportsColour = (stream: Stream) => Boolean(stream.isTTY) && !process.env.NO_COLOR && process.env.TERM !== 'dumb'
