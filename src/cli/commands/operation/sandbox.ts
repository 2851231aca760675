import { keyVariable } from '../../../config/example.js'
import { cleanLine } from '../../../core/text/clean-text.js'
import { formatMinute } from '../../../core/time/clock.js'
import type { Sandbox } from '../../../sandbox/index.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { wholeNumber, withExamples } from '../../input/options.js'
import { untilStopped } from '../../runs/stop-signals.js'

interface Options {
  port: number
  seed: number
}

/** How often the sandbox advances its events, in real milliseconds. */
const TICK_MS = 1000

/** `sandbox`: runs a local sample marketplace. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option(
      '--port <number>',
      'port to listen on, on loopback (default: 4700; 0: any free port)',
      wholeNumber(0, 65_535),
      4700,
    )
    .option('--seed <number>', 'equal seeds produce equal marketplaces (default: 1)', wholeNumber(0, 2_147_483_647), 1)
    .action((options: Options) => runSandbox(cli, options))
  withExamples(
    command,
    ['quotekeeper sandbox', 'run until Ctrl-C; prints a configuration to use it with'],
    ['quotekeeper sandbox --seed 42', 'another marketplace'],
  )
}

async function runSandbox(cli: Cli, { port, seed }: Options): Promise<void> {
  const { io } = cli
  const { startSandbox, describeWorld } = await import('../../../sandbox/index.js')
  const sandbox = await startSandbox({ port, seed, now: io.now, keepRequests: false })
  const timer = setInterval(() => {
    for (const { at, channel, text } of sandbox.advance(sandbox.now()))
      io.err(`${formatMinute(at.toISOString())} UTC  ${cleanLine(channel)}  ${cleanLine(text)}\n`)
  }, TICK_MS)
  try {
    io.out(introduction(sandbox, describeWorld(sandbox.world)))
    await untilStopped(io.stop)
  } finally {
    clearInterval(timer)
    await sandbox.close()
  }
}

/** What to print at the start: contents, address and configuration. The keys are valid for this sandbox only. */
function introduction({ url, keys, world }: Sandbox, description: string): string {
  const channels = world.channels.map(
    ({ org, channel }) =>
      `  - { org: ${org}, channel: ${channel}, apiKey: { env: ${keyVariable(org)} }, autoClose: on }`,
  )
  const variables = Object.entries(keys).map(([org, key]) => `${keyVariable(org)}=${key}`)
  return `${description}

Listening on ${url}. Press Ctrl-C to stop. To use it, put this in quotekeeper.yaml:

baseUrl: ${url}
channels:
${channels.join('\n')}

and this in .env in the same folder:

${variables.join('\n')}

`
}
