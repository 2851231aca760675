import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { commands } from '../../src/cli/commands/index.js'
import { run } from '../../src/cli/program.js'
import { startSandbox } from '../../src/sandbox/index.js'
import { runsLongTests } from '../helpers/long-tests.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

const NOW = new Date('2026-03-10T09:30:00.000Z')
const TWO_DAYS_MS = 48 * 3600_000

/** Examples that need what the demo does not have, or that do not end. Other tests run them. */
const OTHERS =
  /^(init|start|work|demo|sandbox|backup|restore|copy-database|notify|award 1012)\b|--log-level|--retry|--head/

/** Splits a command line as a shell does, up to a redirection. */
const textOf = (line: string) =>
  (line.split(' > ')[0] ?? '').match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []

it('the examples in the help run in the data of the demo, two days later', async () => {
  const folder = testFolder()
  let now = new Date(NOW.getTime() - TWO_DAYS_MS)
  const sandbox = await startSandbox({ now: () => now })
  onTestFinished(() => sandbox.close())
  const channels = sandbox.world.channels.map(
    ({ org, channel }) =>
      `  - { org: ${org}, channel: ${channel}, apiKey: { env: ${org.toUpperCase()}_KEY }, autoClose: on }\n`,
  )
  const keys = Object.entries(sandbox.keys).map(([org, key]) => `${org.toUpperCase()}_KEY=${key}\n`)
  writeFileSync(
    join(folder, 'quotekeeper.yaml'),
    `baseUrl: ${sandbox.url}\nrequests: { perSecond: 5000 }\nchannels:\n${channels.join('')}`,
  )
  writeFileSync(join(folder, '.env'), keys.join(''), { mode: 0o600 })
  const quotekeeper = async (...args: string[]) => {
    const { io, written } = testIo({ cwd: folder, now: () => now })
    return { status: await run(args, io), ...written }
  }
  await quotekeeper('sync')
  now = NOW
  await quotekeeper('close-expired')
  let examples = 0
  for (const { name } of commands) {
    const { out } = await quotekeeper(name, '--help')
    const lines = [...out.matchAll(/^ {2}\$ quotekeeper (.+?)(?: {2}.*)?$/gm)].map(([, line = '']) => line)
    const runnable = lines.filter((each) => !OTHERS.test(each))
    for (const line of runsLongTests ? runnable : runnable.slice(0, 1)) {
      examples++
      const { status, err } = await quotekeeper(...textOf(line))
      expect({ line, status, err: status === 0 ? '' : err }).toEqual({ line, status: 0, err: '' })
    }
  }
  expect(examples).toBeGreaterThan(runsLongTests ? 30 : 14)
})
