import { describe, expect, it } from 'vitest'
import type { OfferReport } from '../../../src/compare/offer/offer-report-model.js'
import type { SettingsInput } from '../../../src/core/decision/settings.js'
import {
  type ComparisonOverrides,
  delivery,
  lines,
  offerId,
  reportOn,
  response,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

/** The offer of a response made with these terms. As-of is 2026-03-16, the volume asked for 10,000 t. */
function assessed(offer: Record<string, unknown> | null, scene: ComparisonOverrides = {}): OfferReport {
  const report = reportOn({ responses: [response(1, { offer })], ...scene })
  return report.offers[0] as OfferReport
}

/** 6,000 t at 10 per tonne after one year, and 2,000 t at 14 after two years. */
const TWO_LINES = {
  scheduledDeliveries: [
    delivery({ fulfilmentDueDate: '2027-03-16', vintages: [vintage({ volume: 6000, unitPrice: 10 })] }),
    delivery({
      fulfilmentDueDate: '2028-03-15',
      vintages: [
        vintage({ volume: 2000, unitPrice: 14, reportingPeriodStart: '2021-07-01', reportingPeriodEnd: '2022-06-30' }),
      ],
    }),
  ],
}

describe('the figures of an offer', () => {
  it('are sums and volume-weighted means of its lines', () => {
    const { metrics, compared, lines: found } = assessed(TWO_LINES)
    expect(metrics).toMatchObject({
      sumVolume: 8000,
      sumValue: 88_000,
      basis: 'lines',
      pricePerTonne: 11,
      firstDelivery: '2027-03-16',
      lastDelivery: '2028-03-15',
      oldestVintage: 2022,
      newestVintage: 2023,
      coverage: 0.8,
      prepaid: 0,
      prepaidShare: 0,
    })
    expect(found.map((line) => [line.days, line.vintageYear, line.total])).toEqual([
      [365, 2023, 60_000],
      [730, 2022, 28_000],
    ])
    expect(compared).toMatchObject({ rate: 1, total: 88_000, pricePerTonne: 11 })
  })

  it('have the year in which the period of a vintage ends, or its name if that is a year within the period', () => {
    const yearOf = (of: Record<string, unknown>) => assessed(lines(of)).lines[0]?.vintageYear
    const period = { reportingPeriodStart: '2022-11-01', reportingPeriodEnd: '2023-10-31' }
    expect(['2022', '2023', '2024', 'Vintage 2022', null].map((name) => yearOf({ ...period, name }))).toEqual([
      ...[2022, 2023, 2023, 2023, 2023],
    ])
    expect(yearOf({ ...period, reportingPeriodEnd: null })).toBe(2022)
  })

  const [today, inAYear] = ['2026-03-16', '2027-03-16']
  const discounted = 60_000 / 1.1 + 28_000 / 1.21
  it.each<[string, [amount: number, paymentDueDate: string][], number, object]>([
    ['each delivery, discounted to the as-of date', [], discounted, { prepaid: 0, prepaidShare: 0 }],
    [
      'pre-payments, and the balance at delivery pro rata',
      [
        [22_000, today],
        [22_000, inAYear],
      ],
      22_000 + 22_000 / 1.1 + 0.5 * discounted,
      { prepaid: 44_000, prepaidShare: 0.5 },
    ],
    ['no balance if pre-payments exceed the total', [[100_000, inAYear]], 100_000 / 1.1, { prepaid: 100_000 }],
  ])('have as present value %s', (_, payments, presentValue, expected) => {
    const prePayments = payments.map(([amount, paymentDueDate]) => ({ amount, paymentDueDate }))
    const { metrics, compared } = assessed({ ...TWO_LINES, prePayments }, { settings: { discountRate: 0.1 } })
    expect(metrics).toMatchObject({ ...expected, presentValue: expect.closeTo(presentValue, 6) })
    expect(metrics.presentValuePerTonne).toBeCloseTo(presentValue / 8000, 9)
    expect(compared.presentValuePerTonne).toBe(Math.round((presentValue / 8000) * 1e6) / 1e6)
  })

  it('count overdue and undated payments at face value', () => {
    const scheduledDeliveries = [
      delivery({ fulfilmentDueDate: '2025-01-01', vintages: [vintage({ volume: 100, unitPrice: 10 })] }),
      delivery({ fulfilmentDueDate: null, vintages: [vintage({ volume: 100, unitPrice: 10 })] }),
    ]
    const { metrics, lines: found } = assessed({ scheduledDeliveries })
    expect(metrics.presentValue).toBe(2000)
    expect(found.map((line) => line.days)).toEqual([-439, null])
  })

  it('use the stated figures of a summary, whose pre-payments are unknown', () => {
    const summary = storedDocument(summaryOf(response(1, { offer: TWO_LINES })), { shape: 'summary' })
    const report = reportOn({ responses: [summary] })
    const [offer] = report.offers
    expect(offer?.metrics).toMatchObject({ basis: 'stated', pricePerTonne: 11, prepaidShare: null })
  })

  it('are null, with the reason for the price, if there is no offer', () => {
    const { metrics, exclusions } = assessed(null)
    const noPrice = 'The offer states neither a volume nor a price above 0.'
    expect(metrics).toMatchObject({ volume: null, total: null, pricePerTonne: null, presentValue: null, noPrice })
    expect(exclusions.map(({ code }) => code)).toEqual(['no-offer'])
  })
})

describe('an offer that does not compete', () => {
  it('has no rank if it does not meet a hard requirement, and a rank on its expiry date', () => {
    const offerOf = (expiryDate: string, of: { status?: string; settings?: SettingsInput } = {}) => {
      const { status = 'submitted', settings = {} } = of
      const responses = [response(1, { status, offer: { expiryDate } })]
      return reportOn({ responses, settings }).offers[0]
    }
    const expired = offerOf('2026-03-15')
    expect(expired).toMatchObject({ rank: null, standing: 'not-compliant', exclusions: [] })
    expect(expired?.why).toContain('expired on 2026-03-15')
    expect(offerOf('2026-03-16')).toMatchObject({ rank: 1, standing: 'ranked', why: null })
    expect(offerOf('2026-01-01', { settings: { requirements: { notExpired: 'advisory' } } })?.rank).toBe(1)
    expect(offerOf('2026-01-01', { status: 'accepted' })).toMatchObject({ rank: null, standing: 'accepted' })
  })

  it('normalises the spelling of a currency', () => {
    const offer = assessed({ currency: ' usd ' })
    expect(offer).toMatchObject({ rank: 1, terms: { currency: ' usd ', currencyCode: 'USD' } })
  })
})

describe('requirements', () => {
  it('omit what the RFQ does not state', () => {
    const open = {
      minVintageYear: 'Any',
      maxVintageYear: 'Any',
      pricing: null,
      contractTypes: [],
      listingIds: [],
      fulfilmentDueDate: null,
      responseDueDate: null,
      minVolume: null,
      maxVolume: null,
    }
    expect(assessed({}, { rfq: open }).unmet).toMatchObject([{ name: 'reviewAccepted' }])
  })

  it('accept a price that exceeds the limit only by floating-point noise', () => {
    const { metrics, unmet } = assessed(lines({ volume: 0.1, unitPrice: 15 }, { volume: 0.2, unitPrice: 15 }))
    expect(metrics.pricePerTonne).not.toBe(15)
    expect(unmet.map(({ name }) => name)).not.toContain('priceMax')
  })
})

it('labels an offer by developer, adds the project if the developer is shared, then a number', () => {
  const by = (number: number, developer: string | null, project: string | null) =>
    response(number, {
      projectDeveloperName: developer,
      projectName: project,
      submittedAt: `2026-03-0${number}T00:00:00.000Z`,
    })
  const responses = [by(1, 'Acme', 'A'), by(2, 'acme', 'B'), by(3, 'Acme', 'A'), by(4, 'Solo', 'X'), by(5, null, null)]
  const { offers } = reportOn({ responses })
  const labels = new Map(offers.map(({ id, label }) => [id, label]))
  expect([1, 2, 3, 4, 5].map((number) => labels.get(offerId(number)))).toEqual([
    'Acme · A (no. 1)',
    'acme · B',
    'Acme · A (no. 3)',
    'Solo',
    'Offer 30000000',
  ])
})
