import { z } from 'zod'
import { decisionSchema } from '../../compare/decision/decision-model.js'
import type { RfqReport } from '../../compare/report/compare-offers.js'
import type { Settings } from '../../core/decision/settings.js'
import { withRoundedNumbers } from '../../core/text/number-format.js'
import type { PricesRead, TermsRead } from '../../core/time/read-times.js'
import { awardStateSchema } from '../awards/award-schema.js'
import { OFFER_COLUMNS, type OfferView } from '../offer/offer-view.js'
import { jsonRows, jsonSchema } from '../print/json.js'
import { count, pick, text, unvalidated, unvalidatedObject } from '../schema.js'

/** What one unit of a currency is worth in the comparison currency. */
const rate = z.strictObject({
  currency: text,
  rate: z.number().nullable().describe('Null if none is known.'),
  date: text.nullable(),
  source: text.nullable(),
  offers: count.describe('Offers in this currency.'),
  message: text.describe('The rate and its source, or why none is known.'),
})

const currencySchema = z.strictObject({
  comparison: text.nullable(),
  reason: text,
  rates: z.array(rate).describe('Exchange rates of the other currencies that the RFQ and its offers use.'),
})

/** The comparison of the offers for an RFQ as programs get it. */
export const rfqSchema = z
  .strictObject({
    channel: text,
    asOf: text,
    timeZone: text,
    generatedAt: text,
    termsRead: unvalidated<TermsRead | null>().describe(
      'When the terms of the offers were read; null as of a past moment.',
    ),
    pricesRead: unvalidatedObject<PricesRead>()
      .nullable()
      .describe('When the RFQ was read, which shows status and prices; null as of a past moment.'),
    currency: currencySchema,
    settings: unvalidatedObject<Settings>().describe('The settings it was computed with.'),
    rfq: unvalidatedObject<RfqReport['rfq']>().describe(
      'The terms of the RFQ; `window` has the tonnes that an award may have.',
    ),
    summary: unvalidatedObject<RfqReport['summary']>(),
    award: awardStateSchema.nullable().describe("The desk's award that stands; null if none does."),
    decision: decisionSchema,
    offers: z
      .array(jsonSchema(OFFER_COLUMNS).meta({ id: 'ComparedOffer' }))
      .describe('Accepted offers first, then those that compete by rank, then the others.'),
    closings: count.describe('How many closings the RFQ has: decisions to close or keep it.'),
    problems: count,
  })
  .meta({ id: 'Comparison' })

/** The comparison of the offers for an RFQ, as every surface shows it. */
export type RfqView = ReturnType<typeof rfqView>

export function rfqView(report: RfqReport) {
  const { currency, award, decision, context } = report
  // What the desk decided counts more than what is recommended.
  const awarded: Readonly<Record<string, number>> =
    award === null
      ? decision.awardedTonnes
      : Object.fromEntries(award.award.offers.map(({ id, tonnes }) => [id, tonnes]))
  return {
    ...{ ...report, ...context },
    currency: { ...currency, rates: currency.rates.filter((each) => each.currency !== currency.comparison) },
    offers: report.offers.map((offer): OfferView => {
      return { ...offer, awardedTonnes: awarded[offer.id] ?? 0, comparison: currency.comparison }
    }),
  }
}

/** The view as `rfqSchema` describes it, with 15 significant digits, so that no surface shows 8.745000000000001. */
export const rfqJson = (view: RfqView): z.input<typeof rfqSchema> =>
  withRoundedNumbers(
    pick(rfqSchema, {
      ...view,
      currency: pick(currencySchema, view.currency),
      offers: jsonRows(OFFER_COLUMNS, view.offers),
      problems: view.problems.length,
    }),
  )

/** The exchange rates that were used, one sentence each. */
export const rateLines = ({ currency }: Pick<RfqView, 'currency'>): string[] =>
  currency.rates.flatMap(({ rate, message }) => (rate === null ? [] : [message]))

/** What to do, and what speaks against it; one line each. */
export const decisionLines = ({ banners, recommendation }: RfqView['decision']): string[] => [
  [...banners.map(({ message }) => message), recommendation.headline].join(' '),
  ...titledLine('Check:', messages(recommendation.conditions.filter(({ loud }) => loud))),
]

/** What else to check, why, and what would change it; one line each. */
export function reasonLines({ recommendation, savings }: RfqView['decision']): string[] {
  const { reasons, conditions, breakEven } = recommendation
  return [
    ...titledLine('Check, too:', messages(conditions.filter(({ loud }) => !loud))),
    ...titledLine('Why:', [...reasons, ...(savings === null ? [] : [savings.message])]),
    ...titledLine('What would change it:', messages(breakEven).slice(0, MAX_CHANGES)),
  ]
}
const MAX_CHANGES = 4

const messages = (of: readonly { message: string }[]) => of.map(({ message }) => message)
const titledLine = (title: string, sentences: readonly string[]) =>
  sentences.length === 0 ? [] : [[title, ...sentences].join(' ')]
