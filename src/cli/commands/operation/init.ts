import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { exampleConfig, exampleEnv, keyVariable } from '../../../config/example.js'
import * as values from '../../../config/values.js'
import { makeFolder } from '../../../make-folder.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import { FailedError } from '../../cli-error.js'
import { withExamples } from '../../input/options.js'
import type { Prompt } from '../../input/prompt.js'

/** `init`: writes a configuration: on a terminal with the answers to a few questions, otherwise an example. */
export const register: RegisterCommand = (command, cli) => {
  command.action(() => init(cli))
  withExamples(command, ['quotekeeper init', 'answer its questions; or, in a script, edit quotekeeper.yaml and .env'])
}

async function init(cli: Cli): Promise<void> {
  const { io, globals } = cli
  const config = resolve(io.cwd, globals.config ?? (io.env.QUOTEKEEPER_CONFIG || 'quotekeeper.yaml'))
  const isExample = io.prompt === null
  const env = join(dirname(config), isExample ? '.env.example' : '.env')
  if (existsSync(config)) throw new FailedError(`${config} already exists and was not changed`)
  // Nothing is written before the last answer.
  const answers = io.prompt === null ? null : await ask(io.prompt, (text) => io.err(`${text}\n`))
  makeFolder(dirname(config))
  await writeNew(config, answers === null ? exampleConfig() : configText(answers))
  io.out(`${config}\n`)
  const keyText = answers === null ? exampleEnv() : envText(answers)
  if (await writeNew(env, keyText)) io.out(`${env}\n`)
  else
    io.err(
      `${env} already exists and was not changed${answers === null ? '' : `: set ${keyVariable(answers.org)} there`}.\n`,
    )
  io.err(isExample ? editSteps(dirname(config)) : '\nNext:\n  1. Run: quotekeeper check\n  2. Run: quotekeeper sync\n')
}

const editSteps = (folder: string) => `
Next:
  1. Enter the address of your marketplace and your channels in the first file.
  2. Copy .env.example to ${join(folder, '.env')} and enter your API key there.
  3. Run: quotekeeper check
`

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

interface Answers {
  baseUrl: string
  org: string
  channel: string
  /** Empty if the user has none yet. */
  key: string
  autoClose: string
  timeZone: string
}

/** @param note says what is allowed, after an answer that is not */
async function ask(prompt: Prompt, note: (text: string) => void): Promise<Answers> {
  const answer = async <T>(
    question: string,
    schema: z.ZodType<T>,
    { proposal = '', hidden = false } = {},
  ): Promise<T> => {
    const text = await prompt.ask(`${question}${proposal === '' ? '' : ` [${proposal}]`}:`, { hidden })
    const { data, error } = schema.safeParse(text || proposal)
    if (error === undefined) return data
    note(`${error.issues[0]?.message}.`)
    return answer(question, schema, { proposal, hidden })
  }
  const baseUrl = await answer('Address of the marketplace', values.baseUrl())
  const org = await answer('Organization, as in the addresses of the marketplace', values.segment())
  const channel = await answer(`Channel of ${org}`, values.segment())
  const anyText = z.string()
  const key = await answer(`API key of ${org}, which is not shown; empty to enter it in .env later`, anyText, {
    hidden: true,
  })
  const closing = 'Close RFQs that are past due: on, off, or dry-run, which only records what would be closed?'
  const autoClose = await answer(closing, values.autoClose(), { proposal: 'dry-run' })
  const here = new Intl.DateTimeFormat().resolvedOptions().timeZone
  const timeZone = await answer('Time zone in which due dates end', values.timeZone(), { proposal: here })
  return { baseUrl, org, channel, key, autoClose, timeZone }
}

/** The example configuration with the values that the user gave. */
function configText(answers: Answers): string {
  const { baseUrl, org, channel, autoClose, timeZone } = answers
  const replaced = {
    baseUrl: yamlText(baseUrl),
    '- org': yamlText(org),
    channel: yamlText(channel),
    autoClose,
    timeZone,
  }
  const named = exampleConfig().replace('ACME_API_KEY', keyVariable(answers.org))
  return Object.entries(replaced).reduce(
    (text, [key, value]) => text.replace(new RegExp(`^( *${key}: ).*$`, 'm'), (_line, start: string) => start + value),
    named,
  )
}

/** Quotes what YAML would read as something else than this text. */
const yamlText = (text: string): string =>
  /^[A-Za-z][\w./:-]*$/.test(text) && !/^(true|false|null|yes|no|on|off)$/i.test(text) ? text : JSON.stringify(text)

const envText = (answers: Answers): string =>
  `# API keys for quotekeeper.yaml. Keep this file private.\n\n${keyVariable(answers.org)}=${envValue(answers.key)}\n`

const envValue = (text: string) => (/^[\w.+/=-]*$/.test(text) ? text : text.includes("'") ? `"${text}"` : `'${text}'`)
