import { expect, it, onTestFinished } from 'vitest'
import { openNewStore } from '../../helpers/store/new-store.js'
import { openAgain } from '../../helpers/store/store-engine.js'

const JOB = 'channel-report acme/forest'
const at = (time: string) => new Date(`2026-11-21T${time}Z`)

async function openTestStore() {
  const store = await openNewStore()
  onTestFinished(() => store.close())
  return store
}

it('claimTick › grants a tick once to concurrent claims', async () => {
  const store = await openTestStore()
  for (const time of ['06:00:00', '06:00:01', '07:00:00']) {
    const claims = await Promise.all(Array.from({ length: 5 }, () => store.claimTick(JOB, at(time), at(time))))
    expect(claims.filter((claimed) => claimed)).toHaveLength(1)
  }
})

it('claimTick › is independent for each job, and refuses a tick after a later one', async () => {
  const store = await openTestStore()
  const claim = (job: string, time: string) => store.claimTick(job, at(time), at('07:00:00'))
  expect(await claim(JOB, '07:00:00')).toBe(true)
  expect(await claim(JOB, '06:00:00')).toBe(false)
  expect(await claim('channel-report acme/blue', '06:00:00')).toBe(true)
})

it('clockSetBacks › counts set-backs of more than a minute for all processes on the database', async () => {
  const store = await openTestStore()
  const other = await openAgain(store.name)
  onTestFinished(() => other.close())
  const counts = []
  for (const time of ['06:00:00', '07:00:00', '06:59:00', '06:57:59', '06:58:00', '05:00:00', '07:00:00'])
    counts.push([await store.clockSetBacks(at(time)), await other.clockSetBacks(at(time))])
  expect(counts).toEqual([
    [0, 0],
    [0, 0],
    [0, 0],
    [1, 1],
    [1, 1],
    [2, 2],
    [2, 2],
  ])
})

it('claimTick › grants ticks again after the clock was far ahead', async () => {
  const store = await openTestStore()
  const future = new Date('2036-01-01T06:00:00Z')
  expect(await store.claimTick(JOB, future, future)).toBe(true)
  expect(await store.claimTick(JOB, at('06:00:00'), at('06:00:00'))).toBe(true)
  expect(await store.claimTick(JOB, at('06:00:00'), at('06:00:00'))).toBe(false)
})
