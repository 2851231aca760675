import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { queryInThread } from '../../src/pool/page-client.js'
import { testFolder } from '../helpers/test-folder.js'

/** A thread whose queries answer with its id: at once, `late` after the next query has come, or `never`, in an endless loop. */
const SCRIPT = `
import { parentPort, threadId } from 'node:worker_threads'
const late = []
parentPort.on('message', ({ id, args: [when] }) => {
  if (when === 'never') for (;;);
  if (when === 'late') return late.push(id)
  for (const each of [...late.splice(0), id]) parentPort.postMessage({ id: each, result: threadId })
})`
const LIMITS = { call: 1000, thread: 1500 }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  return () => vi.useRealTimers()
})

function openQueries() {
  const path = join(testFolder(), 'thread.mjs')
  writeFileSync(path, SCRIPT)
  const { queries, close } = queryInThread(pathToFileURL(path), {} as never, LIMITS)
  onTestFinished(close)
  return (when: 'at once' | 'late' | 'never') =>
    (queries as unknown as { answer(when: string): Promise<number> }).answer(when)
}

it('a query that takes too long for its caller keeps its thread, which answers later ones', async () => {
  const answer = openQueries()
  const thread = await answer('at once')
  for (let round = 0; round < 3; round++) {
    const late = expect(answer('late')).rejects.toThrow('reading took longer than 1 s (answer)')
    vi.advanceTimersByTime(LIMITS.call)
    await late
    expect(await answer('at once')).toBe(thread)
    // It was answered, so its thread is not replaced any more.
    vi.advanceTimersByTime(LIMITS.thread)
  }
  expect(await answer('at once')).toBe(thread)
})

it('a query that never ends gets its thread replaced', async () => {
  const answer = openQueries()
  const thread = await answer('at once')
  const rejected = ['never', 'at once'].map((when) =>
    expect(answer(when as 'never')).rejects.toThrow('reading took longer'),
  )
  vi.advanceTimersByTime(LIMITS.call)
  await Promise.all(rejected)
  vi.advanceTimersByTime(LIMITS.thread - LIMITS.call)
  expect(await answer('at once')).not.toBe(thread)
})
