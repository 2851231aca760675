import { expect, it } from 'vitest'
import { commands } from '../../src/cli/commands/index.js'
import { createWorld } from '../../src/sandbox/index.js'
import { runsLongTests } from '../helpers/long-tests.js'
import { createCliFixture, NOW } from './cli-fixture.js'

const TWO_DAYS_MS = 48 * 3600_000

/** Examples that need what the demo does not have, or that do not end. Other tests run them. */
const OTHERS =
  /^(init|start|work|demo|sandbox|backup|restore|copy-database|notify|award 1012)\b|--log-level|--retry|--head/

/** Splits a command line as a shell does, up to a redirection. */
const textOf = (line: string) =>
  (line.split(' > ')[0] ?? '').match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? []

it('the examples in the help run in the data of the demo, two days later', async () => {
  let now = new Date(NOW.getTime() - TWO_DAYS_MS)
  const { quotekeeper } = await createCliFixture({ world: createWorld({ seed: 1, now }), now: () => now })
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
