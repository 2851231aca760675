import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { EXAMPLE_CONFIG, EXAMPLE_ENV } from '../../config/example.js'
import { makeFolder } from '../../make-folder.js'
import type { Cli, RegisterCommand } from '../cli-context.js'
import { FailedError } from '../cli-error.js'
import { withExamples } from '../options.js'

/** `init`: writes an example configuration. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() => init(cli))
  withExamples(command, ['quotekeeper init', 'then edit quotekeeper.yaml, and copy .env.example to .env'])
}

async function init({ io, globals }: Cli): Promise<void> {
  const config = resolve(io.cwd, globals.config ?? (io.env.QUOTEKEEPER_CONFIG || 'quotekeeper.yaml'))
  const example = join(dirname(config), '.env.example')
  makeFolder(dirname(config))
  const wroteConfig = await writeNew(config, EXAMPLE_CONFIG)
  const wroteExample = await writeNew(example, EXAMPLE_ENV)
  for (const [path, wrote] of [
    [config, wroteConfig],
    [example, wroteExample],
  ] as const) {
    if (wrote) io.out(`${path}\n`)
  }
  if (!wroteConfig) throw new FailedError(`${config} already exists and was not changed`)
  if (!wroteExample) io.err(`${example} already exists and was not changed.\n`)
  io.err(nextSteps(dirname(config)))
}

/** @returns false if the file already exists */
async function writeNew(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const nextSteps = (folder: string) => `
Next:
  1. Enter the address of your marketplace and your channels in the first file.
  2. Copy .env.example to ${join(folder, '.env')} and enter your API key there.
  3. Run: quotekeeper check
`
