import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { createReadiness } from '../../src/readiness/readiness.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { createCliFixture } from '../cli/cli-fixture.js'
import { CHANNEL, openChannelFixture } from '../helpers/channel-fixture.js'
import { mountSkipReason, mountSmallDisk, type SmallDisk } from '../helpers/servers/small-disk.js'
import { testConfig } from '../helpers/test-config.js'
import { testFolder } from '../helpers/test-folder.js'
import { faultUnless, longFaultUnless } from './fault-test.js'

const longFault = longFaultUnless(null)
const noMount = mountSkipReason()
const noProc = existsSync('/proc/self') ? null : 'there is no /proc'
const restoreModule = join(import.meta.dirname, '../../dist/src/store/maintenance/restore.js')

faultUnless(noMount)(
  'a read-only disk',
  'the database is refused with what to do, and works again when the disk is writable',
  async () => {
    const disk = mountSmallDisk('64m') as SmallDisk
    const fixture = await openChannelFixture({ rfqs: 3 })
    await fixture.pollRfqs()
    const path = join(disk.folder, 'quotekeeper.db')
    await fixture.store.backup(path)
    for (let round = 0; round < 6; round++) {
      disk.setReadOnly(true)
      await expect(openStore({ path })).rejects.toThrow(/cannot be opened or written: .*quotekeeper\.db.*read-only/)
      disk.setReadOnly(false)
      const store = await openStore({ path })
      expect(await store.rfqs({})).toHaveLength(3)
      expect(await store.checkWritable()).toMatchObject({ ok: true })
      await store.close()
    }
  },
)

longFault(
  'kill -9 during a restore',
  'each time, the database can be opened, and one with the newest data is kept',
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

faultUnless(noProc)('a folder that cannot be created', 'sync ends with an error that names the folder', async () => {
  const { quotekeeper } = await createCliFixture({ more: 'database: /proc/quotekeeper/data/quotekeeper.db\n' })
  expect(await quotekeeper('sync')).toMatchObject({ status: 1, err: expect.stringContaining('/proc/quotekeeper') })
})

longFault('an RFQ that always fails', 'a day of polls, each partial, with a restart in between', async () => {
  const fixture = await openChannelFixture({ retries: 0 })
  const [failing] = Array.from({ length: 4 }, () => fixture.sandbox.world.addRfq(CHANNEL))
  await fixture.pollRfqs()
  const effect = { kind: 'status', status: 500 } as const
  fixture.sandbox.faults.add({ operation: 'readRfq', rfqId: failing?.id as string, times: Infinity, effect })
  for (let hour = 0; hour < 24; hour++) {
    fixture.advanceSeconds(3600)
    expect((await fixture.pollRfqs({ full: true })).run).toMatchObject({ outcome: 'partial', unchanged: 3 })
    if (hour === 12) await fixture.reopenStore()
    const schedule = { listings: null, rfqs: '*/5 * * * *', closeExpired: null, channelReport: null }
    const config = testConfig({ schedule })
    const runner = { ping: async () => ({ ok: true, message: '' }) }
    const checks = await createReadiness({ config, store: fixture.store, runner, now: fixture.now })()
    expect(checks.find(({ name }) => name.startsWith('rfqs'))).toMatchObject({
      ok: true,
      message: expect.stringContaining(`except RFQ ${failing?.number}: `),
    })
  }
})
