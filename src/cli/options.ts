import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Io } from './io.js'
import { parseAsOf } from './moment.js'

/** A channel as written on the command line. */
export interface ChannelOption {
  channel?: string
}
export interface ChannelsOption {
  channel?: string[]
}
export interface JsonOption {
  json?: boolean
}
export interface AsOfOption {
  asOf?: string
}

const CHANNEL = /^[^/\s][^/]*\/[^/]*[^/\s]$|^[^/\s]\/[^/\s]$/

function channelKey(text: string): string {
  if (!CHANNEL.test(text)) throw new InvalidArgumentError('A channel is written ORG/SLUG, such as acme/forest.')
  return text
}

export const channelOption = () =>
  new Option('--channel <org/slug>', 'this channel only').argParser((text: string) => channelKey(text))

export const channelsOption = () =>
  new Option('--channel <org/slug>', 'this channel only; may be given several times').argParser(
    (text: string, before: string[] | undefined) => [...(before ?? []), channelKey(text)],
  )

export const jsonOption = () => new Option('--json', 'one JSON document on stdout instead of a table')

export const asOfOption = () =>
  new Option('--as-of <time>', 'what was known then: 2026-01-31 (the end of that day in UTC) or 2026-01-31T12:00Z')

/** What the store is asked for by `--channel` and `--as-of`. */
export function filterOf({ channel, asOf }: ChannelOption & AsOfOption, io: Io): { channel?: string; asOf?: Date } {
  return {
    ...(channel === undefined ? {} : { channel }),
    ...(asOf === undefined ? {} : { asOf: parseAsOf(asOf, io.now()) }),
  }
}

export const limitOption = (usual: number) =>
  new Option('--limit <number>', 'at most so many rows, newest first')
    .default(usual)
    .argParser(wholeNumber(1, 1_000_000))

/** Makes a parser of whole numbers; the error says what is allowed. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`Allowed: a whole number from ${min} to ${max}.`)
}

/** Ends a command's help with an example, each line a command and what it does. */
export function withExamples(command: Command, ...examples: [commandLine: string, does: string][]): Command {
  const width = Math.max(...examples.map(([line]) => line.length))
  const lines = examples.map(([line, does]) => `  $ ${line.padEnd(width)}  ${does}`)
  return command.addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`)
}
