import type { Command } from 'commander'
import type { LogLevel } from '../config/log-levels.js'
import type { Io } from './process/process-io.js'

/** The options of the program, which every command accepts. */
export interface GlobalOptions {
  config?: string
  logLevel?: LogLevel
}

/** One run of the program: the state that commands share. */
export interface Cli {
  readonly io: Io
  readonly globals: GlobalOptions
  /** The name of the command that runs. */
  command?: string
  /** Exit status if the command does not throw. */
  status: 0 | 1
  /** Removes secrets from text. Replaces nothing until the configuration has been read. */
  scrub: (text: string) => string
  /** Runs another command line. */
  run: (args: readonly string[], io: Io) => Promise<number>
}

/** Adds options, action and examples to a command. Each file in commands/ exports one. */
export type RegisterCommand = (command: Command, cli: Cli) => void
