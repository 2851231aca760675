import { z } from 'zod'
import * as values from '../../config/values.js'
import { CURRENCY_CODE } from '../../core/decision/settings.js'
import { isLoopback } from '../../core/requests/loopback.js'
import { ECB_RATES } from '../../rates/rate-source.js'
import { plural } from '../../tables/print/terminal-text.js'
import type { Prompt } from '../input/prompt.js'

/** What `init` writes into a configuration. */
export interface InitValues {
  baseUrl: string
  channels: InitChannel[]
  /** API keys by organization; empty if the user has none yet. */
  keys: Record<string, string>
  /** The currency in which offers are compared; null: each RFQ's own. */
  currency: string | null
  /** Where exchange rates into it are read from; null: nowhere. */
  ratesFrom: string | null
}

export interface InitChannel {
  org: string
  channel: string
  autoClose: 'on' | 'dry-run' | 'off'
  timeZone: string
}

/** Where `quotekeeper sandbox` listens. */
const SANDBOX_URL = 'http://127.0.0.1:4700'

/** Asks for what a configuration needs. Of a sandbox, channels and keys are taken as they are. */
export async function askForValues(prompt: Prompt, note: (text: string) => void): Promise<InitValues> {
  const ask = createQuestions(prompt, note)
  const running = await sandboxAt(SANDBOX_URL)
  const baseUrl = await ask({
    question: 'Address of the marketplace',
    ...(running === null ? {} : { proposal: SANDBOX_URL, why: 'a running sandbox' }),
    schema: values.baseUrl(),
  })
  const sandbox = await sandboxAt(baseUrl)
  if (sandbox === null) return askForChannel(ask, baseUrl)
  note(`This is a sandbox: its ${plural(sandbox.channels.length, 'channel')} and API keys are used.`)
  const channels = sandboxChannels(sandbox, await ask(AUTO_CLOSE))
  return { baseUrl, ...channels, keys: sandbox.keys, ...(await askForRates(ask)) }
}

const AUTO_CLOSE = {
  question: 'Close RFQs that are past due: on, off, or dry-run, which only records what would be closed?',
  proposal: 'dry-run',
  schema: values.autoClose(),
}

const sandboxChannels = ({ channels }: SandboxValues, autoClose: InitChannel['autoClose']) => ({
  channels: channels.map((channel) => ({ ...channel, autoClose, timeZone: 'UTC' })),
})

async function askForRates(ask: Ask): Promise<Pick<InitValues, 'currency' | 'ratesFrom'>> {
  const currency = await ask({
    question: "Currency in which to compare offers, such as EUR; none for each RFQ's own",
    proposal: 'none',
    schema: values.value('a currency code of three capital letters, or none', (found) =>
      /^none$/i.test(String(found)) ? null : CURRENCY_CODE.test(String(found)) ? String(found) : undefined,
    ),
  })
  if (currency === null) return { currency, ratesFrom: null }
  const useRates = await ask({
    question: 'Convert other currencies at the daily reference rates of the European Central Bank: yes or no?',
    proposal: 'yes',
    schema: values.flag(),
  })
  return { currency, ratesFrom: useRates ? ECB_RATES : null }
}

async function askForChannel(ask: Ask, baseUrl: string): Promise<InitValues> {
  const org = await ask({ question: 'Organization, as in the addresses of the marketplace', schema: values.segment() })
  const channel = await ask({ question: `Channel of ${org}`, schema: values.segment() })
  const key = await ask({
    question: `API key of ${org}, which is not shown; empty to enter it in .env later`,
    proposal: '',
    hidden: true,
    schema: values.value('one line of text', (found) => String(found)),
  })
  const autoClose = await ask(AUTO_CLOSE)
  const timeZone = await ask({
    question: 'Time zone in which due dates end',
    proposal: new Intl.DateTimeFormat().resolvedOptions().timeZone,
    schema: values.timeZone(),
  })
  const rates = await askForRates(ask)
  return {
    baseUrl,
    channels: [{ org, channel, autoClose, timeZone }],
    keys: key === '' ? {} : { [org]: key },
    ...rates,
  }
}

interface Question<T> {
  question: string
  /** What an empty answer means. */
  proposal?: string
  /** Why it is proposed. */
  why?: string
  hidden?: boolean
  schema: z.ZodType<T>
}
type Ask = <T>(question: Question<T>) => Promise<T>

/** Asks until the answer is allowed. */
const createQuestions =
  (prompt: Prompt, note: (text: string) => void): Ask =>
  async ({ question, proposal, why, hidden = false, schema }) => {
    const shown =
      proposal === undefined || proposal === '' ? '' : ` [${proposal}${why === undefined ? '' : `, ${why}`}]`
    for (;;) {
      const answer = (await prompt.ask(`${question}${shown}:`, { hidden })) || proposal
      const parsed = schema.safeParse(answer)
      if (parsed.success) return parsed.data
      note(`Use ${parsed.error.issues[0]?.message}.`)
    }
  }

/** What a running sandbox says of itself (docs/SANDBOX.md). */
const summarySchema = z.object({ channels: z.array(z.object({ channel: z.string().regex(/^[^/]+\/[^/]+$/) })).min(1) })
const keysSchema = z.record(z.string(), z.string())

interface SandboxValues {
  channels: { org: string; channel: string }[]
  /** By organization. */
  keys: Record<string, string>
}

const MAX_WAIT_MS = 1_000

/** The channels and keys of the sandbox at an address, or null if there is none. Only this machine is asked. */
async function sandboxAt(baseUrl: string): Promise<SandboxValues | null> {
  if (!isLoopback(new URL(baseUrl).hostname)) return null
  try {
    const read = async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, baseUrl), { signal: AbortSignal.timeout(MAX_WAIT_MS) })).json()
    const { channels } = summarySchema.parse(await read('/_sandbox'))
    const keys = keysSchema.parse(await read('/_sandbox/keys'))
    const refs = channels.map(({ channel }) => {
      const [org = '', slug = ''] = channel.split('/')
      return { org, channel: slug }
    })
    return { channels: refs, keys }
  } catch {
    // Nothing listens there, or another program.
    return null
  }
}
