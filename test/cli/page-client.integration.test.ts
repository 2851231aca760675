import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { queryInThread } from '../../src/cli/pages/page-client.js'
import { testFolder } from '../helpers/test-folder.js'

/** A thread whose query answers with the thread's id, after as many milliseconds as it is called with. */
const SCRIPT = `
import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', async ({ id, args: [milliseconds] }) => {
  if (milliseconds === Infinity) for (;;);
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  parentPort.postMessage({ id, result: threadId })
})`

function openQueries(limits: { call: number; thread: number }) {
  const path = join(testFolder(), 'thread.mjs')
  writeFileSync(path, SCRIPT)
  const { queries, close } = queryInThread(pathToFileURL(path), {} as never, limits)
  onTestFinished(close)
  return (milliseconds: number) =>
    (queries as unknown as { answer(milliseconds: number): Promise<number> }).answer(milliseconds)
}

it('a query that takes too long for its caller keeps its thread, which answers later ones', async () => {
  const answer = openQueries({ call: 1000, thread: 60_000 })
  const thread = await answer(0)
  for (let round = 0; round < 3; round++) {
    await expect(answer(1200)).rejects.toThrow('reading took longer than 1 s (answer)')
    expect(await answer(0)).toBe(thread)
  }
})

it('a query that never ends gets its thread replaced', async () => {
  const answer = openQueries({ call: 1000, thread: 1500 })
  const thread = await answer(0)
  await expect(answer(Number.POSITIVE_INFINITY)).rejects.toThrow('reading took longer')
  await expect(answer(0)).rejects.toThrow('reading took longer')
  expect(await answer(0)).not.toBe(thread)
})
