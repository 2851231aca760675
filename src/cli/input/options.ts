import { userInfo } from 'node:os'
import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { SETTING_LIMITS } from '../../core/decision/settings.js'
import { MAX_NAME_LENGTH, nameProblem } from '../../core/text/clean-text.js'
import { didYouMean } from '../../core/text/suggest.js'

/** What the options that commands share are parsed to. */
export interface SharedOptions {
  channel?: string
  asOf?: string
  set?: string[]
  volume?: number
  by?: string
  json?: boolean
}

/** The parser of an option that can be given once: of a second one, commander would forget the first. */
export function onlyOnce(text: string, before: string | undefined): string {
  if (before === undefined) return text
  throw new InvalidArgumentError('It can be given once only.')
}

export const channelOption = () =>
  new Option('--channel <org/slug>', 'only this channel: org/slug, or the slug alone').argParser(onlyOnce)

export const channelsOption = () =>
  new Option('--channel <org/slug>', 'only this channel: org/slug, or the slug alone; can be repeated').argParser(
    (text: string, before: string[] | undefined) => [...(before ?? []), text],
  )

/** The RFQ that a command is about. */
export const rfqArgument = () => new Argument('<rfq>', 'number, reference or id of the RFQ')

export const jsonOption = (what = 'print JSON instead of a table') => new Option('--json', what)

export const csvOption = () => new Option('--csv', 'print comma-separated values with a header')

export const asOfOption = () =>
  new Option(
    '--as-of <time>',
    'the data as it was known then: 2026-01-31 (end of that day), 2026-01-31T12:00Z, yesterday or "2 days ago"',
  )

/** An option that takes one of some values and lists them; an unknown value is answered with the most similar one. */
export const choiceOption = (flags: string, description: string, values: readonly string[]) =>
  new Option(flags, `${description}: ${values.join(', ')}`).choices(values).argParser((text: string) => {
    if (values.includes(text)) return text
    const suggestion = didYouMean(text, values, 'Did you mean')
    throw new InvalidArgumentError(`${suggestion}Allowed choices are ${values.join(', ')}.`)
  })

const ASSIGNMENT = /^[^=\s]+=/

export const setOption = () =>
  new Option(
    '--set <key=value>',
    'override a setting under reports: in the configuration, such as awardTolerance=0; can be repeated',
  ).argParser((text: string, before: string[] | undefined) => {
    if (!ASSIGNMENT.test(text)) throw new InvalidArgumentError('Expected KEY=VALUE, such as awardTolerance=0.')
    return [...(before ?? []), text]
  })

export const volumeOption = () =>
  new Option('--volume <tonnes>', 'award at least so many tonnes; the same as --set volume=TONNES').argParser(
    (text: string) => {
      const volume = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
      const [, max] = SETTING_LIMITS.volume
      if (volume > 0 && volume <= max) return volume
      throw new InvalidArgumentError(`Expected a number of tonnes above 0 and up to ${max}, such as 5000 or 12.5.`)
    },
  )

/** The settings that the options of a command override, as `--set` does. */
export const overridesOf = ({ set = [], volume }: SharedOptions): { set: string[] } => ({
  set: [...set, ...(volume === undefined ? [] : [`volume=${volume}`])],
})

/** Makes a parser for an option that takes a whole number from `min` to `max`. */
export const wholeNumber = (min: number, max: number) => (text: string) => {
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (number >= min && number <= max) return number
  throw new InvalidArgumentError(`Expected a whole number from ${min} to ${max}.`)
}

/** Columns of the help, and of command lines that share them with what they do. */
const HELP_WIDTH = 100
const MAX_EXAMPLE_WIDTH = 60

/** Appends examples to a command's help: a command line each, and what it does, on the next line if it is long. */
export function withExamples(command: Command, ...examples: [commandLine: string, does: string][]): Command {
  const widths = examples.map(([line]) => line.length).filter((length) => length <= MAX_EXAMPLE_WIDTH)
  const width = Math.max(0, ...widths)
  const lines = examples.map(([line, does]) => {
    const both = `  $ ${line.padEnd(width)}  ${does}`
    return both.length <= HELP_WIDTH ? both : `  $ ${line}\n      ${does}`
  })
  return command.addHelpText('after', `\n${examples.length === 1 ? 'Example' : 'Examples'}:\n${lines.join('\n')}`)
}

/** `--by`: the person who does it. */
export const byOption = (who: string) =>
  new Option('--by <name>', `${who}; default: the user of the operating system`).argParser((text: string) => {
    const name = text.trim()
    const problem = nameProblem(name)
    if (problem === null) return name
    throw new InvalidArgumentError(`The name ${problem}; use at most ${MAX_NAME_LENGTH} visible characters.`)
  })

/** The user of the operating system; its number where it has no name, as in containers. */
export function operatorName(): string {
  try {
    return userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`
  }
}
