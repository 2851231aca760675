import { setMaxListeners } from 'node:events'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LargeReplyLock } from '../../../src/marketplace/body/large-reply.js'
import { AbortedError } from '../../../src/marketplace/errors.js'
import { CancelToken } from '../../../src/marketplace/http/cancel-token.js'
import { ManualClock } from '../../helpers/manual-clock.js'

const forever = new AbortController().signal
setMaxListeners(0, forever)

it('one reply at a time is large, whatever is cancelled, and those that are not cancelled are served in order', async () => {
  const reply = fc.record({ at: fc.nat(500), takes: fc.nat(300), cancelledAt: fc.option(fc.nat(2000)) })
  await fc.assert(
    fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 30 }), async (replies) => {
      const time = new ManualClock()
      const lock = new LargeReplyLock()
      const asked: number[] = []
      const served: number[] = []
      const cancelled: number[] = []
      let large = 0
      const read = async ({ at, takes, cancelledAt }: (typeof replies)[number], index: number) => {
        const [owner, cancelToken] = [{}, new CancelToken()]
        if (cancelledAt !== null) {
          void time.wait(cancelledAt, forever).then(() => cancelToken.cancel(new AbortedError('cancelled')))
        }
        await time.wait(at, forever)
        try {
          asked.push(index)
          await lock.acquire(owner, cancelToken)
          served.push(index)
          expect(lock.tryAcquire(owner)).toBe(true)
          expect(lock.tryAcquire({})).toBe(false)
          expect(++large).toBe(1)
          await time.wait(takes, forever)
          large--
        } catch (error) {
          if (!(error instanceof AbortedError)) throw error
          cancelled.push(index)
        } finally {
          lock.release(owner)
        }
      }
      const all = Promise.all(replies.map(read))
      await time.runAll()
      await all
      expect(served).toEqual(asked.filter((index) => !cancelled.includes(index)))
      expect(cancelled.every((index) => replies[index]?.cancelledAt !== null)).toBe(true)
      expect(lock.tryAcquire({})).toBe(true)
    }),
  )
})
