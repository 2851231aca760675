import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { terminalPager } from '../../../src/cli/output/pager.js'
import { testFolder } from '../../helpers/test-folder.js'
import { createCliFixture } from '../cli-fixture.js'

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
    const args = ['report', '1001', '--channel', 'acme/blue', '--open'] as const
    const { status, out } = await quotekeeperWith({ env: { PATH: bin } }, ...args)
    expect({ status, opened: readFileSync(join(folder, 'opened'), 'utf8') }).toEqual({ status: 0, opened: out.trim() })
    const failed = await quotekeeperWith({ env: { PATH: '/nowhere' } }, ...args)
    expect(failed).toMatchObject({ status: 1, err: expect.stringContaining('but not opened: xdg-open could not be') })
  })
})
