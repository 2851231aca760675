import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configToName, programName, withProgramName } from '../../../src/cli/process/program-name.js'
import { createCli, run } from '../../../src/cli/program.js'
import { testFolder } from '../../helpers/test-folder.js'
import { testIo } from '../../helpers/test-io.js'

function setUp() {
  const folder = testFolder()
  const script = join(folder, 'project/dist/src/cli/main.js')
  mkdirSync(join(folder, 'project/dist/src/cli'), { recursive: true })
  writeFileSync(script, '')
  chmodSync(script, 0o755)
  const link = (path: string) => {
    mkdirSync(join(folder, path), { recursive: true })
    symlinkSync(script, join(folder, path, 'quotekeeper'))
    return join(folder, path)
  }
  return { folder, script, link }
}

describe('the name of the program in messages', () => {
  it('is quotekeeper if that is on the PATH, however it was started', () => {
    const { folder, script, link } = setUp()
    const env = { PATH: ['/nowhere', link('bin')].join(delimiter) }
    for (const started of [script, join(folder, 'bin/quotekeeper')])
      expect(programName({ script: started, env, cwd: folder })).toBe('quotekeeper')
  })

  it('is npx quotekeeper after npx, which puts it on the PATH only for itself', () => {
    const { folder, script, link } = setUp()
    const env = { PATH: link('project/node_modules/.bin'), npm_lifecycle_event: 'npx' }
    expect(programName({ script, env, cwd: folder })).toBe('npx quotekeeper')
  })

  it('is node with the script otherwise, also in a script of npm, and if another program has the name', () => {
    const { folder, script, link } = setUp()
    mkdirSync(join(folder, 'other'))
    writeFileSync(join(folder, 'other/quotekeeper'), '')
    const env = {
      PATH: [link('project/node_modules/.bin'), join(folder, 'other')].join(delimiter),
      npm_lifecycle_event: 'demo',
    }
    expect(programName({ script, env, cwd: join(folder, 'project') })).toBe('node dist/src/cli/main.js')
    expect(programName({ script, env, cwd: join(folder, 'other') })).toBe(`node ${script}`)
    const odd = { script: '/a b/main.js', env: {}, cwd: '/' }
    expect(programName(odd)).toBe("node 'a b/main.js'")
  })

  it('replaces quotekeeper where it begins a command line, and nowhere else', () => {
    const commands = new Set(['check', 'close-expired', 'start'])
    const runnable = (text: string, config: string | null = null) =>
      withProgramName(text, { name: 'npx quotekeeper', config, commands })
    expect(runnable('Run: quotekeeper check')).toBe('Run: npx quotekeeper check')
    expect(runnable('see `quotekeeper close-expired --dry-run`;')).toBe(
      'see `npx quotekeeper close-expired --dry-run`;',
    )
    expect(runnable('\n$ quotekeeper --config x check\n')).toBe('\n$ npx quotekeeper --config x check\n')
    const others = [
      'quotekeeper started',
      'quotekeeper: no such file',
      '/srv/quotekeeper check',
      'quotekeeper.yaml',
      'npm install quotekeeper',
      'my-quotekeeper check',
      'quotekeeper checks',
    ]
    for (const text of others) expect(runnable(text)).toBe(text)
    expect(runnable(runnable('Run: quotekeeper check', 'x.yaml'), 'x.yaml')).toBe(
      'Run: npx quotekeeper --config x.yaml check',
    )
    expect(runnable('by quotekeeper start (process 12)', 'x.yaml')).toBe('by npx quotekeeper start (process 12)')
  })

  it('is followed by the configuration, unless that is the default', () => {
    const here = { env: {}, cwd: '/srv' }
    expect(configToName('other.yaml', here)).toBe('other.yaml')
    for (const config of [undefined, 'quotekeeper.yaml', './quotekeeper.yaml', '/srv/quotekeeper.yaml'])
      expect(configToName(config, here)).toBeNull()
    const env = { QUOTEKEEPER_CONFIG: '/etc/qk.yaml' }
    expect(configToName('/etc/qk.yaml', { env, cwd: '/srv' })).toBeNull()
    expect(configToName('quotekeeper.yaml', { env, cwd: '/srv' })).toBe('quotekeeper.yaml')
  })

  it('is used in errors, help and remedies', async () => {
    const { folder } = setUp()
    const { io, written } = testIo({ cwd: folder, programName: 'npx quotekeeper' })
    expect(await run(['rfqs'], io)).toBe(2)
    expect(written.err).toContain('`npx quotekeeper init` creates one')
    await run(['help', 'report'], io, createCli(io))
    expect(written.out).toContain('npx quotekeeper report 1012')
    expect(written.out).not.toMatch(/^ *quotekeeper report/m)
  })
})
