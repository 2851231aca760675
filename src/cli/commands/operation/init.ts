import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { EXAMPLE_CONFIG, EXAMPLE_ENV } from '../../../config/example.js'
import { makeFolder } from '../../../make-folder.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError } from '../../cli-error.js'
import { withExamples } from '../../input/options.js'
import type { Prompt } from '../../input/prompt.js'
import { printNote } from '../../output/output.js'

/** `init`: writes a configuration: on a terminal with the answers to a few questions, otherwise an example. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() => init(cli))
  withExamples(command, ['quotekeeper init', 'answer its questions; or, in a script, edit quotekeeper.yaml and .env'])
}

async function init(cli: Cli): Promise<void> {
  const { io, globals } = cli
  const config = resolve(io.cwd, globals.config ?? (io.env.QUOTEKEEPER_CONFIG || 'quotekeeper.yaml'))
  if (io.prompt !== null) return initWithQuestions(cli, config, io.prompt)
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
  if (!wroteConfig) throw alreadyExists(config)
  if (!wroteExample) io.err(`${example} already exists and was not changed.\n`)
  io.err(nextSteps(dirname(config)))
}

const alreadyExists = (path: string) => new FailedError(`${path} already exists and was not changed`)

/** Nothing is written before the last answer. */
async function initWithQuestions(cli: Cli, config: string, prompt: Prompt): Promise<void> {
  const { io } = cli
  const [{ existsSync }, { askForValues }, { configText, envText, keyVariable }, { checkKeys }] = await Promise.all([
    import('node:fs'),
    import('../../init/init-values.js'),
    import('../../init/config-text.js'),
    import('../../init/check-keys.js'),
  ])
  if (existsSync(config)) throw alreadyExists(config)
  const note = (text: string) => printNote(cli, text)
  const values = await askForValues(prompt, note)
  await checkKeys(cli, values, note)
  makeFolder(dirname(config))
  if (!(await writeNew(config, configText(values)))) throw alreadyExists(config)
  io.out(`${config}\n`)
  const env = join(dirname(config), '.env')
  if (await writeNew(env, envText(values))) io.out(`${env}\n`)
  else {
    const variables = [...new Set(values.channels.map(({ org }) => keyVariable(org)))]
    note(`${env} already exists and was not changed: set ${variables.join(', ')} there.`)
  }
  io.err('\nNext:\n  1. Run: quotekeeper check\n  2. Run: quotekeeper sync\n  3. Run: quotekeeper today\n')
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
