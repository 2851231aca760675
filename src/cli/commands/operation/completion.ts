import { Argument, type Command, Option } from 'commander'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import { withExamples } from '../../input/options.js'

/** Shells call this with the command line in $COMP_LINE. Where it prints nothing, they complete names of files. */
const COMPLETE = 'quotekeeper completion --complete'

const BASH = `complete -o default -C '${COMPLETE} --' quotekeeper`
const SCRIPTS: Record<string, string> = {
  bash: BASH,
  zsh: `autoload -U +X bashcompinit && bashcompinit\n${BASH}`,
  fish: `complete -c quotekeeper -f -a '(COMP_LINE=(commandline -cp) ${COMPLETE}; or __fish_complete_path (commandline -ct))'`,
}
const SHELLS = Object.keys(SCRIPTS).join(', ')

/** `completion SHELL`: prints a completion script. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addArgument(new Argument('[shell]', `the shell: ${SHELLS}`))
    .addOption(new Option('--complete', 'print the words that complete $COMP_LINE').hideHelp())
    .allowExcessArguments() // bash adds the words beside the cursor.
    .action((shell: string | undefined, { complete }: { complete?: boolean }) =>
      complete ? printWords(cli, command.parent ?? command) : printScript(cli, shell),
    )
  withExamples(
    command,
    ['quotekeeper completion bash > ~/.local/share/bash-completion/completions/quotekeeper', 'for new shells'],
    ['source <(quotekeeper completion zsh)', 'in ~/.zshrc, after compinit'],
    ['quotekeeper completion fish | source', 'in ~/.config/fish/config.fish'],
  )
}

function printScript({ io }: Cli, shell: string | undefined): void {
  const script = SCRIPTS[shell ?? '']
  if (script === undefined) throw new UsageError(`name the shell: ${SHELLS}`)
  io.out(`${script}\n`)
}

async function printWords(cli: Cli, program: Command): Promise<void> {
  const { COMP_LINE: line = '', COMP_POINT: point } = cli.io.env
  const words = line.slice(0, point ? Number(point) : undefined).split(/\s+/)
  const current = words.pop() ?? ''
  const candidates = await candidatesAfter(words.slice(1), program, cli)
  const fitting = candidates.filter((word) => word.startsWith(current))
  cli.io.out(fitting.map((word) => `${word}\n`).join(''))
  if (fitting.length === 0) cli.status = 1
}

/** What can follow some words; empty for text and names of files. */
async function candidatesAfter(words: readonly string[], program: Command, cli: Cli): Promise<string[]> {
  const command = commandIn(words, program)
  const option = [...command.options, ...program.options].find(isNamed(words.at(-1)))
  if (option?.long === '--channel') return channelsOf(cli)
  if (option?.required) return option.argChoices ?? []
  const help = program.createHelp()
  const names =
    command === program || command.name() === 'help' ? help.visibleCommands(program).map((each) => each.name()) : []
  return [...names, ...help.visibleOptions(command).map(({ long, flags }) => long ?? flags)]
}

const isNamed =
  (word = '') =>
  ({ long, short }: Option) =>
    word === long || word === short

/** The command that words name, after global options and their values; the program if they name none. */
function commandIn(words: readonly string[], program: Command): Command {
  const name = words.find((word, at) => {
    const before = program.options.find(isNamed(words[at - 1]))
    return !word.startsWith('-') && !before?.required
  })
  const help = program.createHelp()
  return (
    help.visibleCommands(program).find((each) => each.name() === name || each.aliases().includes(name ?? '')) ?? program
  )
}

/** The channels of the configuration; none if it cannot be read. */
async function channelsOf({ io, globals }: Cli): Promise<string[]> {
  const { loadConfig } = await import('../../../config/load.js')
  try {
    const config = loadConfig({ file: globals.config, env: io.env, cwd: io.cwd, secrets: 'if-set' })
    return config.channels.map(({ key }) => key)
  } catch {
    return []
  }
}
