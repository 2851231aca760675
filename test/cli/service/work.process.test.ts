import { describe, expect, it } from 'vitest'
import { eventually } from '../../helpers/eventually.js'
import { redisSkipReason } from '../../helpers/servers/private-redis.js'
import { openProcessFixture, type RunningProcess } from '../../helpers/servers/process-fixture.js'
import { useRedisRunners } from '../../helpers/servers/redis-runners.js'

describe.skipIf(redisSkipReason !== null)('work', () => {
  const runners = useRedisRunners()

  async function startWork(...options: string[]): Promise<RunningProcess> {
    // The queue of the previous test belongs to another database.
    await runners.redis.withClient((client) => client.flushall())
    const { start } = await openProcessFixture({ more: `queue: ${runners.redis.url}\n` })
    const worker = start(['work', ...options])
    await eventually(() => expect(worker.out).toContain('quotekeeper started'))
    return worker
  }

  it('answers health on --port, and stops with 0', async () => {
    const worker = await startWork('--port', '0')
    const { url } = JSON.parse(worker.out.split('\n').find((line) => line.includes('quotekeeper started')) as string)
    expect(await (await fetch(`${url}/healthz`)).json()).toEqual({ status: 'ok' })
    const ready = (await (await fetch(`${url}/readyz`)).json()) as { checks: { name: string; ok: boolean }[] }
    expect(ready.checks.filter(({ ok }) => ok).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['database', 'queue']),
    )
    worker.signal('SIGTERM')
    expect(await worker.ended).toBe('exit 0')
  })
})
