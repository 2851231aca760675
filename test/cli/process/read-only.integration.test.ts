import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mountSmallDisk } from '../../helpers/servers/small-disk.js'
import { createCliFixture } from '../cli-fixture.js'

const SET_UP = ['sync', 'close-expired'] as const
const READING = [
  ['rfqs'],
  ['compare', '--channel', 'acme/blue', '1001'],
  ['listings'],
  ['runs'],
  ['closings', '--verify'],
  ['problems'],
  ['export'],
  ['backup', 'copy-of-read-only.db'],
]

it('commands that only read work on a read-only disk, and the others say that it is read-only', async ({ skip }) => {
  const disk = mountSmallDisk('64m')
  if (disk === null) return skip('this user cannot mount a file system')
  const { quotekeeper } = await createCliFixture({ more: `database: ${join(disk.folder, 'quotekeeper.db')}\n` })
  for (const command of SET_UP) expect(await quotekeeper(command)).toMatchObject({ status: 0 })
  const [{ number }] = JSON.parse((await quotekeeper('rfqs', '--channel', 'acme/blue', '--json')).out)
  const before = await quotekeeper('rfqs')
  disk.setReadOnly(true)
  for (const args of READING.map((message) => message.map((word) => (word === '1001' ? String(number) : word)))) {
    const { status, err } = await quotekeeper(...args)
    expect({ args, status, err }).toEqual({ args, status: 0, err: expect.stringContaining('Reading only: ') })
  }
  expect((await quotekeeper('rfqs')).out).toBe(before.out)
  expect(await quotekeeper('report', String(number), '--channel', 'acme/blue')).toMatchObject({ status: 0 })
  for (const command of [['sync'], ['problems', '--replay']]) {
    const { status, err } = await quotekeeper(...command)
    expect({ command, status, err }).toEqual({ command, status: 1, err: expect.stringMatching(/read-only/) })
  }
  const checked = await quotekeeper('check')
  expect(checked.status).toBe(1)
  expect(checked.out).toMatch(/^database +FAILED/m)
})
