import type { ComparisonInput } from '../../../src/compare/input/comparison-input.js'
import { type AwardFacts, awardFacts } from '../../../src/core/decision/award-record.js'
import {
  comparisonInput,
  delivery,
  EURO_SETTINGS,
  listing,
  manyResponses,
  RFQ_ID,
  response,
  sampleResponses,
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

/** An RFQ and offers in which every text is hostile. */
function hostileInput(): ComparisonInput {
  const text = (at: number) => HOSTILE[at % HOSTILE.length] as string
  const responses = HOSTILE.map((message, at) =>
    response(at + 1, {
      projectDeveloperName: message,
      projectName: text(at + 1),
      status: at === 3 ? message : 'submitted',
      offer: {
        contractType: at % 2 ? message : 'spot',
        currency: at === 5 ? message : 'USD',
        additionalNotesToBuyer: `${message} `.repeat(at === 6 ? 4_000 : 2),
        scheduledDeliveries: [
          delivery({
            fulfilmentMethod: message,
            vintages: [vintage({ name: message, mitigationTypes: [message, text(at + 2)] })],
          }),
        ],
        review: {
          ...{ status: message, offerId: message, source: message, sourceId: message },
          ...{ comment: message, createdAt: message, updatedAt: message },
        },
      },
    }),
  )
  const listings = [1, 2, 3, 4, 5].map((number) =>
    listing(number, {
      projectName: text(number),
      country: text(number + 1),
      registry: text(number + 2),
      registryId: text(number + 3),
      methodologies: [text(number + 4)],
      mainMitigationActivity: text(number + 5),
      certificationLabels: [text(number + 6), text(number + 7)],
      storefrontUrl: [
        'javascript:alert(1)',
        'http://plain.example/x',
        'https://user:secret@x.example/',
        'file:///etc/passwd',
        'https://fine.example/p?a=1&b="2"',
      ][number - 1],
    }),
  )
  return comparisonInput({
    channel: 'acme/forest',
    rfq: {
      reference: '=1+1',
      title: '../../=cmd|calc\u0000',
      buyerDescription: HOSTILE.join('\n'),
      contractTypes: ['spot', '=1+1'],
      additionalRequirements: text(9),
    },
    responses,
    listings,
    problems: HOSTILE.slice(0, 4).map((message, at) => ({
      kind: 'response',
      entityId: text(at),
      path: text(at + 3),
      code: 'type',
      message,
      firstSeenAt: '2026-03-10T10:00:00.000Z',
    })),
  })
}

/** An offer of one delivery with these lines. */
const offering = (number: number, vintages: Record<string, unknown>[], status = 'submitted') =>
  response(number, { status, offer: { scheduledDeliveries: [delivery({ vintages: vintages.map(vintage) })] } })

/** An accepted offer of half the wanted volume, beside a cheaper one that the rule would award. */
function partlyAcceptedInput(other = 'submitted'): ComparisonInput {
  const accepted = offering(1, [{ volume: 5_000, unitPrice: 12 }], 'accepted')
  const responses = [accepted, offering(2, [{ volume: 10_000, unitPrice: 10 }], other)]
  return comparisonInput({ rfq: { minVolume: 10_000, maxVolume: 14_000 }, responses })
}

/** Offers that are accepted, and one that is not, with volumes and prices of several decimals. */
function manyAcceptedInput(accepted: number): ComparisonInput {
  const responses = Array.from({ length: accepted + 1 }, (_, at) =>
    offering(at + 1, [{ volume: at === 0 ? 500.5 : 500, unitPrice: 10.205 }], at < accepted ? 'accepted' : 'submitted'),
  )
  return comparisonInput({ rfq: { minVolume: 500, maxVolume: 50_000 }, responses })
}

/** The inputs for which the workbook is tested. */
export const RFQ_CASES: Record<string, () => ComparisonInput> = {
  sample: () => comparisonInput({ settings: EURO_SETTINGS }),
  'no-offers': () => comparisonInput({ responses: [] }),
  unread: () =>
    comparisonInput({ rfq: { responses: [{ id: 'a' }, { id: 'b' }] }, rfqStored: { shape: 'list' }, responses: [] }),
  'partly-accepted': () => partlyAcceptedInput(),
  'all-accepted': () => partlyAcceptedInput('accepted'),
  'many-accepted': () => manyAcceptedInput(30),
  'one-offer': () => comparisonInput({ responses: [response(1)] }),
  awarded: () => ({ ...comparisonInput({ settings: EURO_SETTINGS }), award: hostileAward() }),
  'no-lines': () =>
    comparisonInput({
      responses: [
        response(1, { offer: { scheduledDeliveries: [] } }),
        response(2, { offer: { scheduledDeliveries: [], totalVolume: 12_000, totalPrice: 150_000 } }),
        response(3, { offer: { scheduledDeliveries: null, prePayments: null, totalVolume: null } }),
        offering(4, []),
      ],
    }),
  'zero-volume': () =>
    comparisonInput({
      rfq: { minVolume: 0, maxVolume: 0 },
      responses: [
        offering(1, [{ volume: 0 }]),
        response(2, { offer: { totalVolume: 0, totalPrice: 0, scheduledDeliveries: [] } }),
        response(3),
      ],
    }),
  'null-offer': () => comparisonInput({ responses: [response(1, { offer: null }), response(2)] }),
  'prices-missing': () =>
    comparisonInput({
      rfq: { pricing: { minUnitPrice: null, maxUnitPrice: null, currency: 'USD' } },
      responses: [
        response(1, {
          offer: {
            scheduledDeliveries: [delivery({ vintages: [vintage({ unitPrice: null }), vintage()] })],
            totalPrice: 200_000,
          },
        }),
        response(2, {
          offer: {
            scheduledDeliveries: [
              delivery({
                fulfilmentDueDate: null,
                contradicts: false,
                vintages: [vintage({ reportingPeriodStart: null, reportingPeriodEnd: null })],
              }),
            ],
          },
        }),
        offering(3, [{ volume: null }, { volume: -5 }]),
        response(4, {
          offer: { scheduledDeliveries: [delivery({ fulfilmentDueDate: '1851-05-01' })], expiryDate: '1851-05-01' },
        }),
      ],
    }),
  'twelve-deliveries': () =>
    comparisonInput({ responses: manyResponses(7, 12), settings: { volume: 12_000, discountRate: 0.11 } }),
  'invalid-documents': () =>
    comparisonInput({
      rfqStored: { valid: false },
      rfq: {
        minVolume: 'many',
        maxVolume: null,
        fulfilmentDueDate: 'soon',
        responseDueDate: '2026-02-31',
        pricing: 'cheap',
        contractTypes: 'spot',
      },
      responses: [
        storedDocument('not an object', { valid: false, id: 'unidentified-1' }),
        storedDocument({ id: 'x', offer: 'none', status: 7 }, { valid: false }),
        storedDocument(
          response(3, {
            offer: {
              scheduledDeliveries: [delivery(), 'junk', delivery({ vintages: 'junk' })],
              totalVolume: '12',
              currency: 'dollars',
            },
          }),
          { valid: false },
        ),
        offering(4, [{ volume: 1e300, unitPrice: -1e300 }]),
        response(5),
      ],
      problems: [
        {
          kind: 'rfq',
          entityId: RFQ_ID,
          path: 'minVolume',
          code: 'type',
          message: 'string, expected a number',
          firstSeenAt: '2026-03-10T10:00:00.000Z',
        },
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
