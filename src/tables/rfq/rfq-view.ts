import { z } from 'zod'
import type { AwardState } from '../../compare/decision/award-state.js'
import { decisionSchema } from '../../compare/decision/decision-model.js'
import type { RfqReport } from '../../compare/report/compare-offers.js'
import type { Settings } from '../../core/decision/settings.js'
import { withRoundedNumbers } from '../../core/text/number-format.js'
import type { PricesRead, TermsRead } from '../../core/time/read-times.js'
import { OFFER_COLUMNS, type OfferView } from '../offer/offer-view.js'
import { jsonRows, jsonSchema } from '../print/json.js'
import { count, pick, text, unvalidated, unvalidatedObject } from '../schema.js'

/** The comparison of the offers for an RFQ as programs get it. */
export const comparisonSchema = z
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
    currency: unvalidatedObject<RfqReport['currency']>().describe(
      'In which offers are compared, why, and the exchange rates of the other currencies that the RFQ and its offers use.',
    ),
    settings: unvalidatedObject<Settings>().describe('The settings it was computed with.'),
    rfq: unvalidatedObject<RfqReport['rfq']>().describe(
      'The terms of the RFQ; `window` has the tonnes that an award may have.',
    ),
    summary: unvalidatedObject<RfqReport['summary']>(),
    award: unvalidatedObject<AwardState>()
      .nullable()
      .describe("The desk's award that stands, and what the marketplace shows of it; null if none does."),
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

/** The view as `comparisonSchema` describes it, with 15 significant digits, so that no surface shows 8.745000000000001. */
export const comparisonJson = (view: RfqView): z.input<typeof comparisonSchema> =>
  withRoundedNumbers(
    pick(comparisonSchema, {
      ...view,
      offers: jsonRows(OFFER_COLUMNS, view.offers),
      problems: view.problems.length,
    }),
  )

/** The exchange rates that were used, one sentence each. */
export const rateLines = ({ currency }: Pick<RfqView, 'currency'>): string[] =>
  currency.rates.flatMap(({ rate, message }) => (rate === null ? [] : [message]))

/** The standing award, one line for each of its facts; none if no award stands. */
export const awardLines = (state: Pick<AwardState, 'facts'> | null): string[] =>
  (state?.facts ?? []).map(({ label, value }) => `${label}: ${value}`)

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
