import { PassThrough, Readable } from 'node:stream'
import type { Io } from '../../src/cli/process/process-io.js'

/** An Io that records what is written to it, and whose pauses end at once. */
export function testIo(overrides: Partial<Io> = {}) {
  const written = { out: '', err: '' }
  const io: Io = {
    out: (text) => {
      written.out += text
    },
    err: (text) => {
      written.err += text
    },
    streams: { stdin: Readable.from([]), stdout: new PassThrough() },
    width: null,
    stderrIsTerminal: false,
    prompt: null,
    colour: { out: false, err: false },
    env: {},
    cwd: process.cwd(),
    now: () => new Date(),
    pause: async () => undefined,
    stop: new AbortController().signal,
    stdoutClosed: () => false,
    programName: 'quotekeeper',
    workerScript: null,
    ...overrides,
  }
  return { io, written }
}
