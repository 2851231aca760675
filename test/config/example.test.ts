import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { exampleConfig, exampleEnv } from '../../src/config/example.js'
import { loadConfig } from '../../src/config/load.js'
import { testFolder } from '../helpers/test-folder.js'

it('the example configuration is valid and shows the defaults', () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'quotekeeper.yaml'), exampleConfig())
  writeFileSync(join(folder, '.env'), exampleEnv().replace('ACME_API_KEY=', 'ACME_API_KEY=k-123456'))
  const example = loadConfig({ cwd: folder, env: {} })
  const minimal = `baseUrl: ${example.baseUrl}\nchannels: [{ org: acme, channel: forest, apiKey: { env: ACME_API_KEY }, autoClose: dry-run }]\n`
  writeFileSync(join(folder, 'quotekeeper.yaml'), minimal)
  expect(loadConfig({ cwd: folder, env: {} })).toEqual(example)
})
