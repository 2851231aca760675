import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createCliFixture } from '../../cli/cli-fixture.js'

const mount = (...args: string[]) => spawnSync('mount', args).status === 0

it('commands that write fail at the start if the database file is not writable in a writable folder', async ({
  skip,
}) => {
  const { quotekeeper, quotekeeperWith, folder, sandbox } = await createCliFixture({ more: 'web: { port: 0 }\n' })
  expect(await quotekeeper('sync')).toMatchObject({ status: 0 })
  const file = join(folder, 'data/quotekeeper.db')
  if (!mount('--bind', file, file)) return skip('this user cannot mount a file')
  onTestFinished(() => void spawnSync('umount', [file]))
  expect(mount('-o', 'remount,bind,ro', file)).toBe(true)
  sandbox.requests.length = 0
  for (const command of ['start', 'sync', 'close-expired']) {
    const controller = new AbortController()
    let text = ''
    const out = (line: string) => {
      text += line
      if (line.includes('quotekeeper started')) controller.abort(new Error('started'))
    }
    const { status, err } = await quotekeeperWith({ out, stop: controller.signal }, command)
    expect({ command, status, text }).toEqual({ command, status: 1, text: '' })
    expect(err).toContain(`The database cannot be opened or written: ${file}`)
    expect(err).toContain('to it and to the file')
  }
  expect(sandbox.requests).toEqual([])
  const { status, err } = await quotekeeper('runs', '--json')
  expect({ status, err }).toEqual({ status: 0, err: '' })
  const checked = await quotekeeper('check')
  expect(checked.status).toBe(1)
  expect(checked.out).toMatch(/^database +FAILED/m)
})
