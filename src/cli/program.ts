import { Command, CommanderError, Option } from 'commander'
import { LOG_LEVELS, type LogLevel } from '../config.js'
import { VERSION } from '../version.js'
import type { Cli, GlobalOptions } from './cli-context.js'
import { commands } from './commands/index.js'
import { exitStatusFor, formatError, isUserFacing } from './error-message.js'
import type { Io } from './process-io.js'

/**
 * Runs one command line.
 * @param args what follows the program's name
 * @returns the exit status: 0 done, 1 failed or partly failed, 2 wrong usage or configuration (interfaces.md §1)
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

export const createCli = (io: Io): Cli => ({ io, globals: {}, status: 0, scrub: (text) => text })

/** Tells on stderr what went wrong, without secrets; with the stack only where details are wanted. */
export function printError(cli: Cli, error: unknown): void {
  const { stop } = cli.io
  // Once the end was asked for, whatever breaks off broke off for that.
  const consequence = stop.aborted && !(error instanceof Error && isUserFacing(error))
  cli.io.err(cli.scrub(formatError(consequence ? stop.reason : error, isDebugging(cli))))
}

/**
 * The program, not yet run.
 * @param wanted which commands to load; the others are only listed, so that help comes at once
 */
export async function buildProgram(cli: Cli, wanted: (name: string) => boolean): Promise<Command> {
  const program = configureCommand(new Command('quotekeeper'), cli.io)
    .description('Keeps what an RFQ desk sees on its marketplace, closes RFQs past their due date, compares offers.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('-c, --config <file>', 'configuration file (default: $QUOTEKEEPER_CONFIG, else ./quotekeeper.yaml)')
    .addOption(new Option('--log-level <level>', `how much is logged: ${LOG_LEVELS.join(', ')}`).choices(LOG_LEVELS))
    .helpCommand('help [command]', 'show help of a command')
    .showHelpAfterError('(--help shows what there is)')
    .addHelpText('after', OVERVIEW)
    .hook('preAction', (top) => void Object.assign(cli.globals, globalOptionsOf(top)))
  for (const { name, description, load } of commands) {
    const command = configureCommand(program.command(name), cli.io).description(description)
    if (wanted(name)) (await load()).register(command, cli)
  }
  return program
}

const OVERVIEW = `
Begin here:
  $ quotekeeper demo                      see the whole job done on a marketplace of its own
  $ quotekeeper init                      write a configuration to begin with
  $ quotekeeper check                     try the configuration against the marketplace
  $ quotekeeper start                     run the service`

function configureCommand(command: Command, io: Io): Command {
  return command
    .exitOverride()
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(text.replace(/^error:/, 'quotekeeper:')),
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

function globalOptionsOf(program: Command): GlobalOptions {
  const { config, logLevel } = program.opts<{ config?: string; logLevel?: LogLevel }>()
  return { ...(config === undefined ? {} : { config }), ...(logLevel === undefined ? {} : { logLevel }) }
}

const isDebugging = ({ globals, io }: Cli) =>
  ['debug', 'trace'].includes(globals.logLevel ?? io.env.QUOTEKEEPER_LOG_LEVEL ?? '')
