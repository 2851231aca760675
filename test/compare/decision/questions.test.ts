import { describe, expect, it } from 'vitest'
import type { DeveloperQuestions } from '../../../src/compare/decision/decision-model.js'
import {
  type ComparisonOverrides,
  delivery,
  lines,
  offerId,
  reportOn,
  review,
  sized,
  storedDocument,
  summaryOf,
  vintage,
} from '../../helpers/data/comparison-inputs.js'

type Body = Record<string, unknown>
type Scene = Pick<ComparisonOverrides, 'rfq' | 'settings'>

/** Asks for 5,000 t to 9,000 t at 40 USD at most. */
const RFQ = {
  ...{ minVolume: 5_000, maxVolume: 9_000, pricing: { minUnitPrice: 10, maxUnitPrice: 40, currency: 'USD' } },
  additionalRequirements: null,
}
const lettersOf = (
  responses: NonNullable<ComparisonOverrides['responses']>,
  { rfq = {}, settings = {} }: Scene = {},
): DeveloperQuestions[] => reportOn({ responses, rfq: { ...RFQ, ...rfq }, settings }).decision.questions
const questionsAbout = (id: string, letters: readonly DeveloperQuestions[]) =>
  letters.flatMap(({ offers }) => offers.flatMap(({ offerId: of, questions }) => (of === id ? questions : [])))
/** What is asked about an offer that nothing competes with. */
const asked = (offer: Body, rfq: Body = {}, of: Body = {}) =>
  questionsAbout(offerId(1), lettersOf([sized(1, 6_000, 20, { ...of, offer })], { rfq }))
const priced = (unitPrice: number) => lines({ volume: 6_000, unitPrice })

// Golden files have those about a total that differs, a part of the tonnes and what the RFQ also asks.
describe('a question', () => {
  it('names what the offer says, the dates, and no limit on price or volume', () => {
    const due = (fulfilmentDueDate: string | null) => ({
      scheduledDeliveries: [delivery({ fulfilmentDueDate, vintages: [vintage({ volume: 6_000, unitPrice: 20 })] })],
    })
    const nothing = { scheduledDeliveries: [], totalVolume: 0, totalPrice: 0 }
    const cases: [question: string, Body, Body?][] = [
      ['Could you lower your price of 50.00 USD/t?', priced(50)],
      [
        'Does your price of 5.50 USD/t include everything, such as issuance and the transfer to our account?',
        priced(5.5),
      ],
      ['Your last delivery is due on 2027-02-01. Could you deliver everything by 2026-12-31?', due('2027-02-01')],
      ['Could you deliver everything by 2026-12-31?', due(null)],
      ['Could you offer a forward contract?', { contractType: 'spot' }, { contractTypes: ['forward'] }],
      ['Could you deliver only vintages 2024–2026?', {}, { minVintageYear: 2024 }],
      ['Could you deliver only vintages from 2024?', {}, { minVintageYear: 2024, maxVintageYear: 'Any' }],
      ['Could you quote in USD?', { currency: 'EUR' }],
      ['In which currency is your price?', { currency: null }],
      [
        'Your offer states 7,000 t in total, but its deliveries add up to 6,000 t. Which applies?',
        { totalVolume: 7_000 },
      ],
      [
        'You ask for payment in full before the first delivery, on 2026-09-30. Could a part of it be due on delivery?',
        { prePayments: [{ amount: 120_000, paymentDueDate: '2026-04-15' }] },
      ],
      [
        'Your offer did not pass its review of 2026-03-05: “Monitoring report missing.” Can you resolve that?',
        { review: review('rejected', 'Monitoring report missing.') },
      ],
      [
        'Your offer expired on 2026-03-10. Could you renew it beyond 2026-03-20, when responses are due?',
        { expiryDate: '2026-03-10' },
      ],
      [
        'Your offer expires on 2026-03-18. Could you extend it beyond 2026-03-20, when responses are due?',
        { expiryDate: '2026-03-18' },
      ],
      ['Your offer expires on 2026-03-25. Could you extend it, and to which day?', { expiryDate: '2026-03-25' }],
    ]
    for (const [question, offer, rfq] of cases) expect(asked(offer, rfq)).toEqual([question])
    expect(asked(nothing, { minVintageYear: 'Any', maxVintageYear: 'Any' })).toEqual([
      'How many tonnes do you offer?',
      'Could you deliver everything by 2026-12-31?',
    ])
  })

  it('is not asked about an offer that is accepted, gone, expired long ago, not read yet, or far too dear', () => {
    const dear = priced(50)
    expect(asked(dear)).not.toEqual([])
    expect(asked(priced(57))).toEqual([])
    for (const status of ['accepted', 'rejected', 'withdrawn']) expect(asked(dear, {}, { status })).toEqual([])
    expect(asked({ ...dear, expiryDate: '2026-02-13' })).toEqual([])
    expect(asked({ ...dear, expiryDate: '2026-02-14' })).not.toEqual([])
    const body = sized(1, 6_000, 50)
    expect(lettersOf([storedDocument(body, { missingSince: '2026-03-12T00:00:00.000Z' })])).toEqual([])
    expect(lettersOf([storedDocument(summaryOf(body), { shape: 'summary' })])).toEqual([])
  })

  it('is about what could change the decision only', () => {
    const award = sized(1, 6_000, 20)
    const spot = (unitPrice: number) => sized(2, 6_000, unitPrice, { offer: { contractType: 'spot' } })
    const forward = { rfq: { contractTypes: ['forward'] } }
    expect(questionsAbout(offerId(2), lettersOf([award, spot(19)], forward))).toHaveLength(1)
    expect(questionsAbout(offerId(2), lettersOf([award, spot(21)], forward))).toEqual([])
    expect(questionsAbout(offerId(2), lettersOf([sized(1, 4_000, 20), spot(21)], forward))).toHaveLength(1)
  })

  it('about the expiry date is asked of awarded offers, unless all expire on that day', () => {
    const expiring = (at: number, unitPrice: number, expiryDate: string) =>
      sized(at, 6_000, unitPrice, { offer: { expiryDate } })
    const letters = lettersOf([expiring(1, 20, '2026-03-25'), expiring(2, 30, '2026-03-26')])
    expect(letters.flatMap(({ offers }) => offers.map((one) => one.offerId))).toEqual([offerId(1)])
    expect(lettersOf([expiring(1, 20, '2026-03-25'), expiring(2, 30, '2026-03-25')])).toEqual([])
  })
})

describe('a letter', () => {
  const KATARI = { projectDeveloperName: 'Katari' }
  const both = [1, 2].map((at) => sized(at, 60_000, 12 + at, KATARI))

  it('is one to each developer, and names the RFQ, each offer and the day to answer by', () => {
    expect(lettersOf(both)).toMatchObject([
      {
        developer: 'Katari',
        subject: 'RFQ 4711 (RFQ-2026-0042) – Removals for 2026: questions on your offers',
        text: `RFQ 4711 (RFQ-2026-0042) – Removals for 2026: questions on your offers

About your offers for RFQ 4711 (RFQ-2026-0042), “Removals for 2026”:

Project 1, your offer of 2026-03-02 (60,000 t at 13.00 USD/t):
- Would you sell a part of the 60,000 t at the same price per tonne, and how much at least?

Project 2, your offer of 2026-03-03 (60,000 t at 14.00 USD/t):
- Would you sell a part of the 60,000 t at the same price per tonne, and how much at least?

Please answer by 2026-03-20.`,
      },
    ])
    const bare = { number: null, reference: null, title: null, responseDueDate: null }
    expect(lettersOf(both, { rfq: bare })[0]?.subject).toBe('RFQ: questions on your offers')
    expect(lettersOf(both, { rfq: { ...bare, reference: 'A-1' } })[0]?.subject).toBe(
      'RFQ A-1: questions on your offers',
    )
  })

  it('asks for an answer by the due date or the day before the first offer expires, whichever is first and near', () => {
    const day = (expiryDate: string | null, rfq: Body = {}) =>
      lettersOf([sized(1, 60_000, 12, { offer: { expiryDate } })], { rfq })[0]?.text.match(/answer by (.*)\./)?.[1]
    expect(day('2026-12-31')).toBe('2026-03-20')
    expect(day('2026-03-18')).toBe('2026-03-17')
    expect(day('2026-03-18', { state: 'closed', responseDueDate: '2026-03-17' })).toBe('2026-03-17')
    expect(day('2026-12-31', { responseDueDate: '2026-03-15' })).toBeUndefined()
    expect(day(null, { responseDueDate: null })).toBeUndefined()
  })

  it('is a mail whose address has the encoding of RFC 6068', () => {
    const [letter] = lettersOf(both, { rfq: { title: 'Café & 100 %?\u202e' } })
    const [start = '', ...more] = letter?.mailto.split('&body=') ?? []
    expect(start).toBe(
      'mailto:?subject=RFQ%204711%20(RFQ-2026-0042)%20%E2%80%93%20Caf%C3%A9%20%26%20100%20%25%3F%EF%BF%BD%3A%20questions%20on%20your%20offers',
    )
    expect(more).toHaveLength(1)
    expect(more[0]).toMatch(/^[A-Za-z0-9\-._~!'()*%]+$/)
    expect(more[0]).toContain('%3A%0D%0A%0D%0AProject%201')
    expect(more[0]).not.toMatch(/(?<!%0D)%0A/)
  })

  it('is whole as text where the address is cut at 2,000 characters', () => {
    const many = Array.from({ length: 30 }, (_, at) => sized(at + 1, 60_000, 12, KATARI))
    const [letter] = lettersOf(many, { rfq: { title: '木'.repeat(200) } })
    const body = decodeURIComponent(letter?.mailto.split('&body=')[1] ?? '').split('\r\n')
    expect(letter?.mailto.length).toBeLessThanOrEqual(2_000)
    expect(body.at(-1)).toBe('[Too long for a link: paste the whole text here.]')
    const rest = letter?.text.split('\n') ?? []
    for (const line of body.slice(0, -1)) expect(rest).toContain(line)
    expect(rest.filter((line) => line.startsWith('- '))).toHaveLength(30)
  })
})
