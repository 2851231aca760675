import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { dueBy, runMaintenance } from '../../jobs/maintenance.js'
import { compileCron } from '../../src/config/cron.js'
import { describeMaintenance } from '../../src/readiness/readiness.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { closedAtEnd } from '../helpers/store/store-engine.js'
import { testFolder } from '../helpers/test-folder.js'

/** Processes that share one database and one clock, each with a daily job. */
async function openProcesses(count: number) {
  const path = join(testFolder(), 'maintenance.db')
  let time = new Date('2026-11-01T12:00:00.000Z')
  const now = () => time
  const failures: string[] = []
  const ran: string[] = []
  let problem: string | null = null
  const open = async () => {
    const store = closedAtEnd(await openStore({ path, clock: now }))
    const run = async () => {
      ran.push(time.toISOString())
      if (problem !== null) throw new Error(problem)
      return { runs: 1 }
    }
    const job = { task: 'prune' as const, isDue: dueBy(compileCron('0 2 * * *', 'UTC')), run }
    const { signal } = new AbortController()
    const tick = () => runMaintenance(job, { store, now }, signal).catch(({ message }) => failures.push(message))
    return { store, tick }
  }
  const processes = await Promise.all(Array.from({ length: count }, open))
  return {
    ran,
    failures,
    open,
    fail: (message: string | null) => {
      problem = message
    },
    /** Ticks all processes every five minutes for some time. */
    async pass(minutes: number) {
      for (let passed = 0; passed < minutes; passed += 5) {
        time = new Date(time.getTime() + 5 * 60_000)
        await Promise.all(processes.map(({ tick }) => tick()))
      }
    },
    setTime: (to: string) => {
      time = new Date(to)
    },
    tick: () => Promise.all(processes.map(({ tick }) => tick())),
    status: async () => (await describeMaintenance(processes[0]?.store as never, { rates: null }))[0]?.message,
  }
}

describe('maintenance jobs', () => {
  it('run at the start, once per tick of the schedule and once for missed ticks, in one of two processes', async () => {
    const { ran, tick, setTime, open } = await openProcesses(2)
    await tick()
    for (let day = 2; day <= 8; day++) {
      for (const time of ['01:59', '02:00', '02:01', '13:00']) {
        setTime(`2026-11-0${day}T${time}:00.000Z`)
        await tick()
        await (await open()).tick() // After a restart.
      }
    }
    setTime('2026-11-19T17:00:00.000Z')
    await tick()
    await tick()
    expect(ran).toEqual([
      '2026-11-01T12:00:00.000Z',
      ...[2, 3, 4, 5, 6, 7, 8].map((day) => `2026-11-0${day}T02:00:00.000Z`),
      '2026-11-19T17:00:00.000Z',
    ])
  })

  it('are retried ten minutes after a failure, heard in the status, until they succeed', async () => {
    const { ran, failures, fail, pass, tick, setTime, status } = await openProcesses(2)
    expect(await status()).toBeUndefined()
    await tick()
    fail('the disk is full')
    setTime('2026-11-02T01:55:00.000Z')
    await pass(2 * 60)
    expect(ran.length - 1).toBe(12)
    expect(failures).toHaveLength(ran.length - 1)
    expect(await status()).toBe('not done: the disk is full')
    fail(null)
    await pass(10)
    expect(await status()).toBeUndefined()
  })

  it('run again although a process was killed in the middle, or the clock was far ahead', async () => {
    const { ran, tick, setTime, open, status } = await openProcesses(1)
    const { store } = await open()
    await store.beginMaintenance('prune', new Date('2026-11-01T12:00:00.000Z'), () => true)
    setTime('2026-11-01T12:05:00.000Z')
    await tick()
    expect([ran, await status()]).toEqual([[], 'not done: it began at 2026-11-01T12:00:00.000Z and has not ended'])
    setTime('2026-11-01T12:11:00.000Z')
    await tick()
    expect(ran).toEqual(['2026-11-01T12:11:00.000Z'])
    setTime('2030-01-01T00:00:00.000Z')
    await tick()
    setTime('2026-11-01T12:12:00.000Z')
    await tick()
    await tick()
    expect(ran.slice(1)).toEqual(['2030-01-01T00:00:00.000Z', '2026-11-01T12:12:00.000Z'])
  })
})
