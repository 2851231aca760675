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

it('restore › is refused while another process has the database open', async () => {
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
  const restore = () => restoreDatabase({ backup, database, by: 'ana', now: new Date() })
  for (let round = 0; round < ROUNDS; round++) await expect(restore()).rejects.toThrow('in use')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(await restore()).toContain('.replaced-')
})
