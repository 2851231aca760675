import { describe, expect, it } from 'vitest'
import { channel, Desk, ENGINES, longIt } from './desk.js'
import { day, id, listing, response, rfq, vintage } from './documents.js'
import { ACME, failure, KEYS, Marketplace, ok, RESET } from './marketplace.js'

const HOUR = 3_600_000
const PRESENT = `select count(*) from rfqs where channel = '${ACME}' and missing_since is null`

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

  longIt('reads through temporary failures', async () => {
    const market = await Marketplace.open()
    market.add(rfq(101), [response(1001)])
    market.add(rfq(102), [response(1002)])
    market.on('GET listings', () => failure(503), 2)
    market.on('GET rfq 101', () => RESET, 2)
    market.on('GET rfq 102', (_, answer) => ({ ...answer(), cut: true }), 1)
    market.on('GET response 1002', () => failure(429, { 'retry-after': '1' }), 1)
    const desk = await Desk.open(market, { engine })
    expect((await desk.run('sync')).status).toBe(0)
    expect(await desk.value('select count(*) from listings')).toBe(3)
    expect(await desk.value('select count(*) from offers where valid = 1')).toBe(2)
  })

  longIt('keeps what is known of an RFQ that cannot be read, names it, and reads the others', async () => {
    const market = await Marketplace.open()
    market.add(rfq(101), [response(1001)])
    market.add(rfq(102), [response(1002)])
    const desk = await Desk.open(market, { engine })
    await desk.run('sync')
    const stored = `select id, total_price, missing_since, body from offers where rfq_id = '${id(101)}'`
    const before = await desk.sql(stored)
    market.on('GET rfq 101', () => failure(500))
    market.rfq(102).title = 'Changed'
    const ended = await desk.run('sync')
    expect(ended.status).toBe(1)
    expect(ended.err).toContain('101')
    expect(await desk.sql(stored)).toEqual(before)
    expect(await desk.value(`select title from rfqs where number = 102`)).toBe('Changed')
    expect(await desk.sql(`select outcome from runs where kind = 'rfqs' order by id`)).toEqual([
      { outcome: 'complete' },
      { outcome: 'partial' },
    ])
  })
})

describe('sync', () => {
  longIt('keeps numbers as they were sent, and never closes an RFQ that has its due date twice', async () => {
    const market = await Marketplace.open()
    const overdue = { responseDueDate: day(-2), precise: 0 }
    for (const number of [101, 102]) market.add(rfq(number, overdue))
    const text = (body: unknown) => JSON.stringify(body).replaceAll('"precise":0', '"precise":0.1234567890123456789')
    const twice = (body: string) =>
      body.replace(/(?<="number":102.*)("responseDueDate")/, `"responseDueDate":"2099-01-01",$1`)
    market.on(/^GET rfq/, (_, answer) => ({ status: 200, body: twice(text(answer().body)) }))
    const desk = await Desk.open(market)
    await desk.run('close-expired')
    expect(market.names(/^POST/)).toEqual(['POST close 101'])
    expect(await desk.value(`select body from rfqs where number = 102`)).toContain('0.1234567890123456789')
    expect(await desk.value(`select count(*) from problems where code = 'duplicate'`)).toBeGreaterThan(0)
  })

  longIt('reads a list of 700,000 empty objects in little memory', async () => {
    const market = await Marketplace.open()
    market.on('GET listings', () => ({ status: 200, body: `{"items":[${'{},'.repeat(699_999)}{}]}` }))
    const desk = await Desk.open(market, { heapMiB: 192 })
    const { status, signal } = await desk.run('sync', '--only', 'listings')
    expect({ signal, isAnswered: status === 0 || status === 1 }).toEqual({ signal: null, isAnswered: true })
  })

  longIt('sends a refused key once, and polls the other channels', async () => {
    const market = await Marketplace.open()
    market.add(rfq(101))
    market.channel('beta/blue')
    market.on(/^GET/, (request, answer) => (request.channel === 'beta/blue' ? failure(401) : answer()))
    const desk = await Desk.open(market, { channels: [channel('beta/blue', 'off'), channel(ACME, 'off')] })
    const ended = await desk.run('sync')
    expect(ended.status).toBe(1)
    expect(ended.err).toContain('beta/blue')
    expect(await desk.value('select count(*) from rfqs')).toBe(1)
    // One for each list.
    expect(market.requests.filter(({ channel }) => channel === 'beta/blue').length).toBeLessThanOrEqual(2)
  })

  longIt('retires nothing on a page of HTML, and sends no key to where a redirect leads', async () => {
    const [market, other] = [await Marketplace.open(), await Marketplace.open()]
    const desk = await Desk.open(market)
    await desk.run('sync')
    market.on(
      'GET listings',
      () => ({ status: 200, body: '<html></html>', headers: { 'content-type': 'text/html' } }),
      3,
    )
    expect((await desk.run('sync', '--only', 'listings')).status).toBe(1)
    market.behave()
    market.on('GET listings', () => ({ status: 302, headers: { location: `${other.url}/v1/orgs/acme` } }))
    expect((await desk.run('sync', '--only', 'listings')).status).toBe(1)
    expect(other.requests).toEqual([])
    expect(await desk.value('select count(*) from listings where missing_since is null')).toBe(3)
  })

  longIt('takes a list for incomplete that has no items where some were known', async () => {
    const market = await Marketplace.open()
    for (let number = 101; number <= 106; number++) market.add(rfq(number))
    Object.assign(market.rfq(101), { responseDueDate: day(-2) })
    const desk = await Desk.open(market)
    await desk.run('sync')
    market.on('GET rfqs', () => ok({ items: [] }))
    for (let round = 0; round < 2; round++) expect((await desk.run('sync', '--only', 'rfqs')).status).toBe(1)
    expect(await desk.value(PRESENT)).toBe(6)
    await desk.run('close-expired')
    expect(market.posts()).toBe(0)
    market.behave()
    expect((await desk.run('close-expired')).status).toBe(0)
    expect(market.posts(101)).toBe(1)
  })
})
