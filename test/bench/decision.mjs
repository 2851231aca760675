/**
 * Time needed for the decision on an RFQ, compared with parsing the documents it is made from. Run it with:
 *
 *   npm run bench:decision
 *
 * Medians of several rounds in one process, after one round to warm up. `parse`: JSON texts to the documents that a comparison takes,
 * the baseline. `comparison`: the whole report, decision included. `decision`: award, reasons, choices, questions, of offers that are
 * assessed already. `list`: the recommended award alone, as lists of RFQs show it.
 */
import { dist, median } from './bench-process.mjs'

const LINES = 10
/** Offers, and how often each is measured. */
const SIZES = [
  [10, 51],
  [300, 7],
]
const NOW = new Date('2026-03-16T12:00:00.000Z')

const { compareOffers } = await import(new URL('src/compare/report/compare-offers.js', dist))
const { decisionOf } = await import(new URL('src/compare/decision/decide.js', dist))
const { awardProblem } = await import(new URL('src/compare/awards/award-problem.js', dist))
const { outcomeOf } = await import(new URL('src/compare/decision/recommendation.js', dist))
const { DEFAULT_SETTINGS: settings } = await import(new URL('src/core/decision/settings.js', dist))
const { parseStoredResponse, parseStoredRfq } = await import(new URL('src/compare/input/stored-documents.js', dist))

/** The same numbers in every run, from 0 to 1. */
let state = 7
const random = () => {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
  return state / 2_147_483_648
}

/** An offer of some 5,000 t at 8 to 16 USD per tonne; every tenth above the maximum price. */
function response(at) {
  const unitPrice = Math.round(100 * (8 + 8 * random())) / 100
  const scheduledDeliveries = Array.from({ length: LINES }, (_, line) => ({
    fulfilmentDueDate: `2026-${String(1 + (line % 12)).padStart(2, '0')}-15`,
    fulfilmentMethod: 'registryTransfer',
    vintages: [
      {
        ...{ reportingPeriodStart: '2022-01-01', reportingPeriodEnd: '2022-12-31', name: 'Vintage 2022' },
        ...{ mitigationTypes: ['removal'], volume: Math.round(50 + 900 * random()), unitPrice },
      },
    ],
  }))
  const volume = scheduledDeliveries.reduce((sum, { vintages }) => sum + vintages[0].volume, 0)
  return {
    ...{ id: `offer-${at}`, listingId: `listing-${at % 50}`, projectName: `Project ${at}`, status: 'submitted' },
    ...{ projectDeveloperName: `Developer ${at % 40}`, submittedAt: '2026-03-01T09:00:00.000Z' },
    offer: {
      ...{ contractType: 'forward', currency: 'USD', scheduledDeliveries, prePayments: [], totalVolume: volume },
      ...{ totalPrice: volume * unitPrice, additionalNotesToBuyer: null, expiryDate: '2026-12-31', review: null },
    },
  }
}

const RFQ = {
  ...{ id: 'rfq', listingIds: [], state: 'open', number: 1, reference: 'R', contractTypes: ['forward'], title: 'Many' },
  ...{ fulfilmentDueDate: '2026-12-31', minVolume: 10_000, maxVolume: 20_000, responses: [] },
  ...{ minVintageYear: 'Any', maxVintageYear: 'Any', pricing: { minUnitPrice: 5, maxUnitPrice: 15, currency: 'USD' } },
  ...{ createdAt: '2026-02-01T08:00:00.000Z', updatedAt: '2026-02-01T08:00:00.000Z', responseDueDate: '2026-03-20' },
}

const stored = (text) => {
  const body = JSON.parse(text)
  const version = { version: 1, contentHash: 'a'.repeat(64), notBefore: null, observedAt: '2026-03-10T10:00:00.000Z' }
  return { id: body.id, ...version, missingSince: null, runId: 7, valid: true, shape: 'full', body }
}

const parsed = (texts) => ({
  ...{ channel: 'acme/forest', timeZone: 'UTC', asOf: NOW, generatedAt: NOW, programVersion: 'bench', settings },
  rfq: parseStoredRfq(stored(JSON.stringify(RFQ))),
  responses: texts.map((text) => parseStoredResponse(stored(text))),
  ...{ listings: [], versions: [], problems: [], decisions: [] },
})

/** Milliseconds: the median of several rounds. */
function time(rounds, work) {
  work()
  const all = Array.from({ length: rounds }, () => {
    const begun = performance.now()
    work()
    return performance.now() - begun
  })
  return median(all)
}

const print = (...cells) => console.log(cells.map((cell, at) => String(cell).padStart(at === 0 ? 6 : 16)).join(''))

console.log(`Milliseconds, medians; offers of ${LINES} lines; × parsing the same documents (Node ${process.version})`)
print('offers', 'parse', 'comparison', 'decision', 'list', 'awarded')
for (const [offers, rounds] of SIZES) {
  const texts = Array.from({ length: offers }, (_, at) => JSON.stringify(response(at)))
  const input = parsed(texts)
  const report = compareOffers(input)
  const { context, currency, rfq, decision } = report
  const assessed = { context, settings, currency: currency.comparison, rfq, offers: report.offers }
  const parse = time(rounds, () => parsed(texts))
  const shown = (ms) => ms.toFixed(ms < 10 ? 2 : 0)
  const figures = [
    time(rounds, () => compareOffers(input)),
    time(rounds, () => decisionOf(assessed)),
    time(rounds, () => {
      const assessed = { rfq, currency, offers: report.offers }
      return outcomeOf(awardProblem({ ...assessed, settings }, assessed.currency.comparison)).message()
    }),
  ].map((ms) => `${shown(ms)} (${(ms / parse).toFixed(1)} ×)`)
  print(offers, shown(parse), ...figures, `${decision.recommendation.award.tonnes} t`)
}
