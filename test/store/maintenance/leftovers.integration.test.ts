import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { restoreDatabase } from '../../../src/store/maintenance/restore.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../helpers/test-folder.js'

/** The id of a process that has ended. */
const DEAD = spawnSync(process.execPath, ['-e', '']).pid as number

async function setUp() {
  const folder = testFolder()
  mkdirSync(join(folder, 'backups'), { recursive: true })
  const path = join(folder, 'quotekeeper.db')
  await (await openStore({ path })).close()
  /** Creates a file as a killed process leaves it, by default ten minutes ago. */
  const leave = (name: string, ageSeconds = 600) => {
    writeFileSync(join(folder, name), 'part of a database')
    const at = Date.now() / 1000 - ageSeconds
    utimesSync(join(folder, name), at, at)
    return name
  }
  const left = (names: string[]) =>
    names.filter((name) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).includes(name))
  return { folder, path, leave, left }
}

describe('files of a killed process', () => {
  it('are removed by the next start, in six rounds', async () => {
    const { path, leave, left } = await setUp()
    for (let round = 0; round < 6; round++) {
      const names = ['', '-wal', '-shm'].map((suffix) => leave(`quotekeeper.db.restoring-${DEAD}${suffix}`))
      names.push(
        leave(`quotekeeper.db.upgrading-0a1b2c3d-${DEAD}`),
        leave(`quotekeeper.db.upgrading-0a1b2c3d-${DEAD}-journal`),
      )
      names.push(leave(`.quotekeeper-write-test-${DEAD}`), leave(`quotekeeper.db.restoring-${process.pid}`))
      await (await openStore({ path })).close()
      expect(left(names)).toEqual([])
    }
  })

  it('are removed by the next backup and the next restore', async () => {
    const { folder, path, leave, left } = await setUp()
    const partial = [
      leave(`backups/.quotekeeper-2026-01-31T021500Z.db.${DEAD}.partial`),
      leave(`backups/.quotekeeper-2026-01-31T021500Z.db.${DEAD}.partial-journal`),
    ]
    const store = await openStore({ path })
    const file = join(folder, 'backups/new.db')
    await store.backup(file)
    await store.close()
    expect(left(partial)).toEqual([])
    const restoring = [leave(`quotekeeper.db.restoring-${DEAD}`)]
    await restoreDatabase({ backup: file, database: path, now: new Date() })
    expect(left(restoring)).toEqual([])
  })

  it('are kept while their process lives, if they are recent, or if their names only look similar', async () => {
    const { folder, path, leave, left } = await setUp()
    const other = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'])
    try {
      const names = [
        leave(`quotekeeper.db.restoring-${other.pid}`),
        leave(`quotekeeper.db.restoring-${DEAD}`, 5),
        leave(`other.db.restoring-${DEAD}`),
        leave('quotekeeper.db.restoring-notes'),
        leave(`backups/.new.db.${other.pid}.partial`),
        leave(`backups/.new.db.${DEAD}.partial`, 5),
        leave(`backups/visible.db.${DEAD}.partial`),
        leave('quotekeeper.db.replaced-2026-01-31T021500Z'),
      ]
      const store = await openStore({ path })
      await store.backup(join(folder, 'backups/another.db'))
      await store.close()
      expect(left(names)).toEqual(names)
    } finally {
      other.kill('SIGKILL')
    }
  })

  it('are kept if the user restores from them', async () => {
    const { folder, path, leave, left } = await setUp()
    const store = await openStore({ path })
    await store.backup(join(folder, `quotekeeper.db.restoring-${DEAD}`))
    await store.close()
    const at = Date.now() / 1000 - 600
    const name = `quotekeeper.db.restoring-${DEAD}`
    utimesSync(join(folder, name), at, at)
    leave(`quotekeeper.db.restoring-${DEAD}-journal`)
    await restoreDatabase({ backup: join(folder, name), database: path, now: new Date() })
    expect(left([name, `${name}-journal`])).toEqual([name])
  })
})
