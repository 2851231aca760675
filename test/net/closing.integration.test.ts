import { describe, expect, it } from 'vitest'
import { channel, Desk, ENGINES, longIt, until } from './desk.js'
import { day, id, response, rfq } from './documents.js'
import { ACME, failure, Marketplace, ok } from './marketplace.js'
import { expectProvenCloses } from './proven-closes.js'

/** Adds RFQs that are past due. */
function addOverdue(market: Marketplace, ...numbers: number[]): void {
  for (const number of numbers)
    market.add(rfq(number, { responseDueDate: day(-2) }), [response(number * 10), response(number * 10 + 1)])
}

const outcomes = async (desk: Desk, number: number) => {
  const rows = await desk.sql(
    `select decision, outcome from close_decisions where channel = '${ACME}' and rfq_id = '${id(number)}' order by id`,
  )
  return rows.map(({ decision, outcome }) => outcome ?? decision)
}

describe.each(ENGINES)('close-expired on %s', (engine) => {
  it('closes what is past due, once, and nothing that is in doubt', async () => {
    const market = await Marketplace.open()
    addOverdue(market, 102, 104, 111, 112, 113)
    Object.assign(market.rfq(104), { reference: '../../pwned', responseDueDate: day(-400) })
    market.add(rfq(101), [response(1010)])
    market.add(rfq(105, { state: 'closed', responseDueDate: day(-30) }))
    market.add(rfq(106, { responseDueDate: null }))
    market.add(rfq(107, { responseDueDate: 'soon', minVolume: '1000' }))
    market.add(rfq(108, { responseDueDate: '1970-01-01' }))
    market.add(rfq(109, { responseDueDate: day(-2), state: 'paused' }))
    market.add(rfq(201, { responseDueDate: day(-2) }), [], 'beta/blue')
    market.on('GET rfq 111', (_, answer) => {
      const { body, ...reply } = answer()
      return { ...reply, body: { ...(body as object), responseDueDate: day(14) } }
    })
    market.on('POST close 112', () => failure(400))
    market.on('POST close 113', () => failure(403))
    const desk = await Desk.open(market, { engine, channels: [channel(ACME, 'on'), channel('beta/blue', 'dry-run')] })

    expect((await desk.run('close-expired', '--dry-run')).status).toBe(0)
    expect(market.posts()).toBe(0)
    expect(await outcomes(desk, 102)).toEqual(['would-close'])

    const round = await desk.run('close-expired')
    expect(round.status).toBe(1)
    expect(market.names(/^POST/).sort()).toEqual([
      'POST close 102',
      'POST close 104',
      'POST close 112',
      'POST close 113',
    ])
    expect(market.names(/^POST/)[0]).toBe('POST close 104')
    expect(market.requests.filter(({ bodyBytes }) => bodyBytes > 0)).toEqual([])
    expectProvenCloses(market)
    expect(await outcomes(desk, 102)).toEqual(['would-close', 'closed'])
    expect((await outcomes(desk, 112)).at(-1)).toBe('refused')
    expect(
      await desk.sql(`select number from rfqs where state = 'closed' and closed_at is not null order by 1`),
    ).toEqual([102, 104].map((number) => ({ number })))

    const before = market.posts()
    expect((await desk.run('close-expired')).status).toBe(1)
    expect(market.posts()).toBe(before)
  })

  longIt(
    'repeats no close that was refused or had no effect, in many rounds of a service and after its restart',
    async () => {
      const market = await Marketplace.open()
      addOverdue(market, 102, 112, 113)
      market.on('POST close 102', () => failure(403))
      market.on('POST close 112', () => failure(400))
      market.on('POST close 113', () => ok({ ok: true }))
      const every = '*/2 * * * * *'
      const schedule = { listings: null, rfqs: every, closeExpired: every, channelReport: null }
      const desk = await Desk.open(market, { engine, config: { schedule } })
      // A round before the first poll would have nothing to close.
      await desk.run('sync')
      for (const target of [4, 8]) {
        const service = desk.start('start')
        await until(async () => expect(await desk.runs('close')).toBeGreaterThanOrEqual(target))
        service.signal('SIGTERM')
        expect((await service.ended).status).toBe(0)
        if (target === 4) expect(service.printed).toMatch(/"level":"(warn|error)"/)
      }
      expect([102, 112, 113].map((number) => market.posts(number))).toEqual([1, 1, 1])
      expect(await desk.value(`select count(*) from runs where kind = 'close' and outcome = 'complete'`)).toBe(0)

      Object.assign(market.rfq(112), { title: 'Another title' })
      Object.assign(market.rfq(113), { title: 'Another title' })
      await desk.run('sync')
      await desk.run('close-expired')
      expect([102, 112, 113].map((number) => market.posts(number))).toEqual([1, 2, 1])
    },
  )
})
