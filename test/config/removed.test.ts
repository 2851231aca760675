import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { run } from '../../src/cli/program.js'
import { ConfigError } from '../../src/config/config-error.js'
import { loadConfig } from '../../src/config/load.js'
import { REMOVED } from '../../src/config/removed.js'
import { testFolder } from '../helpers/test-folder.js'
import { testIo } from '../helpers/test-io.js'

const MINIMAL = `baseUrl: https://marketplace.example.com
channels: [{ org: acme, channel: forest, apiKey: { env: KEY }, autoClose: off }]
`

describe('what was removed', () => {
  const uses = [
    ...Object.entries(REMOVED.command).map(([name, instead]) => ({ args: [name], name, instead })),
    ...Object.entries(REMOVED.option).flatMap(([name, instead]) => [
      { args: ['rfqs', name, 'x'], name, instead },
      { args: ['rfqs', `${name}=x`], name, instead },
      { args: [name, 'x', 'rfqs'], name, instead },
    ]),
  ]
  it.each(uses)('is answered on the command line with what to use instead: $args', async ({ args, name, instead }) => {
    const { io, written } = testIo({ cwd: testFolder() })
    expect(await run(args, io)).toBe(2)
    expect(written.err.split('\n')[0]).toContain(`${name} was removed: ${instead}`)
  })

  it.each([...Object.entries(REMOVED.key)])(
    'is answered in the configuration with what to use instead: %s',
    (key, instead) => {
      const cwd = testFolder()
      const section = key.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), 1)
      writeFileSync(join(cwd, 'quotekeeper.yaml'), MINIMAL + stringify(section))
      const load = () => loadConfig({ cwd, env: { KEY: 'k-0123456789' } })
      expect(load).toThrow(ConfigError)
      expect(load).toThrow(`Removed: ${instead}`)
    },
  )
})
