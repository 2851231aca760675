import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import type { EventRecord } from '../../src/core/events/events.js'
import type { EmailTarget, WebhookTarget } from '../../src/notify/contract.js'
import { createDeliverer } from '../../src/notify/deliverer.js'
import { retryPause } from '../../src/notify/retry.js'
import { ROUNDS, shareOf } from '../helpers/long-tests.js'
import { CHANNEL, httpReceiver, notifications, openOutbox, SECRET } from './outbox-fixture.js'

const HOUR = 3_600_000
const webhook = (url: string, name = 'crm'): WebhookTarget => ({
  name,
  type: 'webhook',
  url,
  isUrlSecret: false,
  secret: SECRET,
})
const decisionIn = ({ body }: { body: string }) => JSON.parse(body).data.decision as number

describe('deliveries to a webhook', () => {
  it('arrive signed, once and in order, from a server that fails half of the time', async () => {
    const outbox = await openOutbox()
    const server = await httpReceiver((_, count) => ({ status: count % 2 === 1 ? 503 : 204 }))
    const service = await notifications(outbox.store, [webhook(server.url)])
    const emitted: number[] = []
    for (let round = 0; round < 8; round++) {
      emitted.push(await outbox.emit(), await outbox.emit())
      await service.deliver()
      outbox.advance(60_000)
    }
    for (let round = 0; server.accepted.length < emitted.length && round < 50; round++) {
      outbox.advance(5 * 60_000)
      await service.deliver()
    }
    expect(server.accepted.map(decisionIn)).toEqual(emitted)
    expect(server.requests.length).toBeGreaterThan(1.9 * emitted.length)
    expect(new Set(server.accepted.map(({ headers }) => headers['webhook-id'])).size).toBe(emitted.length)
    const last = server.accepted.at(-1) as (typeof server.accepted)[number]
    const payload = new Webhook(SECRET).verify(last.body, last.headers) as Record<string, unknown>
    expect(payload).toEqual({
      id: last.headers['webhook-id'],
      type: 'offer.new',
      timestamp: expect.stringMatching(/^2026-11-21T12:0.:00.000Z$/),
      channel: CHANNEL,
      rfqId: null,
      offerId: null,
      sequence: emitted.length,
      version: null,
      text: expect.stringContaining('acme/forest: new offer'),
      data: { decision: emitted.at(-1), reason: '' },
    })
    expect(() => new Webhook(SECRET).verify(`${last.body} `, last.headers)).toThrow()
    expect(await outbox.store.deliveries({})).toEqual([])
  })

  it('wait as long as Retry-After asks, and longer after each failure', async () => {
    const outbox = await openOutbox()
    const answers = [
      { status: 429, headers: { 'retry-after': '7200' } },
      { status: 500 },
      { status: 503 },
      { status: 200 },
    ]
    const server = await httpReceiver((_, count) => answers[count - 1] ?? { status: 204 })
    const service = await notifications(outbox.store, [webhook(server.url)])
    await outbox.emit()
    const waits: number[] = []
    for (let last = Date.now(), seen = 0; seen < 4; outbox.advance(1000)) {
      await service.deliver()
      if (server.requests.length === seen) continue
      seen = server.requests.length
      waits.push((Date.now() - last) / 1000)
      last = Date.now()
      if (seen === 1) outbox.advance(7_190_000)
    }
    expect(waits).toEqual([0, 7200, 20, 80])
  })

  it('are retried without holding up the others if only one message is rejected', async () => {
    const outbox = await openOutbox()
    const server = await httpReceiver((request) => ({
      status: decisionIn(request) === 2 ? 422 : 204,
      body: 'no\u0007such\nfield',
    }))
    const service = await notifications(outbox.store, [webhook(server.url)])
    for (let at = 0; at < 4; at++) await outbox.emit()
    await service.deliver()
    expect(server.accepted.map(decisionIn)).toEqual([1, 3, 4])
    const [delivery] = await outbox.store.deliveries({})
    expect(delivery).toMatchObject({ state: 'pending', attempts: 1, status: 422, error: 'status 422: no such field' })
  })

  it('store no secret of the target that it repeats: its address, also where the reply is cut, or the signature', async () => {
    const outbox = await openOutbox()
    const server = await httpReceiver(({ path, headers }) => ({
      status: 500,
      body: `no /hook at ${path}, signature ${headers['webhook-signature']}${' '.repeat(3)}${'x'.repeat(100)}${path}`,
    }))
    const url = server.url.replace('/in', '/hook/S3CRET-of-crm')
    const service = await notifications(outbox.store, [{ ...webhook(url), isUrlSecret: true }])
    await outbox.emit()
    await service.deliver()
    const error = `status 500: no /hook at [secret], signature [secret] ${'x'.repeat(100)}[secret]`
    expect(await outbox.store.deliveries({})).toMatchObject([{ error }])
    expect(await outbox.store.targetStates()).toMatchObject([{ error }])
    expect(JSON.stringify(service.log)).not.toContain('S3CRET')
  })

  it('become dead letters after 72 hours and a last attempt, and are sent again when asked for', async () => {
    const outbox = await openOutbox()
    let status = 500
    const server = await httpReceiver(() => ({ status }))
    const service = await notifications(outbox.store, [webhook(server.url)])
    await outbox.emit()
    await service.deliver()
    for (let hours = 0; hours < 70; hours += 4.5) {
      outbox.advance(4.5 * HOUR)
      await service.deliver()
    }
    await outbox.emit('rfq.new')
    expect((await outbox.store.deliveries({ states: ['dead'] })).length).toBe(0)
    outbox.advance(5 * HOUR)
    await service.deliver()
    const states = (await outbox.store.deliveries({})).map(({ kind, state }) => `${kind} ${state}`)
    expect(states).toEqual(['offer.new dead', 'rfq.new pending'])
    const [dead] = await outbox.store.deliveries({ states: ['dead'] })
    const before = server.requests.at(-1)?.headers['webhook-id']
    status = 204
    expect(await outbox.store.retryDeliveries({ ids: [dead?.id ?? 0] }, outbox.now())).toEqual([dead?.id])
    expect(await outbox.store.retryDeliveries({ ids: [4711] }, outbox.now())).toEqual([])
    await service.deliver()
    expect(server.accepted.map(({ headers }) => headers['webhook-id'])).toContain(before)
    expect(server.accepted).toHaveLength(2)
    expect(await outbox.store.deliveries({})).toEqual([])
  })

  it('are sent again from a sequence on when asked for, also what was delivered, to one target or all', async () => {
    const outbox = await openOutbox()
    const [crm, erp] = [await httpReceiver(), await httpReceiver()]
    const service = await notifications(outbox.store, [webhook(crm.url), webhook(erp.url, 'erp')])
    for (let at = 0; at < 4; at++) await outbox.emit()
    await service.deliver()
    const received = ({ accepted }: typeof crm) => accepted.map(({ body }) => JSON.parse(body).sequence as number)
    const again = async (which: Parameters<typeof outbox.store.retryDeliveries>[0]) => {
      const found = await outbox.store.retryDeliveries(which, outbox.now())
      await outbox.reopen()
      await (await notifications(outbox.store, [webhook(crm.url), webhook(erp.url, 'erp')])).deliver()
      return found.length
    }
    expect([await again({ target: 'crm' }), await again({ fromSequence: 5 }), await again({})]).toEqual([0, 0, 0])
    expect(await again({ fromSequence: 3, target: 'crm' })).toBe(2)
    expect([received(crm), received(erp)]).toEqual([
      [1, 2, 3, 4, 3, 4],
      [1, 2, 3, 4],
    ])
    expect(await again({ fromSequence: 1 })).toBe(8)
    expect(received(crm).slice(6)).toEqual([1, 2, 3, 4])
    expect(received(erp).slice(4)).toEqual([1, 2, 3, 4])
    // Each event has the id that it had before.
    expect(new Set(crm.accepted.map(({ headers }) => headers['webhook-id'])).size).toBe(4)
  })

  it('never follow a redirect, and a target that is gone does not delay the others', async () => {
    const outbox = await openOutbox()
    const elsewhere = await httpReceiver()
    const server = await httpReceiver(() => ({ status: 307, headers: { location: elsewhere.url } }))
    const alive = await httpReceiver()
    const targets = [webhook(server.url), webhook('http://127.0.0.1:1/x', 'gone'), webhook(alive.url, 'alive')]
    const service = await notifications(outbox.store, targets)
    await outbox.emit()
    await service.deliver()
    expect([server.requests.length, elsewhere.requests.length, alive.accepted.length]).toEqual([1, 0, 1])
    const errors = Object.fromEntries((await outbox.store.deliveries({})).map(({ target, error }) => [target, error]))
    expect(errors.crm).toContain('redirects are not followed')
    expect(errors.gone).toContain('connection refused')
    expect(service.log.at('warn')).toHaveLength(2)
  })
})

describe('a digest', () => {
  const weekly: EmailTarget = {
    name: 'desk',
    type: 'email',
    smtp: { host: '127.0.0.1', port: 1, security: 'none', user: null, password: null },
    from: 'quotekeeper@desk.test',
    to: ['ana@desk.test'],
    digest: '0 7 * * 1',
    attachWorkbook: false,
  }

  it.each(['target', 'message'] as const)(
    'has all events of the week, although its first attempt fails because of the %s, over weeks and restarts',
    async (because) => {
      const outbox = await openOutbox()
      const sent: number[] = []
      let fail = true
      const send = async (_: unknown, { events }: { events: readonly unknown[] }) => {
        const failure = { kind: 'failed', because, status: null, error: 'not now', retryAfterMs: null } as const
        if (fail) return failure
        sent.push(events.length)
        return { kind: 'delivered' } as const
      }
      for (let day = 0; day < 6 * 7; day++) {
        if (day % 7 === 0) await outbox.reopen()
        const service = await notifications(outbox.store, [weekly], { send })
        await outbox.emit()
        fail = new Date().getUTCDay() === 1
        await service.deliver()
        outbox.advance(24 * HOUR)
      }
      expect(sent.reduce((sum, count) => sum + count, 0)).toBe(39) // All until the last Tuesday, which is day 38.
      expect(await outbox.store.deliveries({ states: ['dead'] })).toEqual([])
    },
  )

  it('of more events than one message may have is sent whole, also if its second message fails at first', async () => {
    const outbox = await openOutbox()
    const sent: number[] = []
    let attempts = 0
    const send = async (_: unknown, { events }: { events: readonly unknown[] }) => {
      if (++attempts === 2)
        return { kind: 'failed', because: 'target', status: 451, error: 'not now', retryAfterMs: null } as const
      sent.push(events.length)
      return { kind: 'delivered' } as const
    }
    const service = await notifications(outbox.store, [weekly], { send })
    for (let count = 0; count < 501; count++) {
      await outbox.emit()
      outbox.advance(1)
    }
    outbox.advance(48 * HOUR)
    await service.deliver()
    outbox.advance(60_000)
    await service.deliver()
    expect(sent).toEqual([200, 200, 101])
  })
})

describe('routes', () => {
  it('of some channels have the events that belong to none, because they concern all', async () => {
    const { store, now } = await openOutbox()
    const server = await httpReceiver()
    const routes = [{ kinds: ['close.stopped' as const, 'offer.new' as const], channels: ['acme/blue'], to: ['crm'] }]
    const service = await notifications(store, [webhook(server.url)], { routes })
    await store.stopClosing({ by: 'Anna', reason: 'wrong prices', now: now() })
    await service.deliver()
    expect(server.accepted.map(({ body }) => body)).toEqual([expect.stringContaining('wrong prices')])
  })

  it('choose kinds and channels, and a new target gets only later events', async () => {
    const outbox = await openOutbox()
    const server = await httpReceiver()
    await outbox.emit()
    const routes = [
      { kinds: ['offer.new' as const], channels: null, to: ['crm', 'crm'] },
      { kinds: ['offer.new' as const, 'rfq.new' as const], channels: ['acme/blue'], to: ['crm'] },
    ]
    const service = await notifications(outbox.store, [webhook(server.url)], { routes })
    await outbox.emit('offer.new')
    await outbox.emit('rfq.new')
    await outbox.emit('rfq.new', 'acme/blue')
    for (let round = 0; round < ROUNDS; round++) await service.deliver()
    expect(server.accepted.map(decisionIn)).toEqual([2, 4])
    // Started without targets, then with one again: nothing of the time between is sent, and what waited only if asked for.
    await outbox.emit('offer.new')
    await outbox.store.routeEvents(() => ['crm'], outbox.now())
    await outbox.store.setTargets([], outbox.now())
    await outbox.emit('offer.new')
    const again = await notifications(outbox.store, [webhook(server.url)], { routes })
    await outbox.emit('offer.new')
    await again.deliver()
    expect(server.accepted.map(decisionIn)).toEqual([2, 4, 7])
    const [waited, ...others] = await outbox.store.deliveries({})
    expect(others).toEqual([])
    expect(waited).toMatchObject({ state: 'dead', attempts: 0, error: 'the target is no longer configured' })
    await outbox.store.retryDeliveries({}, outbox.now())
    await again.deliver()
    expect(server.accepted.map(decisionIn)).toEqual([2, 4, 7, 5])
  })
})

describe('old events', () => {
  it('are pruned with their deliveries, except those still to be sent', async () => {
    const outbox = await openOutbox()
    const server = await httpReceiver((request) => ({ status: decisionIn(request) === 2 ? 422 : 204 }))
    const service = await notifications(outbox.store, [webhook(server.url)])
    for (let at = 0; at < 3; at++) await outbox.emit()
    await service.deliver()
    outbox.advance(91 * 24 * HOUR)
    await outbox.emit()
    const before = new Date(outbox.now().getTime() - 90 * 24 * HOUR)
    for (const rows of [2, 0]) {
      expect((await outbox.store.prune({ before })).events).toBe(rows)
    }
    await service.deliver()
    await service.deliver()
    expect(server.requests.map(decisionIn)).toEqual([1, 2, 3, 2, 4])
    // Given up after its last attempt, it can be pruned.
    expect((await outbox.store.prune({ before })).events).toBe(1)
    expect((await outbox.store.check()).ok).toBe(true)
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

describe('over many rounds with failures, crashes, restarts and two processes', () => {
  const round = fc.record({
    emit: fc.integer({ min: 0, max: 4 }),
    fail: fc.subarray(['one', 'two']),
    crash: fc.constantFrom('none', 'none', 'before', 'after'),
    first: fc.constantFrom('a', 'b'),
    restart: fc.boolean(),
    minutes: fc.constantFrom(0, 1, 3, 30),
  })

  it('every event reaches every target, one process at a time, and ids repeat only after a crash', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(round, { minLength: 6, maxLength: 8 }), async (rounds) => {
        const outbox = await openOutbox()
        const received = new Map<string, EventRecord['id'][]>([
          ['one', []],
          ['two', []],
        ])
        const sending = new Set<string>()
        let failing: readonly string[] = []
        let crash = 'none'
        let crashes = 0
        const notify = {
          targets: [webhook('http://127.0.0.1:1', 'one'), webhook('http://127.0.0.1:1', 'two')],
          routes: [{ kinds: ['offer.new' as const], channels: null, to: ['one', 'two'] }],
        }
        const die = async (): Promise<never> => {
          crashes++
          throw new Error('killed')
        }
        const deliverer = () =>
          createDeliverer({
            notify,
            store: new Proxy(outbox.store, {
              get: (store, name, self) =>
                name === 'endAttempt' && crash !== 'none' ? die : Reflect.get(store, name, self),
            }),
            send: async ({ name }, { events }) => {
              expect(sending.has(name)).toBe(false)
              sending.add(name)
              await new Promise(setImmediate)
              sending.delete(name)
              if (crash === 'before') return die()
              if (failing.includes(name)) {
                return { kind: 'failed', because: 'target', status: 500, error: 'status 500', retryAfterMs: null }
              }
              received.get(name)?.push(events[0].id)
              return { kind: 'delivered' }
            },
            isDigestDue: () => true,
            now: outbox.now,
            scrub: (text) => text,
            onAttempt: () => undefined,
            random: () => 0,
          })
        const signal = new AbortController().signal
        await outbox.store.setTargets(['one', 'two'], outbox.now())
        let [a, b] = [deliverer(), deliverer()]
        let emitted = 0
        for (const each of rounds) {
          for (let count = 0; count < each.emit; count++) emitted = await outbox.emit()
          failing = each.fail
          crash = each.crash
          const order = each.first === 'a' ? [a, b] : [b, a]
          await Promise.allSettled(order.map((one) => one.tick(signal)))
          crash = 'none'
          if (each.crash !== 'none') [a, b] = each.first === 'a' ? [deliverer(), b] : [a, deliverer()]
          if (each.restart) {
            await outbox.reopen()
            ;[a, b] = [deliverer(), deliverer()]
          }
          outbox.advance(each.minutes * 60_000)
        }
        failing = []
        for (let count = 0; count < 8; count++) {
          outbox.advance(4 * HOUR)
          await Promise.all([a.tick(signal), b.tick(signal)])
        }
        for (const ids of received.values()) {
          expect(new Set(ids).size).toBe(emitted)
          if (crashes === 0) expect(ids).toHaveLength(emitted)
          else expect(ids.length - emitted).toBeLessThanOrEqual(crashes)
        }
        expect(await outbox.store.deliveries({})).toEqual([])
      }),
      { numRuns: shareOf(8) },
    )
  })
})
