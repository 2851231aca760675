import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { testFolder } from '../helpers/test-folder.js'
import { serve } from '../marketplace/server.js'
import { fault, longFaultUnless } from './fault-test.js'

interface Measured {
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
  return JSON.parse(stdout) as Measured
}

const list = (items: string[]) => `{"items":[${items.join()}]}`

/** A list, and what became of it; the peak memory of the poll is at most that of its heap. */
const LISTS: [string, () => string, object][] = [
  [
    '8 MiB of empty entries are rejected',
    () => list(Array(Math.floor((8 * 2 ** 20) / 3)).fill('{}')),
    {
      ...{ outcome: 'failed', requests: 1, stored: 0 },
      error: expect.stringContaining('the list has more than 100000 entries'),
    },
  ],
  [
    'as many empty entries as are accepted are stored as one',
    () => list(Array(100_000).fill('{}')),
    { outcome: 'complete', stored: 1 },
  ],
  [
    '20,000 entries with an identifier and nothing else are stored',
    () => list(Array.from({ length: 20_000 }, (_, n) => `{"id":"${n}"}`)),
    { outcome: 'complete', stored: 20_000 },
  ],
]
for (const [at, [behaviour, body, expected]] of LISTS.entries()) {
  const register = at === 0 ? fault : longFault
  register('a small list that takes much memory to parse', `${behaviour} within 512 MiB`, async () => {
    const measured = await poll(body())
    expect(measured).toMatchObject(expected)
    expect(measured.peakMiB).toBeLessThan(512)
    expect(measured.maxDelayMs).toBeLessThan(MAX_DELAY_MS)
  })
}
