import { expect, it, onTestFinished, vi } from 'vitest'
import { pacedWrites } from '../../../src/store/maintenance/paced-writes.js'
import type { Transaction } from '../../../src/store/sql/sql-database.js'

it('pacedWrites › pauses for as long as transactions held the lock, not counting waits for the disk', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const pauses: number[] = []
  const flushMs = 100
  const database = {
    write: async <T>(work: (tx: Transaction) => Promise<T>) => {
      const result = await work({} as Transaction)
      vi.advanceTimersByTime(flushMs)
      return result
    },
  }
  const write = pacedWrites(database, async (milliseconds) => pauses.push(milliseconds))
  const takes = (milliseconds: number) => async () => {
    vi.advanceTimersByTime(milliseconds)
  }
  for (let times = 0; times < 6; times++) await write(takes(0))
  expect(pauses).toEqual([])
  for (let times = 0; times < 6; times++) await write(takes(20))
  expect(pauses).toEqual([60, 60])
  const failing = async () => {
    vi.advanceTimersByTime(30)
    throw new Error('rolled back')
  }
  await expect(write(failing)).rejects.toThrow('rolled back')
  await write(takes(20))
  await write(takes(1_000))
  expect(pauses).toEqual([60, 60, 50, 200])
})
