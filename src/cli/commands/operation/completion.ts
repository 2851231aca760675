import { Argument, type Command } from 'commander'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { UsageError } from '../../cli-error.js'
import { SHELLS, type Shell } from '../../completion-script.js'
import { withExamples } from '../../input/options.js'

/** `completion SHELL`: prints a completion script. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addArgument(new Argument('[shell]', `the shell: ${SHELLS.join(', ')}`).choices(SHELLS))
    .option('--list-channels', 'print the configured channels, one per line; the scripts use this')
    .action((shell: Shell | undefined, { listChannels }: { listChannels?: boolean }) =>
      listChannels ? printChannels(cli) : printScript(cli, command, shell),
    )
  withExamples(
    command,
    ['quotekeeper completion bash > ~/.local/share/bash-completion/completions/quotekeeper', 'for new shells'],
    ['source <(quotekeeper completion zsh)', 'in ~/.zshrc, after compinit'],
    ['quotekeeper completion fish | source', 'in ~/.config/fish/config.fish'],
  )
}

async function printScript({ io }: Cli, command: Command, shell: Shell | undefined): Promise<void> {
  if (shell === undefined) throw new UsageError(`name the shell: ${SHELLS.join(', ')}`)
  const { completionScript } = await import('../../completion-script.js')
  // All commands are loaded for it (program.ts).
  io.out(completionScript(shell, command.parent ?? command))
}

async function printChannels({ io, globals }: Cli): Promise<void> {
  const { loadConfig } = await import('../../../config/load.js')
  const config = loadConfig({ file: globals.config, env: io.env, cwd: io.cwd, secrets: 'if-set' })
  for (const { key } of config.channels) io.out(`${key}\n`)
}
