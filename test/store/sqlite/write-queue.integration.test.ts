import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WriteQueue } from '../../../src/store/sqlite/write-queue.js'
import { testFolder } from '../../helpers/test-folder.js'

type RetryWhileBusy = ConstructorParameters<typeof WriteQueue>[0]['retryWhileBusy']

function openQueue({
  retryWhileBusy = async (attempt) => attempt(),
  flush = async () => undefined,
}: {
  retryWhileBusy?: RetryWhileBusy
  flush?: () => Promise<void>
} = {}) {
  const path = join(testFolder(), 'queue.db')
  const executed: unknown[] = []
  const writer = new Database(path, { verbose: (sql) => executed.push(sql) })
  const reader = new Database(path)
  onTestFinished(() => {
    writer.close()
    reader.close()
  })
  writer.pragma('journal_mode = wal')
  writer.pragma('foreign_keys = on')
  writer.exec(
    'create table t (n integer unique, parent integer references t (n) deferrable initially deferred); insert into t values (0, 0)',
  )
  const toError = (error: unknown) => error as Error
  const queue = new WriteQueue({ writer: () => writer, retryWhileBusy, flush, toError })
  const statement = writer.prepare('insert into t values (?, ?)')
  const insert = (n: number, parent = 0) => statement.run(n, parent).changes
  return {
    queue,
    writer,
    insert,
    add: (n: number, { parent = 0 } = {}) => queue.add(() => insert(n, parent)),
    stored: () => reader.prepare('select n from t where n > 0 order by rowid').pluck().all(),
    commits: () => executed.filter((sql) => sql === 'commit').length,
  }
}

/** Only the test moves these parts of the time, by `vi.advanceTimersByTime`. */
function fakeTime(...toFake: ('performance' | 'setTimeout' | 'clearTimeout')[]): void {
  vi.useFakeTimers({ toFake })
  onTestFinished(() => void vi.useRealTimers())
}

/** Lets everything happen that waits for nothing but its turn. */
async function severalTurns(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe('write queue', () => {
  it('commits waiting writes together, and acknowledges none before the commit, over six rounds', async () => {
    const { add, stored, commits } = openQueue()
    for (let round = 0; round < 6; round++) {
      const numbers = Array.from({ length: 20 }, (_, index) => 1 + round * 20 + index)
      const seen = await Promise.all(numbers.map((n) => add(n).then(() => stored().length)))
      expect(seen).toEqual(numbers.map(() => (round + 1) * 20))
      expect(commits()).toBe(round + 1)
    }
  })

  it('rolls back only a write that fails, and commits the others of its group', async () => {
    const { queue, add, insert, stored } = openQueue()
    for (let round = 1; round <= 6; round++) {
      const half = queue.add(() => {
        insert(1000 + round)
        throw new Error('after it had written something')
      })
      const results = await Promise.allSettled([add(round * 10), half, add(round * 10), add(round * 10 + 1)])
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    }
    expect(stored()).toEqual([10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61])
  })

  it('rejects the group if its commit fails, but not later writes', async () => {
    const { add, stored } = openQueue()
    const results = await Promise.allSettled([add(1), add(2, { parent: 99 }), add(3)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(stored()).toEqual([])
    await add(4)
    expect(stored()).toEqual([4])
  })

  it('rejects the group at an error that ends the transaction, but not later writes', async () => {
    const { queue, writer, add, stored } = openQueue()
    const first = add(1)
    const ended = queue.add(() => {
      writer.exec('rollback')
      throw new Error('the disk is full')
    })
    const results = await Promise.allSettled([first, ended])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    await add(2)
    expect(stored()).toEqual([2])
  })

  it('gives each write the full wait for the lock, even after earlier writes timed out', async () => {
    let giveUp: () => void = () => undefined
    const busy = new Promise<void>((_, reject) => {
      giveUp = () => reject(new Error('busy'))
    })
    let attempts = 0
    const { add, stored } = openQueue({ retryWhileBusy: async (attempt) => (attempts++ === 0 ? busy : attempt()) })
    const early = add(1)
    await Promise.resolve()
    const late = [add(2), add(3)]
    giveUp()
    await expect(early).rejects.toThrow('busy')
    await Promise.all(late)
    expect(stored()).toEqual([2, 3])
  })

  it('limits a transaction to a tenth of a second, because other processes wait for it', async () => {
    const { queue, insert, commits } = openQueue()
    fakeTime('performance')
    const slow = (n: number) =>
      queue.add(() => {
        vi.advanceTimersByTime(40)
        return insert(n)
      })
    await Promise.all([1, 2, 3, 4, 5].map(slow))
    expect(commits()).toBe(2)
  })

  it('acknowledges writes after they are flushed to disk, while others wait for the next commit', async () => {
    const flushes: { end: () => void; fail: (error: Error) => void }[] = []
    const flush = () => new Promise<void>((end, fail) => void flushes.push({ end, fail }))
    const flushesBegun = (count: number) => expect.poll(() => flushes.length, { interval: 1 }).toBe(count)
    const { add, stored, commits } = openQueue({ flush })
    let acknowledged = 0
    for (let round = 1; round <= 6; round++) {
      const writes = [add(round * 10), add(round * 10 + 1)]
      for (const write of writes) void write.then(() => acknowledged++)
      await flushesBegun(round)
      await severalTurns()
      expect([acknowledged, stored().length]).toEqual([2 * (round - 1), 2 * round])
      flushes[round - 1]?.end()
      await Promise.all(writes)
    }
    const failing = add(100)
    await flushesBegun(7)
    const gathered = [add(101), add(102)]
    flushes[6]?.fail(new Error('the disk'))
    await expect(failing).rejects.toThrow('the disk')
    await flushesBegun(8)
    flushes[7]?.end()
    await Promise.all(gathered)
    expect(commits()).toBe(8)
  })

  it('runs writes in the order in which they were added', async () => {
    const { queue, add, stored, commits } = openQueue()
    const waiting = [add(1), add(2)]
    await add(3)
    expect(stored()).toEqual([1, 2, 3])
    await Promise.all(waiting)
    expect(commits()).toBe(1)
    const last = add(4)
    await queue.flush()
    expect(stored()).toEqual([1, 2, 3, 4])
    await last
  })
})
