import { describe, expect, it } from 'vitest'
import { describeListDiff, describeReadTimes, listDiffLabel } from '../../../src/core/sources/source-text.js'
import { isDecisive, listDiffOf } from '../../../src/core/sources/sources.js'

const AT = '2026-11-21T14:02:10.000Z'
const READ_AT = '2026-11-21T13:20:59.000Z'
const offers = (...numbers: number[]) =>
  numbers.map((number) => ({ id: `offer-${number}`, projectDeveloperName: `Developer ${number}`, status: 'submitted' }))
const RFQ = {
  id: 'rfq',
  state: 'open',
  responseDueDate: '2026-11-25',
  fulfilmentDueDate: '2027-01-31',
  minVolume: 100,
  pricing: { minUnitPrice: 1, maxUnitPrice: 9, currency: 'USD' },
  title: 'Forest',
  closedAt: null,
  updatedAt: '2026-11-20T00:00:00.000Z',
  responses: offers(1, 2, 3),
}
const listedOffers = (...numbers: number[]) =>
  numbers.map((number) => ({ id: `offer-${number}`, listingId: 'listing' }))
const ENTRY = { ...RFQ, responses: listedOffers(3, 2, 1) }

const changesOf = (entry: unknown, body: unknown = RFQ) =>
  listDiffOf({ entry: { at: AT, followedAt: null, body: entry, isAmbiguous: false }, readAt: READ_AT, body })
const sentence = (entry: object, names?: readonly string[]) => {
  const changes = changesOf({ ...ENTRY, ...entry })
  return changes && describeListDiff(changes, names)
}

describe('what a list says otherwise than the RFQ', () => {
  it('is nothing without an entry, and if the entry says the same', () => {
    expect(listDiffOf({ entry: null, readAt: READ_AT, body: RFQ })).toBeNull()
    expect(changesOf(ENTRY)).toBeNull()
    expect(changesOf({ ...ENTRY, pricing: { currency: 'USD', maxUnitPrice: 9, minUnitPrice: 1 } })).toBeNull()
  })

  it('is not what absent and null members say, nor members that the RFQ does not have', () => {
    expect(changesOf({ id: 'rfq' })).toBeNull()
    expect(changesOf({ ...ENTRY, state: null, title: null, responses: null, pricing: { currency: null } })).toBeNull()
    expect(changesOf({ ...ENTRY, listPosition: 7, pricing: { ...RFQ.pricing, notes: 'per tonne' } })).toBeNull()
    expect(changesOf(ENTRY, { ...RFQ, responses: null })).toBeNull()
    for (const body of [null, [], 'text']) expect([changesOf(body), changesOf(ENTRY, body)]).toEqual([null, null])
    expect(changesOf(JSON.parse('{"__proto__":{"state":"closed"},"constructor":1}'))).toBeNull()
  })

  it('is the state, the due dates, the offers, and the names of other members', () => {
    const entry = {
      ...ENTRY,
      ...{ state: 'closed', responseDueDate: '2026-12-01', fulfilmentDueDate: '2027-02-28', minVolume: 200 },
      ...{ pricing: { ...RFQ.pricing, maxUnitPrice: 8 }, responses: listedOffers(3, 4), closedAt: AT },
    }
    expect(changesOf(entry)).toEqual({
      ...{ at: AT, readAt: READ_AT },
      ...{ state: 'closed', responseDueDate: '2026-12-01', fulfilmentDueDate: '2027-02-28' },
      removedOffers: [
        { id: 'offer-1', name: 'Developer 1' },
        { id: 'offer-2', name: 'Developer 2' },
      ],
      addedOffers: ['offer-4'],
      fields: ['minVolume', 'pricing', 'closedAt'],
      contradicts: true,
    })
  })

  it('names an offer by its id if its developer is not known, and values that are no text by their type', () => {
    const responses = [{ id: 'offer-1', projectDeveloperName: '  ' }, { id: 7 }, null, ...offers(2)]
    const found = changesOf({ ...ENTRY, state: 7, responses: [null, { id: 'offer-2' }] }, { ...RFQ, responses })
    expect(found).toMatchObject({ state: 'a number', fields: [], removedOffers: [{ id: 'offer-1', name: 'offer-1' }] })
  })

  it('is decisive if it concerns the state, the response due date, or offers that are gone', () => {
    const decisive = (entry: object) => isDecisive(changesOf({ ...ENTRY, ...entry }) as never)
    expect([{ state: 'closed' }, { responseDueDate: '2026-12-01' }, { responses: [] }].map(decisive)).toEqual([
      ...[true, true, true],
    ])
    expect([{ title: 'Other' }, { responses: listedOffers(1, 2, 3, 4) }].map(decisive)).toEqual([false, false])
  })
})

describe('the sentence about it', () => {
  it.each([
    [{ state: 'closed' }, 'says closed'],
    [{ state: 'closed', responseDueDate: '2026-12-01' }, 'says closed, due 2026-12-01'],
    [{ responses: listedOffers(1, 3) }, 'no longer has 1 offer (Developer 2)'],
    [
      { state: 'closed', responses: listedOffers(4) },
      'says closed, no longer has 3 offers (Developer 1; Developer 2; Developer 3) and has 1 new offer',
    ],
    [{ title: 'Other', updatedAt: AT }, 'has another title'],
    [{ updatedAt: AT }, 'has another updatedAt'],
    [{ state: 'closed', updatedAt: AT, closedAt: AT }, 'says closed'],
    [{ state: 'closed', updatedAt: AT, title: 'Other' }, 'says closed and has another title'],
    [{ title: 'Other', minVolume: 1, pricing: { currency: 'EUR' } }, 'has another minVolume, pricing and title'],
  ])('%j', (entry, message) => {
    expect(sentence(entry)).toBe(`The list of 2026-11-21 14:02 UTC ${message}; this RFQ was last read at 13:20.`)
  })

  it('has the date of the read if it is another one, and bounds what it names', () => {
    const changes = changesOf({ ...ENTRY, state: 'x'.repeat(500), responses: [] })
    if (changes === null) throw new Error('nothing differs')
    const message = describeListDiff({ ...changes, readAt: '2026-11-19T08:00:00.000Z' }, ['B', 'A', 'C', 'D', 'E'])
    expect(message).toContain('(B; A; C; and 2 more); this RFQ was last read at 2026-11-19 08:00 UTC.')
    expect(message.length).toBeLessThan(250)
    expect(describeListDiff({ ...changes, readAt: null })).toMatch(/3 offers \(.*\)\.$/)
  })

  it('is a few words in a table', () => {
    const brief = (entry: object) => listDiffLabel(changesOf({ ...ENTRY, ...entry }) as never)
    expect(brief({ state: 'closed', responses: listedOffers(4, 1, 2) })).toBe('closed, 1 offer gone, 1 offer new')
    expect(brief({ responseDueDate: '2026-12-01', title: 'Other' })).toBe('due 2026-12-01')
    expect(brief({ title: 'Other' })).toBe('other title')
  })
})

describe('two times in one sentence', () => {
  it.each([
    ['2026-01-31T14:02:10.000Z', '2026-01-31T13:20:00.000Z', '2026-01-31 14:02 UTC', '13:20'],
    ['2026-01-31T14:02:10.000Z', '2026-01-30T13:20:00.000Z', '2026-01-31 14:02 UTC', '2026-01-30 13:20 UTC'],
    ['2026-01-31T14:02:10.000Z', '2026-01-31T14:02:01.000Z', '2026-01-31 14:02:10 UTC', '14:02:01'],
  ])('%s and %s', (newer, older, ...texts) => {
    expect(Object.values(describeReadTimes(newer, older))).toEqual(texts)
  })
})
