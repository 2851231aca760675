import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { EXAMPLE_CONFIG, EXAMPLE_ENV } from '../../src/config/example.js'
import { loadConfig } from '../../src/config/load.js'

const root = join(import.meta.dirname, '../..')

it('the example files equal what `quotekeeper init` writes', () => {
  expect(readFileSync(join(root, 'quotekeeper.example.yaml'), 'utf8')).toBe(EXAMPLE_CONFIG)
  expect(readFileSync(join(root, '.env.example'), 'utf8')).toBe(EXAMPLE_ENV)
})

it('the example configuration is valid and shows the defaults', () => {
  const folder = mkdtempSync(join(tmpdir(), 'quotekeeper-example-'))
  try {
    writeFileSync(join(folder, 'quotekeeper.yaml'), EXAMPLE_CONFIG)
    writeFileSync(join(folder, '.env'), EXAMPLE_ENV.replace('ACME_API_KEY=', 'ACME_API_KEY=k-123456'))
    const example = loadConfig({ cwd: folder, env: {} })
    const minimal = `baseUrl: ${example.baseUrl}\nchannels: [{ org: acme, channel: forest, apiKey: { env: ACME_API_KEY }, autoClose: dry-run }]\n`
    writeFileSync(join(folder, 'quotekeeper.yaml'), minimal)
    expect(loadConfig({ cwd: folder, env: {} })).toEqual(example)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
