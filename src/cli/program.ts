import { Command, CommanderError, Option } from 'commander'
import { LOG_LEVELS } from '../config/log-levels.js'
import { REMOVED } from '../config/removed.js'
import { isUserFacing } from '../core/user-facing-error.js'
import { escapeInvisible } from '../tables/print/terminal-text.js'
import { VERSION } from '../version.js'
import type { Cli, GlobalOptions } from './cli-context.js'
import { commandGroups, commands } from './commands/index.js'
import { exitStatusFor, formatError } from './output/error-message.js'
import type { Io } from './process/process-io.js'

/**
 * Runs one command line.
 * @param args the arguments after the program's name
 * @returns the exit status: 0 done, 1 failed in whole or in part, 2 wrong usage or configuration
 */
export async function run(args: readonly string[], io: Io, cli: Cli = createCli(io)): Promise<number> {
  try {
    const program = await buildProgram(cli, (name) => args.includes(name))
    await program.parseAsync(args, { from: 'user' })
    return cli.status
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    printError(cli, error)
    return exitStatusFor(error)
  }
}

export const createCli = (io: Io): Cli => ({ io, globals: {}, status: 0, scrub: (text) => text, run })

/** Prints an error on stderr without secrets; with its stack at log level debug. */
export function printError(cli: Cli, error: unknown): void {
  const { stop } = cli.io
  // After a signal, an error that is not ours is a consequence of stopping.
  const dueToStop = stop.aborted && !isUserFacing(error)
  const text = formatError(dueToStop ? stop.reason : error, isDebugging(cli))
  // Messages quote arguments, paths and values of the configuration.
  cli.io.err(escapeInvisible(cli.scrub(text)))
}

/**
 * Builds the program without running it.
 * @param isNeeded which commands to load; the others only appear in the help, so that the program starts fast
 */
export async function buildProgram(cli: Cli, isNeeded: (name: string) => boolean): Promise<Command> {
  const program = configureCommand(new Command('quotekeeper'), cli)
    .description(
      'Polls RFQ channels of a marketplace, keeps every version, closes RFQs past their due date and compares offers.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .option('-c, --config <file>', 'configuration file (default: $QUOTEKEEPER_CONFIG, or else ./quotekeeper.yaml)')
    .addOption(
      new Option(
        '--log-level <level>',
        `least severe level to log: ${LOG_LEVELS.join(', ')} (default: info for start and work, else warn)`,
      ).choices(LOG_LEVELS),
    )
    .commandsGroup(`${DEFAULT_GROUP}:`)
    .helpCommand('help [command]', 'show the help of a command')
    .showHelpAfterError('(run with --help for usage)')
    .addHelpText('after', OVERVIEW)
    .hook('preAction', (top, command) => {
      Object.assign(cli.globals, top.opts<GlobalOptions>())
      cli.command = command.name()
    })
  for (const [group, entries] of Object.entries(commandGroups)) {
    for (const entry of entries) {
      const command = configureCommand(program.command(entry.name), cli).description(entry.description)
      command.helpGroup(`${group}:`)
      if (isNeeded(entry.name)) (await entry.load())(command, cli)
    }
  }
  return program
}

/** Of `help`. */
const DEFAULT_GROUP: keyof typeof commandGroups = 'Operation'

const OVERVIEW = `
Getting started:
  $ quotekeeper demo   try everything out on a sample marketplace
  $ quotekeeper init   write a configuration file to edit
  $ quotekeeper check  test the configuration and the connections
  $ quotekeeper start  run the service`

function configureCommand(command: Command, { io }: Cli): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) =>
        write(escapeInvisible((removalIn(text) ?? text).replace(/^error:/, 'quotekeeper:'))),
      getOutHelpWidth: () => Math.min(io.width ?? 100, 100),
      getErrHelpWidth: () => 100,
      getOutHasColors: () => io.colour.out,
      getErrHasColors: () => io.colour.err,
    })
    .configureHelp({
      showGlobalOptions: true,
      styleTitle: (text) => `\u001b[1m${text}\u001b[22m`,
      subcommandTerm: (each) => [each.name(), commands.find(({ name }) => name === each.name())?.args ?? ''].join(' '),
      optionDescription: ({ description }) => description,
    })
}

/** The answer to an error about a command or an option that was removed; null for other errors. */
function removalIn(error: string): string | null {
  const [, kind, name = ''] = /^error: unknown (command|option) '([^'=]+)/.exec(error) ?? []
  const instead = REMOVED[kind === 'command' ? 'command' : 'option'][name]
  return instead ? `error: the ${kind} ${name} was removed: ${instead}\n` : null
}

const isDebugging = ({ globals, io }: Cli) =>
  ['debug', 'trace'].includes(globals.logLevel ?? io.env.QUOTEKEEPER_LOG_LEVEL ?? '')
