import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { run } from '../../../src/cli/program.js'
import { loadConfig } from '../../../src/config/load.js'
import { createWorld, startSandbox } from '../../../src/sandbox/index.js'
import { testFolder } from '../../helpers/test-folder.js'
import { testIo } from '../../helpers/test-io.js'

/** A folder, and a sandbox that is recognised as one only with `control`. */
async function openFixture({ control }: { control: boolean }) {
  const folder = testFolder()
  const now = new Date('2026-03-10T09:30:00.000Z')
  const channels = [
    { org: 'acme', channel: 'forest', listings: 2, rfqs: 1 },
    { org: 'zeta', channel: 'on', listings: 1, rfqs: 0 },
  ]
  const sandbox = await startSandbox({
    world: createWorld({ seed: 3, now, still: true, channels }),
    now: () => now,
    control,
  })
  onTestFinished(() => sandbox.close())
  /** Runs a command; questions are answered in this order. */
  const quotekeeper = async (answers: readonly string[] | null, ...args: string[]) => {
    const asked: string[] = []
    const ask = async (question: string, options: { hidden?: boolean } = {}) => {
      asked.push(options.hidden ? `${question} (hidden)` : question)
      return answers?.[asked.length - 1] ?? ''
    }
    const { io, written } = testIo({ cwd: folder, now: () => now, prompt: answers === null ? null : { ask } })
    return { status: await run(args, io), asked, ...written }
  }
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, sandbox, quotekeeper, read }
}

describe('init on a terminal', () => {
  it('takes the channels and keys of a sandbox, and writes a configuration that works', async () => {
    const { folder, sandbox, quotekeeper } = await openFixture({ control: true })
    const { status, out, err, asked } = await quotekeeper(['ftp://x', sandbox.url, 'maybe', ''], 'init')
    expect({ status, out }).toEqual({ status: 0, out: `${folder}/quotekeeper.yaml\n${folder}/.env\n` })
    expect(asked).toHaveLength(5)
    expect(err).toMatch(/Use .*https[\s\S]*2 channels and API keys are used[\s\S]*Use on, dry-run or off/)
    expect(err).toMatch(/acme\/forest: the key works, 2 listings\.\n.*zeta\/on: the key works, 1 listing\./)
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    expect((await quotekeeper(null, 'sync')).status).toBe(0)
    expect((await quotekeeper(null, 'rfqs', '--channel', 'acme/forest', '--csv')).out.split('\n')).toHaveLength(3)
    const again = await quotekeeper([sandbox.url], 'init')
    expect(again).toMatchObject({ status: 1, asked: [], err: expect.stringContaining('already exists') })
  })

  it('asks for one channel of another address, and tries the key without showing it', async () => {
    const { folder, sandbox, quotekeeper, read } = await openFixture({ control: false })
    const answers = [sandbox.url, 'acme', 'a/b', 'forest', 'wrong key', 'off', 'Europe/Paris']
    const { status, err, asked } = await quotekeeper(answers, 'init')
    expect(status).toBe(0)
    expect(asked.filter((question) => question.endsWith('(hidden)'))).toEqual([
      expect.stringContaining('API key of acme'),
    ])
    expect(err).toMatch(
      /Use text without "\/"[\s\S]*acme\/forest: .*(401|403|refused|key)[\s\S]*run: quotekeeper check/,
    )
    expect(err).not.toContain('wrong key')
    expect(read('.env')).toContain("ACME_API_KEY='wrong key'")
    expect(read('quotekeeper.yaml')).toMatch(
      /channels:\n {2}- org: acme\n {4}channel: forest\n[\s\S]*autoClose: off\n[\s\S]*timeZone: Europe\/Paris/,
    )
    expect(loadConfig({ cwd: folder, env: {} }).channels.map(({ key }) => key)).toEqual(['acme/forest'])
  })

  it('asks in which currency to compare, and whether to use reference rates', async () => {
    const answersTo = async (...answers: string[]) => {
      const { folder, sandbox, quotekeeper, read } = await openFixture({ control: true })
      const { status, err } = await quotekeeper([sandbox.url, '', ...answers], 'init')
      const { currency, exchangeRates } = parse(read('quotekeeper.yaml')).reports
      loadConfig({ cwd: folder, env: {} })
      return { status, err, currency, exchangeRates }
    }
    const ecb = 'https://www.ecb.europa.eu/stats/eurofxref/eurofxref-hist.zip'
    expect(await answersTo('')).toMatchObject({ status: 0, currency: null, exchangeRates: {} })
    expect(await answersTo('USD', '')).toMatchObject({ status: 0, currency: 'USD', exchangeRates: ecb })
    const without = await answersTo('euro', 'EUR', 'maybe', 'no')
    expect(without).toMatchObject({ status: 0, currency: 'EUR', exchangeRates: {} })
    expect(without.err).toMatch(/Use a currency code[\s\S]*Use true or false/)
  })

  it('changes no .env that exists, and says what to set there', async () => {
    const { folder, sandbox, quotekeeper, read } = await openFixture({ control: true })
    writeFileSync(join(folder, '.env'), 'MINE=1\n')
    const { status, err } = await quotekeeper([sandbox.url, 'on'], 'init')
    expect({ status, env: read('.env') }).toEqual({ status: 0, env: 'MINE=1\n' })
    expect(err).toContain('set ACME_API_KEY, ZETA_API_KEY there')
  })
})
