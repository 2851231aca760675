import { describe, expect, it } from 'vitest'
import { channel, Desk, ENGINES } from './desk.js'
import { day, id, listing, response, rfq, vintage } from './documents.js'
import { ACME, KEYS, Marketplace } from './marketplace.js'

const HOUR = 3_600_000

/** Adds RFQs whose documents lack members, have unknown ones, or have values of another type. */
function addDocumentsWithGaps(market: Marketplace): void {
  market
    .channel(ACME)
    .listings.push(
      listing(4, { ecosystemTypes: ['Moon'], surprise: true, certificationLabels: 'CCB' }),
      listing(5, { pricing: null, methodologies: ['NOT-A-METHOD'] }),
    )
  market.add(rfq(101), [response(1001), response(1002, undefined, {}, { totalPrice: 999_999 })])
  market.add(rfq(104, { title: '=HYPERLINK("http://evil.test","click")', reference: '../../../../tmp/pwned' }), [
    response(
      1041,
      undefined,
      { projectName: 'Nul\u0000 and bell\u0007 and 🌳' },
      { additionalNotesToBuyer: 'N'.repeat(40_000) },
    ),
  ])
  market.add(rfq(105, { state: 'closed', responseDueDate: day(-30), closedAt: '2026-10-01T00:00:00.000Z' }))
  market.add(rfq(106, { responseDueDate: null, reference: null, buyerDescription: null, title: undefined }))
  market.add(rfq(107, { responseDueDate: 'soon', minVolume: '1000' }), [response(1071)])
  market.add(rfq(108, { somethingNew: { nested: [1, 2] }, reasonForPurchase: 'buyToBrag', contractTypes: ['swap'] }), [
    response(1081, undefined, { status: 'withdrawn', brandNew: 1 }),
  ])
  market.add(rfq(109), [
    response(1091, [], {}, { totalVolume: 0, totalPrice: 0, scheduledDeliveries: [] }),
    response(1092, [], { offer: null }),
    response(1093, [vintage(2015, 10, 7)], {}, { contractType: 'forward', expiryDate: day(-1) }),
  ])
}

describe.each(ENGINES)('sync on %s', (engine) => {
  it('stores documents with gaps as sent, and nothing again that is the same', async () => {
    const market = await Marketplace.open()
    addDocumentsWithGaps(market)
    market.add(rfq(201), [response(2001)], 'beta/blue')
    const desk = await Desk.open(market, { engine, channels: [channel(ACME, 'on'), channel('beta/blue', 'off')] })
    expect((await desk.run('sync')).status).toBe(0)

    for (const name of [ACME, 'beta/blue']) {
      const { listings, rfqs, responses } = market.channel(name)
      const stored = (table: string) => desk.value(`select count(*) from ${table} where channel = '${name}'`)
      expect(await stored('listings')).toBe(listings.length)
      expect(await stored('rfqs')).toBe(rfqs.length)
      expect(await stored('offers')).toBe([...responses.values()].flat().length)
    }
    const bodies = await desk.sql(
      `select id, body from versions where channel = '${ACME}' and kind in ('response', 'rfq')`,
    )
    const bodyOf = (number: number) => JSON.parse(String(bodies.find((row) => row.id === id(number))?.body))
    expect(bodyOf(1081)).toEqual(market.responses(108)[0])
    expect(bodyOf(1041)).toEqual(market.responses(104)[0])
    expect(bodyOf(108).somethingNew).toEqual({ nested: [1, 2] })
    expect(await desk.value(`select valid from rfqs where number = 101`)).toBe(1)
    expect(await desk.value(`select valid from rfqs where id = '${id(107)}'`)).toBe(0)
    expect(
      await desk.sql(`select distinct path from problems where entity_id = '${id(107)}' and code <> 'missing'`),
    ).toHaveLength(2)

    const versions = await desk.value('select count(*) from versions')
    expect((await desk.run('sync', '--full')).status).toBe(0)
    expect(await desk.value('select count(*) from versions')).toBe(versions)
    expect(new Set(market.requests.map(({ key }) => key))).toEqual(new Set(Object.values(KEYS)))
    expect(await desk.value(`select count(*) from versions where body like '%${KEYS.acme}%'`)).toBe(0)
  })

  it('shows the past, and within which time each document changed', async () => {
    const market = await Marketplace.open()
    for (const number of [101, 102]) market.add(rfq(number), [response(10 * number)])
    const desk = await Desk.open(market, { engine })
    await desk.run('sync')
    desk.travel(HOUR)
    const then = new Date(market.now()).toISOString()
    const shown = structuredClone([...market.channel(ACME).rfqs, ...market.responses(101), ...market.responses(102)])
    desk.travel(HOUR)
    const changedAt = market.now()
    Object.assign(market.responses(101)[0]?.offer as object, { totalPrice: 1234.5 })
    Object.assign(market.rfq(101), { state: 'closed', closedAt: '2026-11-01T00:00:00.000Z' })
    market.withdraw(102)
    desk.travel(HOUR)
    await desk.run('sync')

    const { out } = await desk.run('export', '--as-of', then)
    const stored = out.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    const bodies = stored
      .filter(({ kind }) => /^(rfq|response)$/.test(kind))
      .map(({ body: { responses, ...own } }) => own)
    const byId = (documents: { id: string }[]) => documents.toSorted((one, other) => one.id.localeCompare(other.id))
    expect(byId(bodies)).toEqual(byId(shown))
    const versions = await desk.sql('select id, not_before, observed_at from versions where version > 1')
    expect(versions.map((version) => version.id).toSorted()).toEqual([id(101), id(101), id(102), id(1010)].toSorted())
    for (const version of versions) {
      const [from, to] = [version.not_before, version.observed_at].map((moment) => Date.parse(String(moment)))
      expect(from).toBeLessThanOrEqual(changedAt)
      expect(to).toBeGreaterThan(changedAt)
    }
    expect(await desk.sql('select number from rfqs where missing_since is not null')).toEqual([{ number: 102 }])
  })
})
