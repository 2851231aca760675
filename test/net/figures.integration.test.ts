import { expect } from 'vitest'
import { Desk, longIt } from './desk.js'
import { day, id, listing, response, rfq, vintage } from './documents.js'
import { ACME, Marketplace } from './marketplace.js'

/** An RFQ whose recommended award has two of five offers; one of the others is in a currency that is converted. */
async function openDesk(): Promise<Desk> {
  const market = await Marketplace.open()
  const prePayments = [{ amount: 4000, paymentDueDate: '2026-12-20' }]
  market.channel(ACME).listings.push(listing(4, { registryId: null, country: 'BR' }))
  market.add(rfq(101, { minVolume: 2000, maxVolume: 2700 }), [
    response(1011, [vintage(2022, 1000, 10.4), vintage(2023, 300, 11.2)], {}, { prePayments }),
    response(
      1012,
      [vintage(2024, 1200, 9.95)],
      { listingId: id(4) },
      { additionalNotesToBuyer: 'A part is possible.' },
    ),
    response(1013, [vintage(2023, 2500, 13.9)]),
    response(1014, [vintage(2023, 900, 9.87)], {}, { currency: 'EUR' }),
    response(1015, [vintage(2023, 1500, 9.5)], { status: 'rejected' }),
  ])
  const reports = { currency: 'USD', exchangeRates: { EUR: 1.25 } }
  const desk = await Desk.open(market, { config: { reports } })
  expect((await desk.run('sync')).status).toBe(0)
  return desk
}

interface Award {
  tonnes: number
  total: number
  pricePerTonne: number
  offers: { id: string }[]
}

longIt('page, API, commands and SQL have the same figures', async () => {
  const desk = await openDesk()
  const { decision } = await desk.json<{ decision: { recommendation: { headline: string; award: Award } } }>(
    'compare',
    '101',
  )
  const { headline, award } = decision.recommendation
  const lines = await desk.sql(
    `select sum(volume) as tonnes, sum(volume * unit_price) as total from offer_vintages
     where response_id in (${award.offers.map((offer) => `'${offer.id}'`).join()})`,
  )
  expect(award.tonnes).toBe(lines[0]?.tonnes)
  expect(award.total).toBeCloseTo(Number(lines[0]?.total), 6)
  expect(award.total).toBeCloseTo(1000 * 10.4 + 300 * 11.2 + 1200 * 9.95, 6)
  expect(award.pricePerTonne).toBeCloseTo(award.total / award.tonnes, 6)

  const price = award.pricePerTonne.toFixed(2)
  const tonnes = award.tonnes.toLocaleString('en-US')
  expect(headline).toContain(`${tonnes} t at ${price} USD/t`)
  expect(inOneLine((await desk.run('compare', '101')).out)).toContain(headline)

  const service = await desk.startService()
  const get = async (path: string) => (await fetch(`${service.url}${path}`)).text()
  const { decision: ofApi } = JSON.parse(await get(`/api/v1/rfqs/${ACME}/101/comparison`))
  expect(ofApi.recommendation).toEqual(decision.recommendation)
  const list = JSON.parse(await get('/api/v1/rfqs'))
  expect(list.items[0]).toMatchObject({ tonnes: award.tonnes, price: award.pricePerTonne })
  expect(inOneLine(text(await get(`/rfqs/${ACME}/101`)))).toContain(headline)
  // What is at stake on Today, the only RFQ of the desk.
  expect(text(await get('/'))).toContain(`${Math.round(award.total).toLocaleString('en-US')} USD`)
})

interface Row {
  number: number
  priceCurrency: string | null
  limitCurrency: string | null
}

longIt('Today has a price and its limit in one currency', async () => {
  const market = await Marketplace.open()
  const soon = { responseDueDate: day(2), maxVolume: 2000 }
  const accepted = { status: 'accepted' }
  const inEuro = { currency: 'EUR' }
  const pricing = { minUnitPrice: 8, maxUnitPrice: 15, currency: 'EUR' }
  market.add(rfq(101, soon), [response(1011, [vintage(2023, 1200, 10)])])
  market.add(rfq(102, soon), [response(1021, [vintage(2023, 1500, 11)], accepted)])
  market.add(rfq(103, { ...soon, pricing }), [response(1031, [vintage(2023, 1100, 9)], {}, inEuro)])
  market.add(rfq(104, soon), [response(1041, [vintage(2023, 904, 9)], accepted, inEuro)])
  const desk = await Desk.open(market, { config: { reports: { currency: 'USD', exchangeRates: { EUR: 1.25 } } } })
  expect((await desk.run('sync')).status).toBe(0)
  const { rfqs } = await desk.json<{ rfqs: Row[] }>('today')
  expect(rfqs).toHaveLength(4)
  for (const { number, priceCurrency, limitCurrency } of rfqs)
    if (priceCurrency !== null) expect(limitCurrency, `RFQ ${number}`).toBe(priceCurrency)
})

const inOneLine = (printed: string) => printed.replace(/\s+/g, ' ')

/** What a page shows. */
const text = (html: string) =>
  html
    .replace(/<(script|style)\b.*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, '')
    .replace(/&#(\d+);|&(amp|lt|gt|quot);/g, (_, code, name) =>
      code === undefined
        ? ({ amp: '&', lt: '<', gt: '>', quot: '"' }[name as string] ?? '')
        : String.fromCodePoint(Number(code)),
    )
