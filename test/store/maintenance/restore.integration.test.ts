import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { restoreDatabase } from '../../../src/store/maintenance/restore.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { testFolder } from '../../helpers/test-folder.js'

const sqlite = pathToFileURL(join(import.meta.dirname, '../../../node_modules/better-sqlite3/lib/index.js')).href

it('restore › is refused while another process has the database open, and names that process', async () => {
  const folder = testFolder()
  const [database, backup] = [join(folder, 'quotekeeper.db'), join(folder, 'backup.db')]
  const store = await openStore({ path: database })
  await store.backup(backup)
  await store.close()
  const script = `import Database from ${JSON.stringify(sqlite)}
    const db = new Database(${JSON.stringify(database)})
    db.prepare('select count(*) from runs').get()
    console.log('open')
    setInterval(() => db.name, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const restore = () => restoreDatabase({ backup, database, now: new Date() })
  for (let round = 0; round < ROUNDS; round++)
    await expect(restore()).rejects.toThrow(process.platform === 'linux' ? `process ${child.pid} (` : 'in use')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect((await restore()).kept).toContain('.replaced-')
})

it('restore › keeps events that were written after the backup, and continues their sequence, over six restores', async () => {
  const folder = testFolder()
  const [database, backup] = [join(folder, 'quotekeeper.db'), join(folder, 'backup.db')]
  const event = { kind: 'report.made', at: new Date(0), channel: null, data: {} } as const
  let store = await openStore({ path: database })
  await store.recordEvent(event)
  await store.backup(backup)
  for (let round = 1; round <= ROUNDS; round++) {
    await store.recordEvent(event)
    const { items, ...before } = await store.events({ after: 0, limit: 100 })
    await store.close()
    await restoreDatabase({ backup, database, now: new Date(round) })
    store = await openStore({ path: database })
    expect(await store.events({ after: 0, limit: 100 })).toEqual({ items, ...before })
    expect(items.map(({ sequence }) => sequence)).toEqual(items.map((_, at) => at + 1))
    expect(items).toHaveLength(round + 1)
  }
  await store.close()
})

it('write test › names the processes that may hold the lock', async () => {
  const path = join(testFolder(), 'quotekeeper.db')
  const store = await openStore({ path })
  onTestFinished(() => store.close())
  const script = `import Database from ${JSON.stringify(sqlite)}
    const db = new Database(${JSON.stringify(path)})
    db.exec('begin immediate')
    console.log('locked')
    setInterval(() => db.name, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  const { ok, message } = await store.checkWritable()
  expect(ok).toBe(false)
  expect(message).toContain('locked by another process')
  if (process.platform === 'linux') expect(message).toContain(`Open in process ${child.pid} (`)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await store.checkWritable()).toMatchObject({ ok: true })
})
