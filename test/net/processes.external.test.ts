import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PrivateRedis, redisSkipReason } from '../helpers/servers/private-redis.js'
import { channel, Desk, ENGINES, longIt, until } from './desk.js'
import { day, id, response, rfq } from './documents.js'
import { ACME, failure, Marketplace } from './marketplace.js'
import { expectProvenCloses } from './proven-closes.js'

const HOUR = 3_600_000
const EVERY_SECOND = '* * * * * *'

/** Adds RFQs with an offer each. */
function addRfqs(market: Marketplace, from: number, count: number, over = {}, channel = ACME): void {
  for (let number = from; number < from + count; number++)
    market.add(rfq(number, over), [response(number * 10)], channel)
}

/** How many requests can have been started in the time between the first and the last of these. */
function allowed(requests: { at: number }[], perSecond: number): number {
  const seconds = ((requests.at(-1)?.at ?? 0) - (requests[0]?.at ?? 0)) / 1000
  return perSecond * (seconds + 1) + 1
}

describe.each(ENGINES)('several processes on one database, on %s', (engine) => {
  longIt('record each version once, close each RFQ once, and all succeed', async () => {
    const market = await Marketplace.open()
    addRfqs(market, 101, 10)
    addRfqs(market, 201, 3, { responseDueDate: day(-2) })
    const desk = await Desk.open(market, { engine })
    const rfqs = ['sync', '--only', 'rfqs']
    // What is past due is known from the first polls.
    for (const commands of [
      [['sync'], ['sync', '--full'], rfqs],
      [['close-expired'], rfqs, ['close-expired']],
    ]) {
      const ended = await Promise.all(commands.map((command) => desk.run(...command)))
      expect(ended.map(({ status, err }) => (status === 0 ? 0 : err))).toEqual(commands.map(() => 0))
    }
    expect(market.names(/^POST/).sort()).toEqual([201, 202, 203].map((number) => `POST close ${number}`))
    expectProvenCloses(market)
    expect(await desk.value('select count(*) from offers')).toBe(13)
    const twice = await desk.sql(`select number from rfqs where version > 1 order by number`)
    expect(twice).toEqual([201, 202, 203].map((number) => ({ number })))
    expect((await desk.run('closings', '--verify')).status).toBe(0)
  })

  longIt('take over from one that is suspended, which records and closes nothing when it goes on', async () => {
    const market = await Marketplace.open()
    addRfqs(market, 101, 3)
    addRfqs(market, 201, 1, { responseDueDate: day(-2) })
    // So that the suspended process still takes the reply when it goes on.
    const desk = await Desk.open(market, { engine, config: { requests: { timeoutMs: 600_000 } } })
    for (const [command, at] of [
      ['sync', 'GET rfq 103'],
      ['close-expired', 'POST close 201'],
    ] as const) {
      if (command === 'sync') await desk.run('sync')
      let release = () => {}
      const isHeld = new Promise<void>((held) => {
        market.on(
          at,
          async (_, answer) => {
            const reply = answer()
            suspended.signal('SIGSTOP')
            held()
            await new Promise<void>((released) => (release = released))
            return reply
          },
          1,
        )
      })
      const suspended = desk.start(command)
      await isHeld
      Object.assign(market.rfq(103), { title: `Changed during ${command}` })
      const second = await desk.run(command)
      expect(second.status, second.err).toBe(0)
      release()
      suspended.signal('SIGCONT')
      await suspended.ended
      const titles = `select count(*) from versions where kind = 'rfq' and id = '${id(103)}'`
      expect(await desk.value(titles)).toBe(2)
      expect(await desk.value('select title from rfqs where number = 103')).toBe('Changed during sync')
    }
    expect(market.posts()).toBe(1)
    expect(await desk.value(`select state from rfqs where number = 201`)).toBe('closed')
    expect(await desk.value(`select count(*) from runs where outcome = 'interrupted'`)).toBeGreaterThan(0)
    expect((await desk.run('closings', '--verify')).status).toBe(0)
  })

  longIt(
    'wait for a step only, also of one at 1 request a second, and take over from one that was killed',
    async () => {
      const market = await Marketplace.open()
      addRfqs(market, 101, 14)
      addRfqs(market, 1, 1, { responseDueDate: day(-2) })
      const desk = await Desk.open(market, { engine, config: { requests: { perSecond: 1, concurrency: 2 } } })
      const poll = desk.start('sync', '--only', 'rfqs')
      await until(async () => expect(await desk.value('select count(*) from rfqs')).toBeGreaterThan(2))
      // The clock of a process is set while it waits and holds the lock.
      for (const error of [HOUR, -HOUR]) {
        desk.setClockError(error)
        const other = await desk.run('sync', '--only', 'listings')
        expect(other.status, other.err).toBe(0)
      }
      desk.setClockError(0)
      expect(await desk.value(`select count(*) from runs where finished_at is null and kind = 'rfqs'`)).toBe(1)
      poll.signal('SIGKILL')
      const close = await desk.run('close-expired')
      expect(close.status, close.err).toBe(0)
      expect(market.posts()).toBe(1)
      // No poll of the channel was complete: the command polls it before it closes.
      const polls = await desk.sql(`select outcome from runs where kind = 'rfqs' order by started_at`)
      expect(polls).toEqual([{ outcome: 'interrupted' }, { outcome: 'complete' }])
    },
  )

  longIt('keep to the request rate and to a pause together', async () => {
    const perSecond = 15
    const market = await Marketplace.open()
    const channels = [ACME, 'acme/sea', 'beta/blue']
    for (const [at, name] of channels.entries()) addRfqs(market, 1000 * (at + 1), 20, {}, name)
    const requests = { perSecond, concurrency: 2 }
    const options = { engine, channels: channels.map((name) => channel(name, 'off')), config: { requests } }
    const desk = await Desk.open(market, options)
    const all = () => Promise.all(channels.map((name) => desk.run('sync', '--channel', name)))
    expect((await all()).map(({ status }) => status)).toEqual([0, 0, 0])
    expect(market.requests.length).toBe(3 * 42)
    expect(market.requests.length).toBeLessThanOrEqual(allowed(market.requests, perSecond))

    const pauseSeconds = 8
    market.on(/./, () => failure(429, { 'retry-after': String(pauseSeconds) }), 1)
    const first = market.requests.length
    await all()
    const [refused, ...later] = market.requests.slice(first)
    const during = later.filter(({ at }) => at < (refused?.at ?? 0) + pauseSeconds * 1000)
    // What each process had sent, or was about to send, when the reply arrived.
    expect(during.length).toBeLessThanOrEqual(3 * (requests.concurrency + 1))
  })
})

describe('start', () => {
  it('polls and closes on schedule, answers health checks, writes a report on close, and ends on SIGTERM', async () => {
    const market = await Marketplace.open()
    addRfqs(market, 101, 2)
    addRfqs(market, 201, 1, { responseDueDate: day(-2) })
    const schedule = { listings: EVERY_SECOND, rfqs: EVERY_SECOND, closeExpired: EVERY_SECOND, channelReport: null }
    const desk = await Desk.open(market, { config: { schedule } })
    const service = await desk.startService()
    await until(async () => expect(await desk.runs('rfqs')).toBeGreaterThanOrEqual(2))
    await until(() => expect(market.posts(201)).toBe(1))
    await until(() => expect(workbooks(desk)).toHaveLength(1))
    expect(await desk.value('select count(*) from offers where missing_since is null')).toBe(3)
    expect((await fetch(`${service.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${service.url}/readyz`)).status).toBe(200)
    service.signal('SIGTERM')
    expect((await service.ended).status).toBe(0)
    expect(spawnSync('pgrep', ['-f', desk.folder], { encoding: 'utf8' }).stdout).toBe('')
    expectProvenCloses(market)
  })

  longIt(
    'shares jobs, rate and database with two workers on one queue, also after one was killed',
    async () => {
      const perSecond = 10
      const redis = await PrivateRedis.start()
      onTestFinished(() => redis.remove())
      const market = await Marketplace.open()
      addRfqs(market, 101, 5)
      addRfqs(market, 201, 3, { responseDueDate: day(-2) })
      addRfqs(market, 301, 5, {}, 'beta/blue')
      const schedule = { listings: EVERY_SECOND, rfqs: EVERY_SECOND, closeExpired: EVERY_SECOND, channelReport: null }
      const desk = await Desk.open(market, {
        channels: [channel(ACME, 'on'), channel('beta/blue', 'off')],
        config: { queue: redis.url, schedule, requests: { perSecond } },
      })
      const processes = [desk.start('start'), desk.start('work'), desk.start('work')]
      await until(() => expect(market.posts()).toBe(3))
      await until(async () => expect(await desk.runs('rfqs')).toBeGreaterThanOrEqual(4))
      processes[2]?.signal('SIGKILL')
      const polls = await desk.runs('rfqs')
      await until(async () => expect(await desk.runs('rfqs')).toBeGreaterThan(polls + 3))
      expect(market.requests.length).toBeLessThanOrEqual(allowed(market.requests, perSecond))
      expect(market.posts()).toBe(3)
      // The effect of a close whose worker was killed is read by a later round.
      await until(() => expectProvenCloses(market))
      for (const process of processes.slice(0, 2)) process.signal('SIGTERM')
      for (const process of processes.slice(0, 2)) expect((await process.ended).status).toBe(0)
    },
    redisSkipReason === null,
  )
})

const workbooks = (desk: Desk) =>
  readdirSync(join(desk.folder, 'reports'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.xlsx'),
  )
