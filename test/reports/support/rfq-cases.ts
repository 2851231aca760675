import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import { type AwardFacts, awardFacts } from '../../../src/core/decision/award-record.js'
import {
  comparisonInput,
  delivery,
  EURO_SETTINGS,
  lines,
  listing,
  manyResponses,
  RFQ_ID,
  response,
  review,
  sampleResponses,
  sized,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'
import { newAward } from '../../helpers/store/new-award.js'

/** Texts that are harmful in spreadsheets, paths, web pages or XML. */
export const HOSTILE = [
  '=HYPERLINK("https://evil.example","click")',
  "+cmd|' /C calc'!A0",
  '@SUM(1+1)',
  '-2+3',
  '\t=1+1',
  '*',
  '>0',
  '../../etc/passwd',
  'a\u0000b\u0008c\uFFFEd\uFFFFe\uD800f',
  '_x0041__x000D_',
  ']]><script>alert(1)</script>&amp;&#0;',
  '"quoted", \'apostrophe\'; {=1}',
  '\u202Egnp.exe',
  '👩‍👩‍👧‍👦 Überprüfung 森林 غابة',
  'line one\r\nline two\u2028line three',
]

/** A standing award in which every text is hostile, of an offer that the RFQ does not have. */
function hostileAward(): AwardFacts {
  const award = newAward({ because: HOSTILE.join(' '), by: HOSTILE[0] as string, warnings: HOSTILE })
  return awardFacts({
    ...award,
    id: 1,
    offers: award.offers.map((offer) => ({ ...offer, name: HOSTILE[1] as string })),
  })
}

const IDENTIFIERS = /[iI]ds?$/
/** What an offer must have to be ranked. */
const TERMS = /([iI]ds?|status|currency|contractTypes?|Date|At|Start|End)$/

/** A document with hostile texts, each another one, except those of members whose names match. */
function hostile<T>(document: T, first: number, kept = IDENTIFIERS): T {
  let at = first
  return JSON.parse(JSON.stringify(document), (name, value) =>
    typeof value === 'string' && !kept.test(name) ? HOSTILE[at++ % HOSTILE.length] : value,
  )
}

/** An RFQ and offers in which every text is hostile; of every second offer, also its terms. */
function hostileInput(): ComparisonInput {
  const responses = HOSTILE.map((_, at) =>
    hostile(
      response(at + 1, { offer: { contractType: 'spot', review: review('accepted') } }),
      at,
      at % 2 ? IDENTIFIERS : TERMS,
    ),
  )
  const urls = ['javascript:alert(1)', 'https://user:secret@x.example/', 'https://fine.example/p?a=1&b="2"']
  return comparisonInput({
    channel: 'acme/forest',
    rfq: {
      ...hostile({ reference: '', title: '', buyerDescription: '', additionalRequirements: '' }, 0),
      contractTypes: ['spot', '=1+1'],
    },
    responses,
    listings: urls.map((storefrontUrl, at) => ({ ...hostile(listing(at + 1), at), storefrontUrl })),
    problems: HOSTILE.slice(0, 4).map((message, at) =>
      hostile({ kind: 'response', entityId: '', path: '', code: 'type', message }, at, /^(kind|code)$/),
    ),
  })
}

/** 30 accepted offers, and one that is not, with volumes and prices of several decimals. */
const MANY_ACCEPTED = Array.from({ length: 31 }, (_, at) =>
  sized(at + 1, at === 0 ? 500.5 : 500, 10.205, { status: at < 30 ? 'accepted' : 'submitted' }),
)

const undated = vintage({ reportingPeriodStart: null, reportingPeriodEnd: null })
/** Offers without lines, prices, dates or anything at all. */
const ABSENT = [
  ...[{ scheduledDeliveries: [] }, { scheduledDeliveries: [], totalVolume: 12_000, totalPrice: 150_000 }],
  ...[{ scheduledDeliveries: null, prePayments: null, totalVolume: null }, lines(), null],
  { ...lines({ unitPrice: null }, {}), totalPrice: 200_000 },
  { scheduledDeliveries: [delivery({ fulfilmentDueDate: null, vintages: [undated] })] },
  lines({ volume: null }, { volume: -5 }),
  { scheduledDeliveries: [delivery({ fulfilmentDueDate: '1851-05-01' })], expiryDate: '1851-05-01' },
].map((offer, at) => response(at + 1, { offer }))

/** The inputs for which the workbook is tested. */
export const RFQ_CASES: Record<string, () => ComparisonInput> = {
  'no-offers': () => comparisonInput({ responses: [] }),
  'many-accepted': () => comparisonInput({ rfq: { minVolume: 500, maxVolume: 50_000 }, responses: MANY_ACCEPTED }),
  'one-offer': () => comparisonInput({ responses: [response(1)] }),
  awarded: () => ({ ...comparisonInput({ settings: EURO_SETTINGS }), award: hostileAward() }),
  'zero-volume': () =>
    comparisonInput({
      rfq: { minVolume: 0, maxVolume: 0 },
      responses: [
        response(1, { offer: lines({ volume: 0 }) }),
        response(2, { offer: { totalVolume: 0, totalPrice: 0, scheduledDeliveries: [] } }),
        response(3),
      ],
    }),
  'absent-members': () =>
    comparisonInput({
      rfq: { pricing: { minUnitPrice: null, maxUnitPrice: null, currency: 'USD' } },
      responses: ABSENT,
    }),
  'twelve-deliveries': () =>
    comparisonInput({ responses: manyResponses(7, 12), settings: { volume: 12_000, discountRate: 0.11 } }),
  'invalid-documents': () =>
    comparisonInput({
      rfqStored: { valid: false },
      rfq: {
        ...{ minVolume: 'many', maxVolume: null, fulfilmentDueDate: 'soon', responseDueDate: '2026-02-31' },
        ...{ pricing: 'cheap', contractTypes: 'spot' },
      },
      responses: [
        storedDocument('not an object', { valid: false, id: 'unidentified-1' }),
        storedDocument({ id: 'x', offer: 'none', status: 7 }, { valid: false }),
        storedDocument(
          response(3, {
            offer: {
              scheduledDeliveries: [delivery(), 'junk', delivery({ vintages: 'junk' })],
              ...{ totalVolume: '12', currency: 'dollars' },
            },
          }),
          { valid: false },
        ),
        response(4, { offer: lines({ volume: 1e300, unitPrice: -1e300 }) }),
        response(5),
      ],
      problems: [
        { kind: 'rfq', entityId: RFQ_ID, path: 'minVolume', code: 'type', message: 'expected number, received string' },
      ],
    }),
  mixed: mixedInput,
  hostile: hostileInput,
}

/** Currencies with and without a rate, an expired, an accepted, a withdrawn, a summary-only offer, pre-payments, history. */
function mixedInput(): ComparisonInput {
  const summaryOnly = storedDocument(summaryOf(response(7, { projectDeveloperName: 'Summary Only' })), {
    shape: 'summary',
  })
  return comparisonInput({
    settings: { ...EURO_SETTINGS, awardTolerance: 0.05, volume: 15_000 },
    responses: [
      response(1),
      ...sampleResponses().slice(1),
      response(6, { offer: { currency: 'JPY' } }),
      summaryOnly,
      response(8, { offer: { expiryDate: '2026-03-01' } }),
      response(9, {
        status: 'accepted',
        offer: {
          expiryDate: '2026-03-01',
          prePayments: [
            { amount: 100_000, paymentDueDate: '2026-04-01' },
            { amount: 50_000, paymentDueDate: null },
          ],
        },
      }),
      storedDocument(response(10), { missingSince: '2026-03-12T10:00:00.000Z' }),
    ],
  })
}
