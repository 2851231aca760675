import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { openStore } from '../../src/store/sqlite/store.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { longIt } from '../helpers/long-tests.js'
import { testFolder } from '../helpers/test-folder.js'

const restoreModule = join(import.meta.dirname, '../../dist/src/store/maintenance/restore.js')

longIt(
  'kill -9 during a restore: each time, the database can be opened, and one with the newest data is kept',
  async () => {
    const fixture = await openChannelFixture()
    const backup = join(testFolder(), 'backup.db')
    fixture.sandbox.world.addRfq(CHANNEL)
    await fixture.pollRfqs()
    await fixture.store.backup(backup)
    fixture.sandbox.world.addRfq(CHANNEL)
    await fixture.pollRfqs()
    await fixture.store.close()
    const rfqsIn = async (path: string) => {
      const store = await openStore({ path, create: false })
      const { ok } = await store.check()
      const { length } = await store.rfqs({})
      await store.close()
      return { ok, length }
    }
    let killed = 0
    for (let round = 0; round < 20; round++) {
      const folder = testFolder()
      const database = join(folder, 'quotekeeper.db')
      copyFileSync(fixture.store.name, database)
      const script = `import { restoreDatabase } from ${JSON.stringify(restoreModule)}
        console.log('restoring')
        await restoreDatabase({ backup: ${JSON.stringify(backup)}, database: ${JSON.stringify(database)}, by: 'ana', now: new Date() })`
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const exited = once(child, 'exit')
      await once(child.stdout, 'data')
      await wait(Math.random() * 60)
      child.kill('SIGKILL')
      const [code] = await exited
      if (code === null) killed++
      const found = await rfqsIn(database)
      expect(found).toEqual({ ok: true, length: expect.toBeOneOf([1, 2]) })
      const kept = readdirSync(folder).find((name) => /\.replaced-\w+$/.test(name))
      if (found.length === 1) expect(await rfqsIn(join(folder, kept ?? ''))).toEqual({ ok: true, length: 2 })
    }
    expect(killed).toBeGreaterThan(0)
  },
  120_000,
)
