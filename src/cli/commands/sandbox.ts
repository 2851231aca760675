import { resolve } from 'node:path'
import type { Sandbox, SandboxOptions } from '../../sandbox/index.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { wholeNumber, withExamples } from '../options.js'
import { formatMinute } from '../output.js'
import { sanitize } from '../terminal-text.js'
import { untilStopped } from '../until-stopped.js'

interface Options {
  port: number
  seed: number
  state?: string
}

/** How often things may happen, in real milliseconds. */
const TICK = 1000

/** `sandbox`: a local marketplace that serves the whole API. */
export const register: RegisterCommand = (command, cli) => {
  command
    .option(
      '--port <number>',
      'port to listen on, on this machine only; 0 for any free one',
      wholeNumber(0, 65_535),
      4700,
    )
    .option('--seed <number>', 'equal seeds make equal marketplaces', wholeNumber(0, 2_147_483_647), 1)
    .option('--state <file>', 'keep its state in this file, and go on from it')
    .action((options: Options) => serve(cli, options))
  withExamples(
    command,
    ['quotekeeper sandbox', 'serve until Ctrl-C; prints its address, its keys and a configuration for it'],
    ['quotekeeper sandbox --seed 42 --state ./market.json', 'another marketplace, which goes on where it was left'],
  )
}

async function serve(cli: Cli, { port, seed, state }: Options): Promise<void> {
  const { io } = cli
  const options: SandboxOptions = {
    port,
    seed,
    now: io.now,
    keepRequests: 1000,
    live: { everyMs: TICK },
    onEvent: ({ at, channel, text }) =>
      io.err(`${formatMinute(at.toISOString())}  ${sanitize(channel)}  ${sanitize(text)}\n`),
    onError: (error) => io.err(`quotekeeper: ${error.message}\n`),
    ...(state === undefined ? {} : { stateFile: resolve(io.cwd, state) }),
  }
  const { startSandbox, describeWorld } = await import('../../sandbox/index.js')
  const sandbox = await startSandbox(options)
  try {
    io.out(introduction(sandbox, describeWorld(sandbox.world)))
    await untilStopped(io.stop)
  } finally {
    await sandbox.close()
  }
}

/** Its address, what is in it, and a configuration that fits. These keys open nothing but this sandbox. */
function introduction({ url, keys, world }: Sandbox, description: string): string {
  const channels = world.channels.map(
    ({ org, channel }) => `  - { org: ${org}, channel: ${channel}, apiKey: { env: ${keyName(org)} }, autoClose: on }`,
  )
  const variables = Object.entries(keys).map(([org, key]) => `${keyName(org)}=${key}`)
  return `${description}

Serving at ${url} until Ctrl-C. To use it, put this into quotekeeper.yaml:

baseUrl: ${url}
channels:
${channels.join('\n')}

and this into .env beside it:

${variables.join('\n')}

`
}

const keyName = (org: string) => `${org.toUpperCase().replace(/\W/g, '_')}_API_KEY`
