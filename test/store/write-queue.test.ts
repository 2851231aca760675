import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WriteQueue } from '../../src/store/write-queue.js'
import { testFolder } from '../helpers/test-folder.js'

function openQueue() {
  const path = join(testFolder(), 'queue.db')
  const writer = new Database(path)
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
  const exec = vi.spyOn(writer, 'exec')
  const toError = (error: unknown) => error as Error
  const queue = new WriteQueue({ writer: () => writer, retryWhileBusy: async (attempt) => attempt(), toError })
  const statement = writer.prepare('insert into t values (?, ?)')
  const insert = (n: number, parent = 0) => statement.run(n, parent).changes
  return {
    queue,
    insert,
    add: (n: number, { canWait = true, parent = 0 } = {}) => queue.add(() => insert(n, parent), canWait),
    stored: () => reader.prepare('select n from t where n > 0 order by rowid').pluck().all(),
    commits: () => exec.mock.calls.filter(([sql]) => sql === 'commit').length,
  }
}

describe('writes that wait', () => {
  it('share one commit, before which none is acknowledged, over six rounds', async () => {
    const { add, stored, commits } = openQueue()
    for (let round = 0; round < 6; round++) {
      const numbers = Array.from({ length: 20 }, (_, index) => 1 + round * 20 + index)
      const seen = await Promise.all(numbers.map((n) => add(n).then(() => stored().length)))
      expect(seen).toEqual(numbers.map(() => (round + 1) * 20))
      expect(commits()).toBe(round + 1)
    }
  })

  it('fail alone: the others of the group are committed', async () => {
    const { queue, add, insert, stored } = openQueue()
    for (let round = 1; round <= 6; round++) {
      const half = queue.add(() => {
        insert(1000 + round)
        throw new Error('after it had written something')
      }, true)
      const results = await Promise.allSettled([add(round * 10), half, add(round * 10), add(round * 10 + 1)])
      expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
    }
    expect(stored()).toEqual([10, 11, 20, 21, 30, 31, 40, 41, 50, 51, 60, 61])
  })

  it('fail together if their commit fails, and later ones do not', async () => {
    const { add, stored } = openQueue()
    const results = await Promise.allSettled([add(1), add(2, { parent: 99 }), add(3)])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(stored()).toEqual([])
    await add(4)
    expect(stored()).toEqual([4])
  })

  it('are made with one that does not wait, in the order in which they were added', async () => {
    const { queue, add, stored, commits } = openQueue()
    const waiting = [add(1), add(2)]
    await add(3, { canWait: false })
    expect(stored()).toEqual([1, 2, 3])
    await Promise.all(waiting)
    expect(commits()).toBe(1)
    const last = add(4)
    await queue.flush()
    expect(stored()).toEqual([1, 2, 3, 4])
    await last
  })
})
