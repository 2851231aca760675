import type { Command, Option } from 'commander'

/** A command as completed: its options, and the values of those that take one of some. */
interface CompletedCommand {
  name: string
  description: string
  options: {
    flag: string
    description: string
    kind: 'switch' | 'file' | 'channel' | 'values' | 'text'
    values: string[]
  }[]
}

const FILE_OPTIONS = /<(file|target)>/

/** Writes completion scripts from the program's commands and options, so that they cannot differ from them. */
export function completionScript(shell: Shell, program: Command): string {
  const global = completed(program)
  const commands = program.commands.map(completed)
  return SCRIPTS[shell](commands, global)
}

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const completed = (command: Command): CompletedCommand => ({
  name: command.name(),
  description: command.description(),
  options: command.options.map((option) => ({
    flag: option.long ?? option.flags,
    description: option.description,
    ...kindOf(option),
  })),
})

function kindOf({ flags, required, argChoices }: Option): Pick<CompletedCommand['options'][number], 'kind' | 'values'> {
  if (!required) return { kind: 'switch', values: [] }
  if (flags.startsWith('--channel ')) return { kind: 'channel', values: [] }
  if (argChoices !== undefined) return { kind: 'values', values: argChoices }
  return { kind: FILE_OPTIONS.test(flags) ? 'file' : 'text', values: [] }
}

/** Prints the channels of the configuration, and nothing if it cannot be read. */
const LIST_CHANNELS = 'quotekeeper completion --list-channels 2>/dev/null'

const valueOptions = (command: CompletedCommand) =>
  command.options.filter(({ kind }) => kind !== 'switch').map(({ flag }) => flag)
const flagsOf = ({ options }: CompletedCommand) => [...options.map(({ flag }) => flag), '--help'].join(' ')
/** Patterns of the commands and options whose value is a file: `report --out`. */
const fileOptions = (commands: readonly CompletedCommand[]) =>
  commands.flatMap(({ name, options }) =>
    options.filter(({ kind }) => kind === 'file').map(({ flag }) => `"${name} ${flag}"`),
  )
const choices = (commands: readonly CompletedCommand[]) =>
  commands.flatMap(({ name, options }) =>
    options.flatMap(({ flag, values }) => (values.length > 0 ? [{ name, flag, values: values.join(' ') }] : [])),
  )

type Writer = (commands: readonly CompletedCommand[], global: CompletedCommand) => string

/** The command that was typed, skipping global options and their values. */
const findCommand = (global: CompletedCommand) => `-c|${valueOptions(global).join('|')}`

const bash: Writer = (
  commands,
  global,
) => `# Completion of quotekeeper for bash. Use it with: source <(quotekeeper completion bash)
_quotekeeper() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= words i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      ${findCommand(global)}) ((i++)) ;;
      -*) ;;
      *) command=\${COMP_WORDS[i]}; break ;;
    esac
  done
  case "$command $prev" in
    *" --channel") COMPREPLY=($(compgen -W "$(${LIST_CHANNELS})" -- "$cur")); return ;;
    ${[...fileOptions(commands), '*" --config"', '*" -c"'].join('|')}) COMPREPLY=($(compgen -f -- "$cur")); return ;;
${choices(commands)
  .map(({ name, flag, values }) => `    "${name} ${flag}") COMPREPLY=($(compgen -W "${values}" -- "$cur")); return ;;`)
  .join('\n')}
${choices([global])
  .map(({ flag, values }) => `    *" ${flag}") COMPREPLY=($(compgen -W "${values}" -- "$cur")); return ;;`)
  .join('\n')}
  esac
  case $command in
    '') words="${commands.map(({ name }) => name).join(' ')} help ${flagsOf(global)}" ;;
    help) words="${commands.map(({ name }) => name).join(' ')}" ;;
${commands.map((command) => `    ${command.name}) words="${flagsOf(command)}" ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _quotekeeper quotekeeper
`

const zshQuote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const zsh: Writer = (commands, global) => `#compdef quotekeeper
# Completion of quotekeeper for zsh. Use it with: source <(quotekeeper completion zsh)
_quotekeeper() {
  local command= i
  local -a commands
  commands=(
${commands.map(({ name, description }) => `    ${zshQuote(`${name}:${description.replaceAll(':', '\\:')}`)}`).join('\n')}
  )
  for ((i = 2; i < CURRENT; i++)); do
    case $words[i] in
      (${findCommand(global)}) ((i++)) ;;
      (-*) ;;
      (*) command=$words[i]; break ;;
    esac
  done
  case "$command $words[CURRENT-1]" in
    (*' --channel') compadd -- \${(f)"$(${LIST_CHANNELS})"}; return ;;
    (${[...fileOptions(commands), '*" --config"', '*" -c"'].join('|')}) _files; return ;;
${choices(commands)
  .map(({ name, flag, values }) => `    ('${name} ${flag}') compadd -- ${values}; return ;;`)
  .join('\n')}
${choices([global])
  .map(({ flag, values }) => `    (*' ${flag}') compadd -- ${values}; return ;;`)
  .join('\n')}
  esac
  case $command in
    ('') _describe command commands; compadd -- ${flagsOf(global)} ;;
    (help) _describe command commands ;;
${commands.map((command) => `    (${command.name}) compadd -- ${flagsOf(command)} ;;`).join('\n')}
  esac
}
compdef _quotekeeper quotekeeper
`

const fishQuote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fishOption(
  { flag, description, kind, values }: CompletedCommand['options'][number],
  condition: string,
): string {
  const arguments_ =
    kind === 'channel'
      ? ` -x -a '(${LIST_CHANNELS})'`
      : kind === 'values'
        ? ` -x -a ${fishQuote(values.join(' '))}`
        : kind === 'file'
          ? ' -r -F'
          : kind === 'text'
            ? ' -x'
            : ''
  return `complete -c quotekeeper ${condition}-l ${flag.replace(/^--/, '')}${arguments_} -d ${fishQuote(description)}`
}

const fish: Writer = (
  commands,
  global,
) => `# Completion of quotekeeper for fish. Use it with: quotekeeper completion fish | source
complete -c quotekeeper -f
${global.options.map((option) => fishOption(option, '')).join('\n')}
${commands
  .map(
    ({ name, description }) =>
      `complete -c quotekeeper -n __fish_use_subcommand -a ${name} -d ${fishQuote(description)}`,
  )
  .join('\n')}
${commands
  .flatMap(({ name, options }) =>
    options.map((option) => fishOption(option, `-n '__fish_seen_subcommand_from ${name}' `)),
  )
  .join('\n')}
`

const SCRIPTS: Record<Shell, Writer> = { bash, zsh, fish }
