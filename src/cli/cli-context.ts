import type { Command } from 'commander'
import type { LogLevel } from '../config.js'
import type { Io } from './process-io.js'

/** The options that stand before any command. */
export interface GlobalOptions {
  config?: string
  logLevel?: LogLevel
}

/** One run of the program: what commands share. */
export interface Cli {
  readonly io: Io
  readonly globals: GlobalOptions
  /** Exit status of a command that ends without throwing. */
  status: 0 | 1
  /** Takes secrets out of text; knows them once the configuration is read. */
  scrub: (text: string) => string
}

/** Gives a command its options, its action and its examples; each file in commands/ holds one. */
export type RegisterCommand = (command: Command, cli: Cli) => void
