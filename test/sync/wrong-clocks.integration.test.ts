import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { closeExpired } from '../../src/closing/closing-round.js'
import { createMarketplace } from '../../src/marketplace/client.js'
import { createWorld, startSandbox } from '../../src/sandbox/index.js'
import type { Store } from '../../src/store/contract.js'
import type { PollPlanning } from '../../src/sync/contract.js'
import { pollRfqs } from '../../src/sync/poll-rfqs.js'
import { shareOf } from '../helpers/long-tests.js'
import { openNewStore } from '../helpers/store/new-store.js'
import { openAgain } from '../helpers/store/store-engine.js'

const CHANNEL = { org: 'acme', channel: 'forest', apiKey: 'key of acme' }
const KEY = 'acme/forest'
const START = Date.parse('2026-11-21T00:00:00.000Z')
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Two processes on one database, each with a clock that only the test sets, and a marketplace whose clock is right. */
async function openDesk() {
  let time = START
  const right = () => new Date(time)
  const world = createWorld({
    ...{ seed: 1, now: right(), still: true },
    channels: [{ ...CHANNEL, listings: 1, rfqs: 0 }],
  })
  const sandbox = await startSandbox({ world, now: right })
  onTestFinished(() => sandbox.close())
  const first = await openNewStore({ clock: right })
  const processes = [openProcess(first), openProcess(await openAgain(first.name, { clock: right }))] as const
  onTestFinished(async () => {
    for (const { close } of processes) await close()
  })

  function openProcess(opened: Store) {
    let store = opened
    let aheadMs = 0
    const now = () => new Date(time + aheadMs)
    const marketplace = createMarketplace({
      baseUrl: sandbox.url,
      limits: { concurrency: 4, perSecond: 100_000, timeoutMs: 5_000, retries: 0, maxBodyMiB: 16 },
      ...{ version: 'test', now },
    })
    const context = () => ({ session: marketplace.session(CHANNEL), store, now })
    return {
      get store() {
        return store
      },
      now,
      setAhead(milliseconds: number) {
        aheadMs = milliseconds
      },
      async restart() {
        await store.close()
        store = await openAgain(store.name, { clock: right })
      },
      poll: (planning?: PollPlanning) =>
        pollRfqs(context(), { recheckClosedHours: 24, concurrency: 4, ...(planning && { planning }) }),
      close: async () => {
        await marketplace.close()
        await store.close()
      },
      closeExpired: () =>
        closeExpired(
          { ...context(), killSwitch: async () => null, pause: async () => undefined },
          { mode: 'on', timeZone: 'UTC', graceHours: 0, maxPerRun: 25, maxClockSkewSeconds: 60 },
        ),
    }
  }
  const pass = (milliseconds: number) => {
    time += milliseconds
  }
  return { world, processes, pass }
}

type Desk = Awaited<ReturnType<typeof openDesk>>

async function expectStored({ world, processes }: Desk, rfqId: string, offerId: string) {
  const [{ rfq, responses } = { rfq: null, responses: [] }] = await processes[0].store.rfqs({ channel: KEY })
  expect(rfq?.body).toMatchObject({ title: world.rfq(rfqId).title })
  expect(responses.map(({ id, body }) => ({ id, body }))).toEqual([
    { id: offerId, body: expect.objectContaining({ offer: world.response(offerId).offer }) },
  ])
}

/** Of each document: one version at any moment, in the order in which they were recorded. */
async function expectOrdered(store: Store, rfqId: string) {
  const newest = new Map<string, { observedAt: string; supersededAt: string | null }>()
  const byVersion = (await store.rfqHistory(KEY, rfqId)).toSorted((a, b) => a.version - b.version)
  for (const { kind, version, notBefore, observedAt, supersededAt } of byVersion) {
    const before = newest.get(kind)
    if (before) {
      expect(before.supersededAt).toBe(observedAt)
      expect(observedAt >= before.observedAt).toBe(true)
    } else expect(version).toBe(1)
    expect(notBefore === null || notBefore <= observedAt).toBe(true)
    newest.set(kind, { observedAt, supersededAt })
  }
  expect([...newest.values()].map(({ supersededAt }) => supersededAt)).toEqual([...newest.values()].map(() => null))
}

/** How far clocks are wrong. */
const wrong = fc.constantFrom(0, 0, 10 * MINUTE, -10 * MINUTE, HOUR, -HOUR, 9 * HOUR, 40_000, -40_000, 365 * 24 * HOUR)

describe('with clocks that are wrong', () => {
  it('each poll of a day records what the marketplace shows, whichever process it is of, through restarts', async () => {
    const step = fc.record({ process: fc.constantFrom(0, 1), ahead: wrong, restarts: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 6, maxLength: 24 }), async (steps) => {
        const desk = await openDesk()
        const { world, processes, pass } = desk
        const { id: rfqId } = world.addRfq(CHANNEL, { responseDueDate: '2027-12-24', title: 'Title 0' })
        const { id: offerId } = world.addResponse(rfqId)
        await processes[0].poll()
        for (const [number, { process, ahead, restarts }] of steps.entries()) {
          const poller = processes[process] as (typeof processes)[number]
          poller.setAhead(ahead)
          if (restarts) await poller.restart()
          pass(HOUR / 2)
          world.changeRfq(rfqId, { title: `Title ${number + 1}` })
          world.changeResponse(offerId, { offer: { totalPrice: 1_000 + number } })
          expect((await poller.poll()).run).toMatchObject({ outcome: 'complete', changed: 2 })
          await expectStored(desk, rfqId, offerId)
          await expectOrdered(poller.store, rfqId)
          pass(HOUR / 2)
          expect((await poller.poll()).run).toMatchObject({ outcome: 'complete', changed: 0, unchanged: 2 })
        }
      }),
      { numRuns: shareOf(6) },
    )
  })

  it.each([10 * MINUTE, HOUR, 365 * 24 * HOUR])(
    'planned polls read at once what a poll %i ms ahead of them read, and say so, and RFQs past due are closed',
    async (ahead) => {
      const desk = await openDesk()
      const { world, processes, pass } = desk
      const [right, other] = processes
      const { id: rfqId } = world.addRfq(CHANNEL, { responseDueDate: '2026-11-24' })
      const { id: offerId } = world.addResponse(rfqId)
      const { id: overdueId } = world.addRfq(CHANNEL, { responseDueDate: '2026-11-20' })
      const planned = (process: Desk['processes'][number]) => {
        const nextPollAt = new Date(process.now().getTime() + 5 * MINUTE)
        const rules = { offersMaxAgeMinutes: 60, urgentHours: 0, intervalMs: 5 * MINUTE }
        return process.poll({ budget: 100, usualBudget: 100, nextPollAt, ...rules })
      }
      other.setAhead(ahead)
      expect((await planned(other)).run).toMatchObject({ outcome: 'complete', inserted: 3, futureStoredAt: null })
      const newest = other.now().toISOString()
      // A part that no summary shows: only reading the offer again finds it.
      world.changeResponse(offerId, { offer: { additionalNotesToBuyer: 'New notes' } })
      pass(5 * MINUTE)
      expect(await right.store.futureTimes(right.now())).toEqual([{ channel: KEY, at: newest, versions: 5 }])
      const { run } = await planned(right)
      expect(run).toMatchObject({ outcome: 'complete', changed: 1, futureStoredAt: newest })
      expect(run.error).toContain(`times up to ${newest} were stored before; set the clocks of all machines`)
      await expectOrdered(right.store, rfqId)
      for (let poll = 0; poll < 3; poll++) {
        pass(5 * MINUTE)
        expect((await planned(right)).run).toMatchObject({ outcome: 'complete', error: null, futureStoredAt: null })
      }
      expect((await right.closeExpired()).decisions).toMatchObject([{ rfqId: overdueId, outcome: 'closed' }])
      expect(world.rfq(overdueId).state).toBe('closed')
    },
  )
})
