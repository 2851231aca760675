import { Writable } from 'node:stream'
import { FailedError } from '../cli-error.js'

/** Asks the user questions on a terminal. */
export interface Prompt {
  /**
   * @param question without a trailing space
   * @param options.hidden the answer is not shown, because it is a secret
   * @throws FailedError if the user ends the input
   */
  ask(question: string, options?: { hidden?: boolean }): Promise<string>
}

/** The prompt of a terminal; null if one of the streams is not a terminal. Questions are not the result: they go to stderr. */
export function terminalPrompt(
  { stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>,
  stop: AbortSignal,
): Prompt | null {
  if (!stdin.isTTY || !stderr.isTTY) return null
  return {
    async ask(question, { hidden = false } = {}) {
      // Loaded only to ask, to keep the start fast.
      const { createInterface } = await import('node:readline/promises')
      let isMuted = false
      const output = new Writable({
        write(chunk: Buffer, _encoding, done) {
          if (!isMuted) stderr.write(chunk)
          done()
        },
      })
      const reader = createInterface({ input: stdin, output, terminal: true })
      const ended = new Promise<never>((_resolve, reject) => {
        reader.on('close', () => reject(new FailedError('stopped, because a question was not answered')))
        // The terminal sends Ctrl-C as a character while it reads a line.
        reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      })
      ended.catch(() => undefined)
      try {
        const answer = reader.question(`${question} `, { signal: stop })
        isMuted = hidden
        return (await Promise.race([answer, ended])).trim()
      } finally {
        if (hidden) stderr.write('\n')
        reader.close()
      }
    },
  }
}
