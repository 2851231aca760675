import { type Command, InvalidArgumentError, Option } from 'commander'

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
export interface SetOption {
  set?: string[]
}
export interface AsOfOption {
  asOf?: string
}

const CHANNEL = /^[^/\s][^/]*\/[^/]*[^/\s]$|^[^/\s]\/[^/\s]$/

function parseChannelKey(text: string): string {
  if (!CHANNEL.test(text)) throw new InvalidArgumentError('A channel is written ORG/SLUG, such as acme/forest.')
  return text
}

export const channelOption = () =>
  new Option('--channel <org/slug>', 'this channel only').argParser((text: string) => parseChannelKey(text))

export const channelsOption = () =>
  new Option('--channel <org/slug>', 'this channel only; may be given several times').argParser(
    (text: string, before: string[] | undefined) => [...(before ?? []), parseChannelKey(text)],
  )

export const jsonOption = (what = 'one JSON document on stdout instead of a table') => new Option('--json', what)

export const asOfOption = () =>
  new Option('--as-of <time>', 'what was known then: 2026-01-31 (the end of that day in UTC) or 2026-01-31T12:00Z')

const ASSIGNMENT = /^[^=\s]+=/

export const setOption = () =>
  new Option(
    '--set <key=value>',
    'in place of a key under reports: in the configuration; may be given several times',
  ).argParser((text: string, before: string[] | undefined) => {
    if (!ASSIGNMENT.test(text)) throw new InvalidArgumentError('Written KEY=VALUE, such as weights.price=60.')
    return [...(before ?? []), text]
  })

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
