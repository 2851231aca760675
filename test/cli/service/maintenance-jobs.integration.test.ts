import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runMaintenance } from '../../../jobs/maintenance.js'
import type { App } from '../../../src/cli/app.js'
import { createMaintenanceJobs } from '../../../src/cli/service/maintenance-jobs.js'
import type { RateSource } from '../../../src/core/decision/rate-source.js'
import { describeMaintenance } from '../../../src/readiness/readiness.js'
import { noonStore } from '../../helpers/store/recording-store.js'
import { testConfig } from '../../helpers/test-config.js'
import { testFolder } from '../../helpers/test-folder.js'

it('the service › reads exchange rates at its start and then every hour, and another source at once', async () => {
  const store = await noonStore()
  const folder = testFolder()
  let time = new Date('2026-03-10T09:30:00Z')
  const source = (name: string): RateSource => ({ kind: 'file', path: join(folder, name), name })
  const write = (name: string, rate: number) => writeFileSync(join(folder, name), `Date,USD\n2026-03-09,${rate}\n`)
  const tick = async (minutes: number, name = 'a.csv') => {
    time = new Date(time.getTime() + minutes * 60_000)
    const config = testConfig({ rates: source(name) })
    const app = { config, store: async () => store } as unknown as App
    for (const job of createMaintenanceJobs(app, () => time))
      await runMaintenance(job, { store, now: () => time }, new AbortController().signal).catch(() => undefined)
    return (await store.ratesAt(name, time))[0]?.rate
  }
  write('a.csv', 1.1)
  expect(await tick(0)).toBe(1.1)
  write('a.csv', 1.2)
  expect(await tick(29)).toBe(1.1)
  expect(await tick(1)).toBe(1.2)
  write('b.csv', 1.9)
  expect(await tick(1, 'b.csv')).toBe(1.9)
  rmSync(join(folder, 'a.csv'))
  expect(await tick(60)).toBe(1.2)
  const failing = await describeMaintenance(store, { rates: source('a.csv') })
  expect(failing).toMatchObject([
    { name: 'exchange rates', ok: true, message: expect.stringContaining('no such file') },
  ])
  write('a.csv', 1.3)
  expect(await tick(9)).toBe(1.2)
  expect(await tick(1)).toBe(1.3)
  expect(await describeMaintenance(store, { rates: source('a.csv') })).toEqual([])
})

it('the service › deletes what is older than history.keepDays, and nothing if that is null', async () => {
  const asked: string[] = []
  const store = {
    prune: async ({ before }: { before: Date }) => ({ runs: asked.push(before.toISOString()), events: 0 }),
  }
  const history = testConfig({}).history
  for (const keepDays of [null, 60]) {
    const app = {
      config: testConfig({ history: { ...history, keepDays, pruneSchedule: '0 2 * * *' } }),
      store: async () => store,
    }
    for (const job of await createMaintenanceJobs(app as unknown as App, () => new Date('2026-03-10T09:30:00Z')))
      await job.run(new AbortController().signal)
  }
  expect(asked).toEqual(['2026-01-09T09:30:00.000Z'])
})
