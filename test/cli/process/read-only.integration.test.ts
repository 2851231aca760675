import { join } from 'node:path'
import { expect, it } from 'vitest'
import { mountSmallDisk } from '../../helpers/servers/small-disk.js'
import { createCliFixture } from '../cli-fixture.js'

const COMMANDS = [
  ['rfqs'],
  ['runs'],
  ['closings', '--verify'],
  ['backup', 'copy.db'],
  ['sync'],
  ['problems', '--replay'],
]

it('commands say that the disk is read-only, name the database, and work again when it is not', async ({ skip }) => {
  const disk = mountSmallDisk('64m')
  if (disk === null) return skip('this user cannot mount a file system')
  const file = join(disk.folder, 'quotekeeper.db')
  const { quotekeeper } = await createCliFixture({ more: `database: ${file}\n` })
  expect(await quotekeeper('sync')).toMatchObject({ status: 0 })
  const before = await quotekeeper('rfqs')
  // It writes last, so that no file beside the database is left, without which it cannot be read there.
  await quotekeeper('problems', '--replay')
  disk.setReadOnly(true)
  for (const command of COMMANDS) {
    const { status, err } = await quotekeeper(...command)
    expect({ command, status, err }).toEqual({ command, status: 1, err: expect.stringMatching(/read-only/) })
    expect(err).toContain(file)
  }
  const checked = await quotekeeper('check')
  expect(checked.status).toBe(1)
  expect(checked.out).toMatch(/^database +FAILED/m)
  disk.setReadOnly(false)
  expect((await quotekeeper('rfqs')).out).toBe(before.out)
})
