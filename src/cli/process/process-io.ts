import { fstatSync, writeSync } from 'node:fs'
import { relative } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Environment } from '../../config/environment.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { Clock } from '../../core/time/clock.js'
import { type Prompt, terminalPrompt } from '../input/prompt.js'

/** Everything a command uses of its process, so that tests can replace it. */
export interface Io {
  /** Writes a result to stdout. Does nothing after the reader has closed the pipe. */
  out(text: string): void
  /** Writes anything that is not the result to stderr: progress, notes, errors. */
  err(text: string): void
  /** The streams of a command that speaks a protocol over them. */
  streams: { stdin: Readable; stdout: Writable }
  /** Columns of the terminal; null if stdout is not a terminal. */
  width: number | null
  stderrIsTerminal: boolean
  /** Asks questions; null if stdin or stderr is not a terminal. */
  prompt: Prompt | null
  /** Whether each stream supports colours. */
  colour: { out: boolean; err: boolean }
  env: Environment
  cwd: string
  now: Clock
  /** Waits, in milliseconds; rejects if it is stopped meanwhile. */
  pause(milliseconds: number): Promise<void>
  /** Aborted by the first SIGINT or SIGTERM. */
  stop: AbortSignal
  /** Whether the reader of stdout has closed the pipe (`| head`). */
  stdoutClosed(): boolean
  /** What to type to run this program again, where it may not be on the PATH: `quotekeeper`, or `node` with its script. */
  programName: string
  /** The script of the workers that do heavy work; null to do it in the main thread. */
  workerScript: URL | null
}

type Stream = NodeJS.WriteStream & { fd: number }

/** The Io of the real process. */
export function processIo(stop: AbortSignal): Io {
  const { stdout, stderr } = process
  const out = writer(stdout)
  const err = writer(stderr)
  return {
    out: out.write,
    err: err.write,
    streams: { stdin: process.stdin, stdout },
    width: stdout.isTTY ? stdout.columns || 80 : null,
    stderrIsTerminal: Boolean(stderr.isTTY),
    prompt: terminalPrompt(process, stop),
    colour: { out: supportsColour(stdout), err: supportsColour(stderr) },
    env: process.env,
    cwd: process.cwd(),
    now: () => new Date(),
    pause: (milliseconds) => wait(milliseconds, undefined, { signal: stop }),
    stop,
    stdoutClosed: out.closed,
    programName: programName(process.argv[1] ?? ''),
    workerScript: new URL('../../pool/worker.js', import.meta.url),
  }
}

/** A closed pipe is not an error: further output is dropped, and work that does more than print continues. */
function writer(stream: Stream) {
  let closed = false
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error
    closed = true
  })
  const write = isFile(stream) ? (text: string) => writeWhole(stream.fd, text) : (text: string) => stream.write(text)
  return { write: (text: string) => void (closed || write(text)), closed: () => closed }
}

function isFile({ fd, isTTY }: Stream): boolean {
  const stat = fstatSync(fd)
  return !isTTY && (stat.isFile() || stat.isCharacterDevice())
}

/** Node hands a file over in one call, and takes no notice of what did not fit on the disk. */
function writeWhole(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written)
}

/** Any non-empty NO_COLOR turns colours off: https://no-color.org */
const supportsColour = (stream: Stream) => Boolean(stream.isTTY) && !process.env.NO_COLOR && process.env.TERM !== 'dumb'

/** A package that is installed for all users links the script as `quotekeeper` on the PATH. */
const programName = (script: string): string =>
  /\.js$|node_modules/.test(script) ? `node ${quoteForShell(relative(process.cwd(), script))}` : 'quotekeeper'
