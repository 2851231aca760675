import { sanitize } from '../../tables/print/terminal-text.js'
import { truncate, wrap } from '../../tables/print/text-width.js'
import { bold, formatMinute } from '../output/output.js'
import type { Io } from '../process/process-io.js'

/** Widest line of prose, in columns. */
const MAX_WIDTH = 96

/** Prints the output of the demo: sections with a paragraph each, facts, and a log of events. */
export class DemoOutput {
  readonly #io: Io
  readonly #width: number
  constructor(io: Io) {
    this.#io = io
    this.#width = Math.min(io.width ?? MAX_WIDTH, MAX_WIDTH)
  }

  /** Prints a heading and a paragraph. */
  section(heading: string, prose: string): void {
    this.#io.out(`\n${bold(this.#io, heading)}\n`)
    for (const line of wrap(prose, this.#width)) this.#io.out(`${line}\n`)
  }

  /** Prints names and values in two columns; long values continue on the next line. */
  facts(facts: readonly (readonly [name: string, value: string])[]): void {
    const indent = Math.max(...facts.map(([name]) => name.length)) + 4
    this.#io.out('\n')
    for (const [name, value] of facts) {
      // wrap() never breaks a word, so paths can be copied.
      const lines = wrap(sanitize(value), Math.max(20, this.#width - indent))
      this.#io.out(`  ${name.padEnd(indent - 2)}${lines.join(`\n${' '.repeat(indent)}`)}\n`)
    }
  }

  /** Prints lines exactly as given, after an empty line. */
  lines(lines: readonly string[]): void {
    this.#io.out(`\n${lines.map((line) => `${line}\n`).join('')}`)
  }

  /** Prints one line about an event, cut to the width of the terminal. */
  event(at: Date, source: string, text: string): void {
    const line = `${formatMinute(at.toISOString())}  ${source.padEnd(11)} ${sanitize(text)}`
    this.#io.out(`${this.#io.width === null ? line : truncate(line, this.#io.width)}\n`)
  }
}
