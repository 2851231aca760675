import { expect, it, onTestFinished } from 'vitest'
import { openNewStore } from '../../helpers/store/new-store.js'
import { openAgain } from '../../helpers/store/store-engine.js'

const at = (time: string) => new Date(`2026-11-21T${time}Z`)

it('clockSetBacks › counts set-backs of more than a minute for all processes on the database', async () => {
  const store = await openNewStore()
  onTestFinished(() => store.close())
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
