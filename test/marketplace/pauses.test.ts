import { describe, expect, it } from 'vitest'
import { quickTime } from '../helpers/quick-time.js'
import { CHANNEL, failureOf, json, open, serve } from './server.js'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const now = () => NOW

describe('Retry-After pause', () => {
  it.each([429, 503])('after a %i with seconds applies to every channel', async (status) => {
    const timing = quickTime()
    const server = await serve((_, response, number) =>
      json(response, number === 1 ? status : 200, { items: [] }, { 'retry-after': '7' }),
    )
    const marketplace = open(server.url, { timing, backoff: { baseMs: 0, capMs: 0 } })
    const [forest, swamp] = ['forest', 'swamp'].map((channel) => marketplace.session({ ...CHANNEL, channel }))
    await forest?.listRfqs()
    expect(timing.elapsed()).toBe(7000)
    await swamp?.listRfqs()
    expect(timing.elapsed()).toBeLessThan(7010)
    expect(server.requests).toHaveLength(3)
  })

  it('delays requests made during the pause', async () => {
    const timing = quickTime()
    const server = await serve((_, response, number) =>
      json(response, number === 1 ? 503 : 200, { items: [] }, { 'retry-after': '30' }),
    )
    const marketplace = open(server.url, { timing, limits: { retries: 0 } })
    await failureOf(marketplace.session(CHANNEL).listRfqs())
    expect(timing.elapsed()).toBe(0)
    await marketplace.session({ ...CHANNEL, channel: 'swamp' }).listRfqs()
    expect(timing.waits).toEqual([30_000])
  })

  it('until a date is measured from the Date header of the reply', async () => {
    const timing = quickTime()
    const headers = { date: 'Sun, 01 Mar 2026 03:00:00 GMT', 'retry-after': 'Sun, 01 Mar 2026 03:00:42 GMT' }
    const server = await serve((_, response, number) =>
      json(response, number === 1 ? 429 : 200, { items: [] }, headers),
    )
    await open(server.url, { timing, now, backoff: { baseMs: 0, capMs: 0 } })
      .session(CHANNEL)
      .listRfqs()
    expect(timing.elapsed()).toBe(42_000)
  })

  it.each(['nonsense', '-1', '0', 'Sun, 01 Mar 2020 00:00:00 GMT'])(
    'of %s is ignored: the retry follows after the usual wait',
    async (header) => {
      const timing = quickTime()
      const server = await serve((_, response, number) =>
        json(response, number === 1 ? 429 : 200, { items: [] }, { 'retry-after': header }),
      )
      await open(server.url, { timing, now, backoff: { baseMs: 500, capMs: 20_000 } })
        .session(CHANNEL)
        .listRfqs()
      expect(timing.waits.map(Math.round)).toEqual([500])
    },
  )

  it.each([
    ['61', '2026-03-01T12:01:01.000Z'],
    ['Sun, 01 Mar 2026 15:00:00 GMT', '2026-03-01T15:00:00.000Z'],
    ['99999999999999999999', '2026-03-02T12:00:00.000Z'],
  ])('longer than a run waits (%s) ends it at once with the end of the pause', async (header, until) => {
    const timing = quickTime()
    const server = await serve((_, response) =>
      json(response, 429, {}, { 'retry-after': header, date: NOW.toUTCString() }),
    )
    const marketplace = open(server.url, { timing, now })
    const error = await failureOf(marketplace.session(CHANNEL).listRfqs())
    expect(error).toMatchObject({ name: 'PausedError', until: new Date(until) })
    expect(error.message).toContain(until)
    const other = marketplace.session({ ...CHANNEL, channel: 'swamp' })
    expect(await failureOf(other.readRfq('r1'))).toMatchObject({ name: 'PausedError', until: new Date(until) })
    expect(timing.waits).toEqual([])
    expect(server.requests).toHaveLength(1)
  })

  it('is ignored for other statuses', async () => {
    const timing = quickTime()
    const server = await serve((_, response, number) =>
      json(response, number === 1 ? 500 : 200, { items: [] }, { 'retry-after': '3600' }),
    )
    await open(server.url, { timing }).session(CHANNEL).listRfqs()
    expect(Math.max(...timing.waits)).toBeLessThan(10)
  })
})

describe('request limits', () => {
  it('apply to all sessions together: concurrency', async () => {
    let inFlight = 0
    let maxInFlight = 0
    const server = await serve((_, response) => {
      maxInFlight = Math.max(maxInFlight, ++inFlight)
      setTimeout(() => {
        inFlight--
        json(response, 200, { items: [] })
      }, 5)
    })
    const marketplace = open(server.url, { limits: { concurrency: 3 } })
    const sessions = ['a', 'b', 'c'].map((channel) => marketplace.session({ ...CHANNEL, channel }))
    await Promise.all(sessions.flatMap((session) => Array.from({ length: 10 }, () => session.listRfqs())))
    expect(maxInFlight).toBe(3)
  })

  it('apply to all sessions together: requests per second', async () => {
    const timing = quickTime()
    const server = await serve((_, response) => json(response, 200, { items: [] }))
    const marketplace = open(server.url, { timing, limits: { perSecond: 5 } })
    const sessions = ['a', 'b'].map((channel) => marketplace.session({ ...CHANNEL, channel }))
    await Promise.all(sessions.flatMap((session) => Array.from({ length: 10 }, () => session.listRfqs())))
    expect(server.requests).toHaveLength(20)
    expect(timing.elapsed()).toBeGreaterThanOrEqual(3000)
    expect(timing.elapsed()).toBeLessThan(4200)
  })
})
