import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPolledFixture, NOW } from '../cli-fixture.js'

const DAY_MS = 86_400_000
const day = (number: number) => ({ now: () => new Date(NOW.getTime() + number * DAY_MS) })

describe('backup', () => {
  it('into a folder with --keep works every night and keeps the newest ones', async () => {
    const { quotekeeper, quotekeeperWith, folder } = await createPolledFixture()
    expect(await quotekeeper('backup', 'backups', '--keep', '2')).toMatchObject({ status: 2 })
    mkdirSync(join(folder, 'backups'))
    for (const name of ['notes.txt', 'quotekeeper-2024.db']) writeFileSync(join(folder, 'backups', name), '')
    for (let night = 0; night < 5; night++) {
      const { status, out } = await quotekeeperWith(day(night), 'backup', 'backups', '--keep', '3')
      expect([status, out]).toEqual([0, expect.stringMatching(/backups\/quotekeeper-2026-03-\d\dT093000Z\.db\n$/)])
    }
    expect(readdirSync(join(folder, 'backups')).sort()).toEqual([
      'notes.txt',
      'quotekeeper-2024.db',
      'quotekeeper-2026-03-12T093000Z.db',
      'quotekeeper-2026-03-13T093000Z.db',
      'quotekeeper-2026-03-14T093000Z.db',
    ])
  })

  it('never overwrites a file', async () => {
    const { quotekeeper } = await createPolledFixture()
    for (const [name, status] of [
      ['one.db', 0],
      ['one.db', 1],
      ['data/quotekeeper.db', 1],
      // The folder of a disk that is not mounted.
      ['unmounted/', 2],
    ] as const)
      expect((await quotekeeper('backup', name)).status).toBe(status)
  })
})

describe('restore', () => {
  it('replaces the database, keeps the replaced one, and says that nothing is closed until a person resumes', async () => {
    const { quotekeeper } = await createPolledFixture()
    const file = (await quotekeeper('backup', 'before.db')).out.trim()
    const { status, out, err } = await quotekeeper('restore', file)
    expect([status, out]).toEqual([0, expect.stringMatching(/quotekeeper\.db\n$/)])
    expect(err).toMatch(/kept as .*quotekeeper\.db\.replaced-20260310T093000000Z/)
    expect((await quotekeeper('close-expired', '--resume')).err).toContain('a backup was restored')
  })
})
