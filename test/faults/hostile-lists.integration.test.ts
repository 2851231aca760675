import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { testFolder } from '../helpers/test-folder.js'
import { serve } from '../marketplace/server.js'
import { fault, longFaultUnless } from './fault-test.js'

interface Measured {
  outcome: string
  error: string | null
  requests: number
  stored: number
  seconds: number
  /** The longest time the event loop was blocked. */
  maxDelayMs: number
  peakMiB: number
}

const longFault = longFaultUnless(null)
const FIXTURE = join(import.meta.dirname, '../fixtures/poll-and-measure.mjs')
/** Far more than is measured on an idle machine, because tests run side by side. */
const MAX_DELAY_MS = 1000

/** Polls a list in a child process with 512 MiB for JavaScript. */
async function poll(body: string): Promise<Measured> {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const options = JSON.stringify({ url, database: join(testFolder(), 'measured.db') })
  const { stdout } = await promisify(execFile)(process.execPath, ['--max-old-space-size=512', FIXTURE, options])
  const measured = JSON.parse(stdout) as Measured
  if (process.env.QUOTEKEEPER_FIGURES) console.log(measured)
  return measured
}

const list = (items: string[]) => `{"items":[${items.join()}]}`

fault(
  'a small list that takes much memory to parse',
  '8 MiB of empty entries are rejected within 512 MiB',
  async () => {
    const count = Math.floor((8 * 2 ** 20) / 3)
    const measured = await poll(`{"items":[${'{},'.repeat(count - 1)}{}]}`)
    expect(measured).toMatchObject({ outcome: 'failed', requests: 1, stored: 0 })
    expect(measured.error).toContain('the list has more than 100000 entries')
    expect(measured.peakMiB).toBeLessThan(512)
    expect(measured.maxDelayMs).toBeLessThan(MAX_DELAY_MS)
  },
)

longFault(
  'a small list that takes much memory to parse',
  'as many empty entries as are accepted are stored as one',
  async () => {
    const measured = await poll(list(Array(100_000).fill('{}')))
    expect(measured).toMatchObject({ outcome: 'complete', stored: 1 })
    expect(measured.peakMiB).toBeLessThan(512)
    expect(measured.maxDelayMs).toBeLessThan(MAX_DELAY_MS)
  },
)

longFault(
  'a small list that takes much memory to parse',
  '20,000 entries with an identifier and nothing else are stored within 512 MiB',
  async () => {
    const measured = await poll(list(Array.from({ length: 20_000 }, (_, n) => `{"id":"${n}"}`)))
    expect(measured).toMatchObject({ outcome: 'complete', stored: 20_000 })
    expect(measured.peakMiB).toBeLessThan(512)
    expect(measured.maxDelayMs).toBeLessThan(MAX_DELAY_MS)
  },
  120_000,
)
