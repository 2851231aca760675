import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { terminalPager } from '../../../src/cli/output/pager.js'
import { testFolder } from '../../helpers/test-folder.js'
import { createCliFixture } from '../cli-fixture.js'

describe('completion', () => {
  it('offers commands, options, their values and the configured channels', async () => {
    const { quotekeeperWith } = await createCliFixture()
    const complete = async (line: string, more: Record<string, string> = {}) => {
      const { out } = await quotekeeperWith({ env: { COMP_LINE: line, ...more } }, 'completion', '--complete')
      return out.split('\n').slice(0, -1)
    }
    expect(await complete('quotekeeper comp')).toEqual(['compare', 'completion'])
    expect(await complete('quotekeeper help rf')).toEqual(['rfqs'])
    expect(await complete('quotekeeper --log-level w')).toEqual(['warn'])
    expect(await complete('quotekeeper --time-zone UTC rfqs --s')).toEqual(['--state', '--since', '--sort'])
    expect(await complete('quotekeeper runs --kind ')).toEqual(['listings', 'rfqs', 'close'])
    expect(await complete('quotekeeper runs --kind  --json', { COMP_POINT: '24' })).toHaveLength(3)
    expect(await complete('quotekeeper offers 1042 --channel acme/b')).toEqual(['acme/blue'])
    expect(await complete('quotekeeper -c x.yaml rfqs --wi')).toEqual(['--wide'])
  })

  it('leaves names of files to the shell, also without a configuration', async () => {
    const { quotekeeperWith } = await createCliFixture()
    for (const line of ['report 1042 --out ', '--config ', 'restore ./b'])
      expect(
        await quotekeeperWith({ env: { COMP_LINE: `quotekeeper ${line}` } }, 'completion', '--complete'),
      ).toMatchObject({ status: 1, out: '', err: '' })
    const empty = { env: { COMP_LINE: 'quotekeeper rfqs --channel ' }, cwd: testFolder() }
    expect(await quotekeeperWith(empty, 'completion', '--complete')).toMatchObject({ status: 1, out: '', err: '' })
  })

  it('is set up by one line, which bash understands', async () => {
    const { quotekeeper } = await createCliFixture()
    const { out: script } = await quotekeeper('completion', 'bash')
    const shown = spawnSync('bash', ['-c', `${script}\ncomplete -p quotekeeper`], { encoding: 'utf8' }).stdout
    expect(shown).toBe(script)
    for (const shell of ['zsh', 'fish'])
      expect((await quotekeeper('completion', shell)).out).toContain('completion --complete')
    expect(await quotekeeper('completion', 'tcsh')).toMatchObject({
      status: 2,
      err: expect.stringContaining('name the shell: bash, zsh, fish'),
    })
  })
})

describe('the pager', () => {
  it('is used on a terminal for results that are longer than it, and never when piped', async () => {
    const { quotekeeperWith } = await createCliFixture()
    await quotekeeperWith({}, 'sync')
    const shown: string[] = []
    const pager = { rows: () => 5, show: async (text: string) => void shown.push(text) }
    const long = await quotekeeperWith({ width: 100, pager }, 'rfqs')
    expect(long.out).toBe('')
    expect(shown.join('')).toMatch(/^Number[\s\S]*as of/)
    const short = await quotekeeperWith({ width: 100, pager: { ...pager, rows: () => 500 } }, 'rfqs')
    expect(short.out).toBe(shown.join(''))
    const wrong = await quotekeeperWith({ width: 100, pager }, 'rfqs', '--sort', 'nothing')
    expect({ ...wrong, shown: shown.length }).toMatchObject({ status: 2, out: '', shown: 1 })
  })

  it('is $PAGER, gets the options of less, and is not needed', async () => {
    const file = join(testFolder(), 'paged')
    let written = ''
    const stdout = { isTTY: true, rows: 3, write: (text: string) => (written += text) } as never
    const env = { PATH: process.env.PATH }
    await terminalPager(stdout, { ...env, PAGER: `(printenv LESS; cat) > ${file}` })?.show('text\n')
    expect(readFileSync(file, 'utf8')).toBe('FRX\ntext\n')
    await terminalPager(stdout, { ...env, PAGER: 'no-such-pager 2> /dev/null' })?.show('text\n')
    expect(written).toBe('text\n')
    for (const none of ['', 'cat']) expect(terminalPager(stdout, { ...env, PAGER: none })).toBeNull()
    expect(terminalPager({ isTTY: false } as never, env)).toBeNull()
  })
})

describe('report --open', () => {
  it.skipIf(process.platform !== 'linux')('opens the file, or says why it could not', async () => {
    const { quotekeeperWith, folder } = await createCliFixture()
    await quotekeeperWith({}, 'sync')
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > ${folder}/opened\n`)
    chmodSync(join(bin, 'xdg-open'), 0o755)
    const args = ['report', '1001', '--channel', 'acme/blue', '--format', 'json', '--open'] as const
    const { status, out } = await quotekeeperWith({ env: { PATH: bin } }, ...args)
    expect({ status, opened: readFileSync(join(folder, 'opened'), 'utf8') }).toEqual({ status: 0, opened: out.trim() })
    const failed = await quotekeeperWith({ env: { PATH: '/nowhere' } }, ...args)
    expect(failed).toMatchObject({ status: 1, err: expect.stringContaining('but not opened: xdg-open could not be') })
  })
})
