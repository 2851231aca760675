import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../../../src/cli/program.js'
import { exampleConfig, exampleEnv } from '../../../src/config/example.js'
import { loadConfig } from '../../../src/config/load.js'
import { testFolder } from '../../helpers/test-folder.js'
import { testIo } from '../../helpers/test-io.js'

/** Runs `init` in a new folder; on a terminal, questions are answered in this order. */
async function init(answers: readonly string[] | null, files: Record<string, string> = {}, ...args: string[]) {
  const folder = testFolder()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const asked: string[] = []
  const ask = async (question: string, options: { hidden?: boolean } = {}) => {
    asked.push(options.hidden ? `${question} (hidden)` : question)
    return answers?.[asked.length - 1] ?? ''
  }
  const { io, written } = testIo({ cwd: folder, prompt: answers && { ask } })
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')
  return { folder, status: await run(['init', ...args], io), asked, read, ...written }
}

it('init writes a configuration and an example .env, readable by their owner only, to the folder of --config', async () => {
  const { folder, status, out, err, read } = await init(null)
  expect({ status, out }).toEqual({ status: 0, out: `${folder}/quotekeeper.yaml\n${folder}/.env.example\n` })
  expect(err).toContain('quotekeeper check')
  expect([read('quotekeeper.yaml'), read('.env.example')]).toEqual([exampleConfig(), exampleEnv()])
  expect(statSync(join(folder, 'quotekeeper.yaml')).mode & 0o777).toBe(0o600)
  const other = await init(null, {}, '--config', 'new/place.yaml')
  expect(other.status).toBe(0)
  expect(readdirSync(join(other.folder, 'new')).sort()).toEqual(['.env.example', 'place.yaml'])
})

const URL = 'https://market.example.org'

describe('init on a terminal', () => {
  it('asks until each answer is allowed, and writes a configuration and the key, which it never shows', async () => {
    const answers = ['ftp://x', URL, 'acme', 'a/b', 'on', 'a "long" key', 'maybe', 'off', 'Europe/Paris']
    const { folder, status, out, err, asked, read } = await init(answers)
    expect({ status, out }).toEqual({ status: 0, out: `${folder}/quotekeeper.yaml\n${folder}/.env\n` })
    expect(asked.filter((question) => question.endsWith('(hidden)'))).toEqual([expect.stringContaining('key of acme')])
    expect(err).toMatch(
      /Expected .*https[\s\S]*Expected text without "\/"[\s\S]*one of "on"\|"dry-run"\|"off"[\s\S]*quotekeeper check/,
    )
    expect(out + err + read('quotekeeper.yaml')).not.toContain('a "long" key')
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600)
    const { baseUrl, channels } = loadConfig({ cwd: folder, env: {} })
    const [channel] = channels
    expect([baseUrl, channels.length, channel]).toMatchObject([
      ...[URL, 1, { key: 'acme/on', apiKey: 'a "long" key', autoClose: 'off', timeZone: 'Europe/Paris' }],
    ])
  })

  it('changes no file that exists, and says which key to set', async () => {
    const { status, err, read } = await init([URL, '3m', 'forest', 'secret'], { '.env': 'MINE=1\n' })
    expect({ status, env: read('.env') }).toEqual({ status: 0, env: 'MINE=1\n' })
    expect(err).toContain('set _3M_API_KEY there')
    const again = await init([URL], { 'quotekeeper.yaml': 'mine' })
    expect(again).toMatchObject({ status: 1, asked: [], err: expect.stringContaining('already exists') })
    expect(again.read('quotekeeper.yaml')).toBe('mine')
  })
})
