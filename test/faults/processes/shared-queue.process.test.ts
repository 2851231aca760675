import { expect, onTestFinished } from 'vitest'
import { createRunner } from '../../../jobs/service.js'
import { eventually } from '../../helpers/eventually.js'
import { recordingHandlers } from '../../helpers/recording-handlers.js'
import { recordingLog } from '../../helpers/recording-log.js'
import { PrivateRedis, redisSkipReason } from '../../helpers/servers/private-redis.js'
import { faultUnless } from '../fault-test.js'

const fault = faultUnless(redisSkipReason)

async function startRedis() {
  const redis = await PrivateRedis.start()
  onTestFinished(() => redis.remove())
  return redis
}

fault(
  'a process with another database on the same Redis',
  'a job waits for the processes with its database',
  async () => {
    const { url } = await startRedis()
    const open = async (database: string) => {
      const runner = await createRunner({ kind: 'redis', url }, { database, log: recordingLog() })
      onTestFinished(() => runner.close(0))
      return runner
    }
    const [one, two] = [await open('one'), await open('two')]
    const { handlers, done } = recordingHandlers()
    const payload = { channel: 'acme/forest', cause: 'tick' }
    const ids = [await one.enqueue('poll-rfqs', payload), await two.enqueue('poll-rfqs', payload)] as [string, string]
    await two.work(handlers)
    await eventually(async () => expect(await two.job(ids[1])).toMatchObject({ state: 'completed' }))
    expect(done).toHaveLength(1)
    expect(await one.job(ids[0])).toMatchObject({ state: 'waiting' })
  },
)
