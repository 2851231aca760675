import { describe, expect, it } from 'vitest'
import { createQueueActions } from '../../../src/cli/service/queue-actions.js'
import { KEY } from '../../helpers/channel-fixture.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { createGate, recordingHandlers } from '../../helpers/recording-handlers.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'
import { testConfig } from '../../helpers/test-config.js'

/** Nothing here closes, so nothing asks the store. */
const APP = {
  config: testConfig(),
  scrub: (text: string) => text,
  store: () => Promise.reject(new Error('not used by this test')),
}

describe.skipIf(redisSkipReason !== null)('a job on Redis that follows a running one for the same work', () => {
  const runners = useRedisRunners()

  it('waits until that one ends, is not replaced by another, and is unknown once the queue has forgotten it', async () => {
    const runner = await runners.open()
    let gate = createGate()
    const { handlers } = recordingHandlers()
    const closeExpired = () => gate.passed.then(() => undefined)
    await runner.work({ ...handlers, 'close-expired': closeExpired })
    let time = Date.parse('2026-11-21T12:00:00Z')
    const now = () => new Date(time++)
    const { queue } = (await createQueueActions(APP, now))(runner)
    const order = { name: 'close-expired', payload: { channel: KEY, rfqId: 'rfq-1', cause: 'page ana' } } as const
    const stateOf = async (id: string) => (await queue.status(id))?.state
    for (let round = 0; round < ROUNDS; round++) {
      gate = createGate()
      const [first, second, third] = [queue.newId(order), queue.newId(order), queue.newId(order)] as const
      expect(await queue.enqueue(order, first)).toBe(true)
      await expect.poll(() => stateOf(first), { interval: 5 }).toBe('active')
      expect(await queue.enqueue(order, second)).toBe(true)
      expect(await queue.enqueue(order, third)).toBe(false)
      expect([await stateOf(second), await stateOf(third)]).toEqual(['waiting', undefined])
      gate.open()
      await expect.poll(() => stateOf(second), { interval: 5 }).toBe('completed')
      for (const id of [first, second]) await runners.removeJob(id)
      expect([await stateOf(first), await stateOf(second)]).toEqual([undefined, undefined])
    }
  })

  it('does not keep the next one out while it runs itself, although nobody asked for its state', async () => {
    const runner = await runners.open()
    const gates = [createGate(), createGate(), createGate()]
    let started = 0
    const { handlers } = recordingHandlers()
    const pollRfqs = () => gates[started++]?.passed.then(() => undefined) ?? Promise.resolve(undefined)
    await runner.work({ ...handlers, 'poll-rfqs': pollRfqs })
    let time = Date.parse('2026-11-21T12:00:00Z')
    const now = () => new Date(time++)
    const { queue } = (await createQueueActions(APP, now))(runner)
    const order = { name: 'poll-rfqs', payload: { channel: KEY, cause: 'page ana' } } as const
    const enqueue = () => queue.enqueue(order, queue.newId(order))
    expect(await enqueue()).toBe(true)
    for (const [index, gate] of gates.entries()) {
      await expect.poll(() => started, { interval: 5 }).toBe(index + 1)
      expect([await enqueue(), await enqueue()]).toEqual([true, false])
      gate.open()
    }
  })

  it('is unknown if a program has replaced it', async () => {
    const runner = await runners.open()
    const gate = createGate()
    const { handlers } = recordingHandlers()
    await runner.work({ ...handlers, 'poll-rfqs': () => gate.passed.then(() => undefined) })
    const { queue } = (await createQueueActions(APP, () => new Date()))(runner)
    const order = { name: 'poll-rfqs', payload: { channel: KEY, cause: 'api' } } as const
    const stateOf = async (id: string) => (await queue.status(id))?.state
    await runner.enqueue('poll-rfqs', order.payload, 'tick-1')
    await expect.poll(() => stateOf('tick-1'), { interval: 5 }).toBe('active')
    expect(await queue.enqueue(order, 'asked')).toBe(true)
    await runner.enqueue('poll-rfqs', order.payload, 'tick-2')
    expect(await stateOf('asked')).toBe('waiting')
    gate.open()
    await expect.poll(() => stateOf('tick-2'), { interval: 5 }).toBe('completed')
    expect(await stateOf('asked')).toBeUndefined()
  })
})
