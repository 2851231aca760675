import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPolledFixture, NOW } from '../cli-fixture.js'

const DAY_MS = 86_400_000
const day = (number: number) => ({ now: () => new Date(NOW.getTime() + number * DAY_MS) })

describe('backup', () => {
  it('into a folder with --keep works every night and keeps the newest ones', async () => {
    const { quotekeeperWith, folder } = await createPolledFixture()
    mkdirSync(join(folder, 'backups'))
    for (const name of ['quotekeeper-2025-01-01T000000Z.db', 'notes.txt', 'quotekeeper-2024.db'])
      writeFileSync(join(folder, 'backups', name), 'of someone else')
    for (let night = 0; night < 8; night++) {
      const { status, out } = await quotekeeperWith(day(night), 'backup', 'backups', '--keep', '3')
      expect([status, out]).toEqual([0, expect.stringMatching(/backups\/quotekeeper-2026-03-\d\dT093000Z\.db\n$/)])
    }
    expect(readdirSync(join(folder, 'backups')).sort()).toEqual([
      'notes.txt',
      'quotekeeper-2024.db',
      'quotekeeper-2025-01-01T000000Z.db',
      'quotekeeper-2026-03-15T093000Z.db',
      'quotekeeper-2026-03-16T093000Z.db',
      'quotekeeper-2026-03-17T093000Z.db',
    ])
  })

  it('accepts a pattern with a date, and deletes only older files of that pattern', async () => {
    const { quotekeeper, quotekeeperWith, folder } = await createPolledFixture()
    await quotekeeper('backup', 'other.2026-03-01.db')
    for (const night of [5, 0, 1, 2])
      expect((await quotekeeperWith(day(night), 'backup', 'qk.{date}.db', '--keep', '1')).status).toBe(0)
    const names = readdirSync(folder).filter((name) => name.endsWith('.db') && name !== 'quotekeeper.db')
    // The one dated in the future stays: only older ones are deleted.
    expect(names.sort()).toEqual(['other.2026-03-01.db', 'qk.2026-03-12.db', 'qk.2026-03-15.db'])
    const again = await quotekeeperWith(day(2), 'backup', 'qk.{date}.db', '--keep', '1')
    expect(again).toMatchObject({ status: 1, err: expect.stringContaining('already exists') })
  })

  it('refuses --keep without a date in the name, and a date in the folder', async () => {
    const { quotekeeper, folder } = await createPolledFixture()
    expect(await quotekeeper('backup', 'one.db', '--keep', '2')).toMatchObject({
      status: 2,
      err: expect.stringContaining('--keep needs a folder'),
    })
    expect((await quotekeeper('backup', '{date}/one.db')).status).toBe(2)
    expect(existsSync(join(folder, 'one.db'))).toBe(false)
  })
})

describe('restore', () => {
  it('brings back what a backup had, and closes nothing until a person resumes, and what was past due until --retry', async () => {
    const { quotekeeper, sandbox } = await createPolledFixture()
    const file = (await quotekeeper('backup', 'before.db')).out.trim()
    const { status, out, err } = await quotekeeper('restore', file)
    expect([status, out]).toEqual([0, expect.stringMatching(/quotekeeper\.db\n$/)])
    expect(err).toMatch(/kept as .*quotekeeper\.db\.replaced-20260310T093000000Z/)
    const posts = () => sandbox.requests.filter(({ operation }) => operation === 'closeRfq').length
    expect((await quotekeeper('close-expired', '--resume')).err).toContain('a backup was restored')
    await quotekeeper('close-expired')
    expect(posts()).toBe(0)
    const [held] = JSON.parse((await quotekeeper('closings', '--json')).out)
    expect((await quotekeeper('close-expired', '--retry', held.rfqId)).status).toBe(0)
    expect(posts()).toBe(1)
  })

  it('reports a file that is no backup, with exit status 1', async () => {
    const { quotekeeper } = await createPolledFixture()
    expect(await quotekeeper('restore', 'quotekeeper.yaml')).toMatchObject({
      status: 1,
      out: '',
      err: expect.stringMatching(/was not replaced by .*quotekeeper\.yaml: it is not a Quotekeeper database/),
    })
  })
})
