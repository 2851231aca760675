import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it, vi } from 'vitest'
import type { SendMessage } from '../../src/notify/contract.js'
import { retryPause } from '../../src/notify/deliverer.js'
import { shareOf } from '../helpers/long-tests.js'
import { httpReceiver } from '../helpers/servers/http-receiver.js'
import { openAgain } from '../helpers/store/store-engine.js'
import { CHANNEL, email, notifications, openFeed, SECRET, TAKES_ALL, webhook } from './feed-fixture.js'

const HOUR = 3_600_000
const eventsIn = ({ body }: { body: string }): { id: string; sequence: number }[] => JSON.parse(body).events
const sequencesIn = (received: { body: string }) => eventsIn(received).map(({ sequence }) => sequence)
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at)

/** A target whose requests a server answers. */
async function openWebhook(answer?: Parameters<typeof httpReceiver>[0]) {
  const feed = await openFeed()
  const server = await httpReceiver(answer)
  return { feed, server, service: await notifications(feed.store, [webhook(server.url)]) }
}

describe('deliveries to a webhook', () => {
  it('are signed pages of at most 50 events, whose id is the same only for the same events', async () => {
    let status = 503
    const { feed, server, service } = await openWebhook(() => ({ status }))
    for (let count = 0; count < 120; count++) await feed.emit()
    await service.deliver()
    feed.advance(60_000)
    status = 204
    await service.deliver()
    expect(server.accepted.map((each) => sequencesIn(each).length)).toEqual([50, 50, 20])
    expect(server.accepted.flatMap(sequencesIn)).toEqual(upTo(120))
    const ids = server.requests.map(({ headers }) => headers['webhook-id'])
    expect(ids[1]).toBe(ids[0])
    expect(new Set(ids).size).toBe(3)
    const last = server.accepted.at(-1) as (typeof server.accepted)[number]
    const { events } = new Webhook(SECRET).verify(last.body, last.headers) as { events: Record<string, unknown>[] }
    expect(last.headers['webhook-id']).toMatch(/^msg_[0-9a-f]{32}$/)
    expect(events.at(-1)).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'offer.new',
      timestamp: expect.stringMatching(/^2026-11-21T12:/),
      channel: CHANNEL,
      rfqId: null,
      offerId: null,
      sequence: 120,
      version: null,
      text: expect.stringContaining('acme/forest: new offer'),
      data: { decision: 120, reason: '' },
    })
    expect(() => new Webhook(SECRET).verify(`${last.body} `, last.headers)).toThrow()
    expect(await feed.store.targetStates()).toMatchObject([{ position: 120, waiting: 0, failures: 0, error: null }])
  })

  it('wait as long as Retry-After asks, and longer after each failure', async () => {
    const answers = [{ status: 429, headers: { 'retry-after': '7200' } }, { status: 500 }, { status: 401 }]
    const { feed, server, service } = await openWebhook((_, count) => answers[count - 1] ?? { status: 204 })
    await feed.emit()
    await service.deliver()
    for (const [failures, seconds] of [7200, 20, 80].entries()) {
      feed.advance((seconds - 1) * 1000)
      await service.deliver()
      expect(server.requests).toHaveLength(failures + 1)
      feed.advance(1000)
      await service.deliver()
      expect(server.requests).toHaveLength(failures + 2)
    }
  })

  it.each([400, 413, 422])('pass over at once what is refused with %i, and show it', async (status) => {
    const { feed, server, service } = await openWebhook((request) => ({
      status: sequencesIn(request).includes(2) ? status : 204,
      body: 'no\u0007such\nfield',
    }))
    for (let sequence = 1; sequence <= 3; sequence++) {
      await feed.emit()
      await service.deliver()
    }
    expect(server.requests.flatMap(sequencesIn)).toEqual([1, 2, 3])
    const error = `status ${status}: no\ufffdsuch field`
    expect(await feed.store.targetStates()).toMatchObject([
      { position: 3, failures: 0, error: null, passedOver: { from: 2, to: 2, events: 1, error } },
    ])
    expect(service.log.at('warn')).toEqual(['notification refused; its events are passed over'])
  })

  it('pass over as one record what is older than a day once an outage lasts longer, and send the rest', async () => {
    let status = 404
    const { feed, server, service } = await openWebhook(() => ({ status }))
    const state = async () => (await feed.store.targetStates())[0]
    const hours = async (count: number) => {
      for (let hour = 0; hour < count; hour += 4) {
        await feed.emit()
        await service.deliver()
        feed.advance(4 * HOUR)
      }
    }
    await hours(24)
    expect(await state()).toMatchObject({ position: 0, waiting: 6, passedOver: null })
    await hours(24)
    // The attempt of the 44th hour was the last: it passed over what happened before the 20th.
    expect(await state()).toMatchObject({ position: 5, passedOver: { from: 1, to: 5, events: 5 } })
    await hours(8)
    expect(await state()).toMatchObject({
      passedOver: { from: 1, to: 7, events: 7, error: expect.stringMatching(/404/) },
    })
    const outage = server.requests.length
    status = 204
    await feed.emit()
    await service.deliver()
    expect(server.requests.slice(outage).flatMap(sequencesIn)).toEqual(upTo(8, 8))
    expect(await state()).toMatchObject({ position: 15, failures: 0, error: null, passedOver: { from: 1, to: 7 } })
  })

  it('store no secret of the target that it repeats: its address, also where the reply is cut', async () => {
    const feed = await openFeed()
    const server = await httpReceiver(({ path }) => ({
      status: 500,
      body: `no /hook at ${path}${' '.repeat(3)}${'x'.repeat(350)}${path}`,
    }))
    const url = server.url.replace('/in', '/hook/S3CRET-of-crm')
    const service = await notifications(feed.store, [webhook(url, 'crm', { isUrlSecret: true })])
    await feed.emit()
    await service.deliver()
    const error = expect.stringMatching(/^status 500: no \/hook at \[secret\] x+\[sec/)
    expect(await feed.store.targetStates()).toMatchObject([{ error }])
    expect(JSON.stringify(service.log)).not.toContain('S3CRET')
  })

  it('never follow a redirect, and a target that is gone does not delay the others', async () => {
    const feed = await openFeed()
    const elsewhere = await httpReceiver()
    const server = await httpReceiver(() => ({ status: 307, headers: { location: elsewhere.url } }))
    const alive = await httpReceiver()
    const targets = [webhook(server.url), webhook('http://127.0.0.1:1/x', 'gone'), webhook(alive.url, 'alive')]
    const service = await notifications(feed.store, targets)
    await feed.emit()
    await service.deliver()
    expect([server.requests.length, elsewhere.requests.length, alive.accepted.length]).toEqual([1, 0, 1])
    const errors = Object.fromEntries((await feed.store.targetStates()).map(({ target, error }) => [target, error]))
    expect(errors.crm).toContain('redirects are not followed')
    expect(errors.gone).toContain('ECONNREFUSED')
    expect(service.log.at('warn')).toHaveLength(2)
  })
})

describe('a target', () => {
  it('takes kinds and channels, and always what belongs to no channel; a new one gets only later events', async () => {
    const feed = await openFeed()
    const server = await httpReceiver()
    await feed.emit()
    const target = webhook(server.url, 'crm', { kinds: ['offer.new', 'close.stopped'], channels: ['acme/blue'] })
    const service = await notifications(feed.store, [target])
    await feed.emit('offer.new')
    await feed.emit('rfq.new', 'acme/blue')
    await feed.emit('offer.new', 'acme/blue')
    await feed.store.stopClosing({ by: 'Anna', reason: 'wrong prices', now: feed.now() })
    await feed.emit('offer.new')
    await service.deliver()
    expect(server.accepted.map(sequencesIn)).toEqual([[4, 5]])
    expect(await feed.store.targetStates()).toMatchObject([{ position: 6, waiting: 0 }])
    // Started without targets, then with it again: nothing of the time between is sent.
    await feed.store.setTargets([])
    await feed.emit('offer.new', 'acme/blue')
    const again = await notifications(feed.store, [{ ...target, ...TAKES_ALL }])
    await feed.emit('rfq.new')
    await again.deliver()
    expect(server.accepted.map(sequencesIn)).toEqual([[4, 5], [8]])
  })

  it('gets everything from a sequence on once its position is set, also what it got, and others nothing', async () => {
    const feed = await openFeed()
    const [crm, erp] = [await httpReceiver(() => ({ status: 422 })), await httpReceiver()]
    const service = await notifications(feed.store, [webhook(crm.url), webhook(erp.url, 'erp')])
    for (let at = 0; at < 4; at++) await feed.emit()
    await service.deliver()
    expect(await feed.store.setPosition('nobody', 1)).toBe(false)
    expect(await feed.store.setPosition('crm', 3)).toBe(true)
    expect(await feed.store.targetStates()).toMatchObject([{ waiting: 2, passedOver: null }, { waiting: 0 }])
    await service.deliver()
    expect(crm.requests.map(sequencesIn)).toEqual([upTo(4), [3, 4]])
    expect(erp.requests.map(sequencesIn)).toEqual([upTo(4)])
    // Beyond the end, it is the end.
    await feed.store.setPosition('crm', 99)
    expect((await feed.store.targetStates())[0]).toMatchObject({ position: 4 })
  })

  it('keeps a position that is set while a page is sent', async () => {
    const feed = await openFeed()
    await notifications(feed.store, [webhook('http://127.0.0.1:1')])
    await feed.emit()
    const page = await feed.store.takePage({ target: 'crm', limit: 50, upTo: null, now: feed.now() })
    if (page === null) throw new Error('nothing waits')
    await feed.store.setPosition('crm', 1)
    await feed.store.endPage(page, { kind: 'delivered' }, feed.now())
    expect(await feed.store.targetStates()).toMatchObject([{ position: 0, waiting: 1 }])
  })

  it('is taken over from a process whose heartbeat does not change for 15 seconds, whatever the clocks say', async () => {
    const feed = await openFeed()
    vi.useFakeTimers({ toFake: ['Date', 'performance'], now: feed.now() })
    await notifications(feed.store, [webhook('http://127.0.0.1:1')])
    await feed.emit()
    const next = (store = feed.store) => store.takePage({ target: 'crm', limit: 50, upTo: null, now: feed.now() })
    const page = await next()
    // As of a process on another machine.
    const elsewhere = `update delivery_targets set holder = '{"host":"elsewhere","pid":1,"nonce":"n"}'`
    await feed.store.database.write((tx) => tx.run(elsewhere))
    const other = await openAgain(feed.store.name, { clock: feed.now })
    const beat = () =>
      feed.store.database.write((tx) => tx.run('update delivery_targets set heartbeat = heartbeat + 1'))
    const looks = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 5) {
        expect(await next(other)).toBeNull()
        vi.advanceTimersByTime(5_000)
      }
    }
    await looks(15)
    await beat()
    await looks(10)
    feed.advance(-3 * HOUR)
    await looks(5)
    expect((await next(other))?.events).toEqual(page?.events)
    // The first one lost it, so its delivery moves nothing.
    if (page) await feed.store.endPage(page, { kind: 'delivered' }, feed.now())
    expect(await feed.store.targetStates()).toMatchObject([{ position: 0 }])
    await other.close()
  })

  it('stays with a process for as long as that lives, which it shows every five seconds', async () => {
    const feed = await openFeed()
    vi.useFakeTimers({ toFake: ['Date', 'setInterval'], now: feed.now() })
    await feed.reopen()
    await notifications(feed.store, [webhook('http://127.0.0.1:1')])
    await feed.emit()
    await feed.store.takePage({ target: 'crm', limit: 50, upTo: null, now: feed.now() })
    vi.advanceTimersByTime(10_000)
    const select = 'select heartbeat from delivery_targets'
    await vi.waitFor(async () => expect(await feed.store.database.get(select)).toEqual({ heartbeat: 3 }))
  })
})

describe('a digest', () => {
  const weekly = email({ digest: '0 7 * * 1' })

  it('has what happened up to its tick, over weeks and restarts, also if attempts fail', async () => {
    const feed = await openFeed()
    const sent: number[][] = []
    let fail = true
    const send: SendMessage = async (_, events) => {
      if (fail) return { kind: 'failed', status: null, error: 'not now', retryAfterMs: null }
      sent.push(events.map(({ sequence }) => sequence))
      return { kind: 'delivered' }
    }
    for (let day = 0; day < 3 * 7; day++) {
      if (day % 5 === 0) await feed.reopen()
      const service = await notifications(feed.store, [weekly], { send })
      await feed.emit()
      fail = new Date().getUTCDay() === 1
      await service.deliver()
      feed.advance(24 * HOUR)
    }
    // The first event is of Saturday noon, and digests are of Monday morning.
    expect(sent).toEqual([upTo(2), upTo(7, 3), upTo(7, 10)])
  })

  it('of more events than one message may have is sent whole, also if its second message fails at first', async () => {
    const feed = await openFeed()
    const sent: number[] = []
    let attempts = 0
    const send: SendMessage = async (_, events) => {
      if (++attempts === 2) return { kind: 'failed', status: 451, error: 'not now', retryAfterMs: null }
      sent.push(events.length)
      return { kind: 'delivered' }
    }
    const service = await notifications(feed.store, [weekly], { send })
    const events = Array.from({ length: 501 }, () => {
      return { kind: 'offer.new' as const, at: feed.now().toISOString(), channel: CHANNEL, data: {} }
    })
    await feed.store.recordEvents(events)
    feed.advance(48 * HOUR)
    await service.deliver()
    feed.advance(60_000)
    await service.deliver()
    expect(sent).toEqual([200, 200, 101])
  })
})

describe('pruning', () => {
  it('keeps events of documents, and deletes old others that every target got, but never the newest', async () => {
    const { feed, service } = await openWebhook()
    for (const kind of ['report.made', 'offer.new', 'problems.found'] as const) await feed.emit(kind)
    await service.deliver()
    await feed.emit('report.made')
    await feed.emit('report.made')
    feed.advance(HOUR)
    const prune = async () => (await feed.store.prune({ before: feed.now() })).events
    expect([await prune(), await prune()]).toEqual([2, 0])
    await service.deliver()
    expect([await prune(), await prune()]).toEqual([1, 0])
    const { items, beginsAt, next } = await feed.store.events({ after: 0, limit: 10 })
    expect(items.map(({ sequence }) => sequence)).toEqual([2, 5])
    expect([beginsAt, next]).toEqual([5, 5])
  })
})

describe('the pause between attempts', () => {
  it('grows to four hours, is shortened by half at most, and never below Retry-After', () => {
    const pauses = Array.from({ length: 9 }, (_, failures) => retryPause(failures, null, () => 0) / 1000)
    expect(pauses).toEqual([5, 20, 80, 320, 1280, 5120, 14_400, 14_400, 14_400])
    expect(retryPause(1, null, () => 1)).toBe(10_000)
    expect(retryPause(1, 60_000, () => 1)).toBe(60_000)
  })
})

describe('over many rounds with failures, crashes and restarts', () => {
  const round = fc.record({
    emit: fc.integer({ min: 0, max: 70 }),
    fail: fc.subarray(['one', 'two']),
    crash: fc.constantFrom('none', 'none', 'before', 'after'),
    restart: fc.boolean(),
    minutes: fc.constantFrom(0, 1, 3, 30),
  })

  it('every event reaches every target in order, and pages repeat only after a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 6, maxLength: 8 }), async (rounds) => {
        const feed = await openFeed()
        const received: Record<string, number[][]> = { one: [], two: [] }
        let failing: readonly string[] = []
        let crash = 'none'
        let crashes = 0
        const die = async (): Promise<never> => {
          crashes++
          throw new Error('killed')
        }
        const targets = ['one', 'two'].map((name) => webhook('http://127.0.0.1:1', name))
        const service = () =>
          notifications(
            new Proxy(feed.store, {
              get: (store, name, self) =>
                name === 'endPage' && crash !== 'none' ? die : Reflect.get(store, name, self),
            }),
            targets,
            {
              send: async ({ name }, events) => {
                if (crash === 'before') return die()
                if (failing.includes(name)) return { kind: 'failed', status: 500, error: '', retryAfterMs: null }
                received[name]?.push(events.map(({ sequence }) => sequence))
                return { kind: 'delivered' }
              },
            },
          )
        let emitted = 0
        let running = await service()
        for (const each of rounds) {
          for (let count = 0; count < each.emit; count++) emitted = await feed.emit()
          failing = each.fail
          crash = each.crash
          await running.deliver()
          if (each.restart || crash !== 'none') {
            crash = 'none'
            await feed.reopen()
            running = await service()
          }
          feed.advance(each.minutes * 60_000)
        }
        failing = []
        for (let count = 0; count < 3; count++) {
          feed.advance(4 * HOUR)
          await running.deliver()
        }
        for (const pages of Object.values(received)) {
          const first = pages.filter((page, at) => page[0] !== pages[at - 1]?.[0])
          if (crashes === 0) expect(pages).toEqual(first)
          // A page that is sent again may have grown.
          const order = pages.flat().filter((sequence, at, all) => all.indexOf(sequence) === at)
          expect(order).toEqual(upTo(emitted))
          expect(pages.length - first.length).toBeLessThanOrEqual(crashes)
        }
        expect(await feed.store.targetStates()).toMatchObject([{ waiting: 0 }, { waiting: 0 }])
      }),
      { numRuns: shareOf(8) },
    )
  })
})
