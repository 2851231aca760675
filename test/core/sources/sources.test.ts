import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { contradictionOf, contradicts, entryTermsOf, listDiffOf, termsOf } from '../../../src/core/sources/sources.js'
import { shareOf } from '../../helpers/long-tests.js'

const RFQ = { id: 'a', state: 'open', responseDueDate: '2026-03-01' }
const contradiction = (entries: unknown[], rfq: object = {}, isAmbiguous = false) =>
  contradictionOf({ body: entries.length === 1 ? entries[0] : entries, isAmbiguous }, { ...RFQ, ...rfq })

describe('a contradiction of an open RFQ by its list entry', () => {
  it('is none where the list agrees or says nothing', () => {
    expect(contradiction([{ state: 'open', responseDueDate: '2026-03-01' }])).toBeNull()
    expect(contradiction([{ state: null }, {}])).toBeNull()
    for (const entry of [null, [], 'text', 7]) expect(contradiction([entry])).toBeNull()
  })

  it('has both sides of each member, by the first entry that contradicts', () => {
    const later = { state: 'open', responseDueDate: '2026-05-01' }
    const due = { path: 'responseDueDate', listed: '2026-05-01', own: '2026-03-01' }
    expect(contradiction([{ state: 'open' }, later, {}])).toEqual({ members: [due], isAmbiguous: false })
    const two = [{ responseDueDate: '2026-05-01' }, { state: 'closed', responseDueDate: '2026-06-01' }]
    expect(contradiction(two)?.members).toEqual([{ path: 'state', listed: 'closed', own: 'open' }, due])
  })

  it.each([
    [7, 'a number'],
    [['open'], 'a list'],
    [{}, 'an object'],
    ['x'.repeat(200), 'x'.repeat(80)],
  ])('is named as text, of what is no text by its type: %j', (state, message) => {
    for (const followedAt of [null, 'FOLLOWED']) {
      const entry = { at: 'AT', followedAt, body: { state }, isAmbiguous: false }
      const listed = listDiffOf({ entry, readAt: null, body: RFQ })
      expect(listed).toMatchObject({ state: message, ...(followedAt && { own: 'open' }) })
      expect(listed?.contradicts).toBe(true)
    }
  })

  it('is an entry of which parsing lost something that matters', () => {
    expect(contradiction([RFQ], {}, true)).toEqual({ members: [], isAmbiguous: true })
  })

  it('concerns open RFQs only', () => {
    expect(contradiction([{ state: 'open' }], { state: 'closed' })).toBeNull()
    expect(contradiction([{ state: 'closed' }], { state: undefined })).toBeNull()
  })

  it('is found from what is kept beside the documents as from the documents', () => {
    const value = fc.constantFrom<unknown>('open', 'open', 'open', 'closed', '2026-03-01', null, undefined, 7, ['open'])
    const document = fc.record({ state: value, responseDueDate: value }, { requiredKeys: [] })
    const property = fc.property(
      fc.array(fc.oneof(document, fc.constantFrom(null, 'text')), { minLength: 1, maxLength: 3 }),
      document,
      fc.boolean(),
      (entries, rfq, isAmbiguous) => {
        const entry = { body: entries.length === 1 ? entries[0] : entries, isAmbiguous }
        expect(contradicts(entryTermsOf(entry), termsOf(rfq))).toBe(contradictionOf(entry, rfq) !== null)
      },
    )
    fc.assert(property, { numRuns: shareOf(5_000) })
  })
})

describe('what a list says of an RFQ that was read before it', () => {
  const said = (body: unknown, isAmbiguous = false, rfq: object = {}) =>
    listDiffOf({
      entry: { at: 'AT', followedAt: null, body, isAmbiguous },
      ...{ readAt: 'READ', body: { ...RFQ, title: 'A', fulfilmentDueDate: '2027-01-01', ...rfq } },
    })

  it('is what each of its entries says otherwise, once', () => {
    expect(
      said([
        { ...RFQ, title: 'B' },
        { ...RFQ, title: 'C', state: 'closed' },
      ]),
    ).toMatchObject({
      ...{ state: 'closed', fields: ['title'], contradicts: true, readAt: 'READ' },
    })
    expect(said({ ...RFQ, fulfilmentDueDate: 7 })).toMatchObject({
      fulfilmentDueDate: null,
      fields: ['fulfilmentDueDate'],
    })
    expect(said({ ...RFQ, title: 'B' })).toMatchObject({ contradicts: false })
    expect(said({ ...RFQ, state: 'draft' }, false, { state: 'closed' })).toMatchObject({
      state: 'draft',
      contradicts: false,
    })
  })

  it('is that its entry is ambiguous, of an open RFQ also if nothing else differs', () => {
    expect(said(RFQ, true)).toMatchObject({ ambiguous: true, contradicts: true, fields: [] })
    expect(said(RFQ)).toBeNull()
    expect(said(RFQ, true, { state: 'closed' })).not.toHaveProperty('ambiguous')
  })
})

describe('what a list says of an RFQ that was read after it', () => {
  const said = (entry: object, rfq: object = {}) =>
    listDiffOf({
      entry: { at: 'AT', followedAt: 'FOLLOWED', body: { ...RFQ, ...entry }, isAmbiguous: false },
      ...{ readAt: null, body: { ...RFQ, title: 'A', ...rfq } },
    })

  it('is only what contradicts it, beside what the RFQ itself says', () => {
    expect(said({ title: 'B', responses: [] })).toBeNull()
    expect(said({ responseDueDate: '2026-05-01' })).toMatchObject({ own: 'due 2026-03-01', contradicts: true })
    expect(said({ state: 'closed', title: 'B' })).toMatchObject({
      readAt: 'FOLLOWED',
      state: 'closed',
      own: 'open',
      fields: [],
    })
    const both = { state: 'closed', responseDueDate: '2026-05-01' }
    expect(said(both)).toMatchObject({ ...both, own: 'open, due 2026-03-01' })
    expect(said(both, { state: 'closed' })).toBeNull()
    expect(said(both)).not.toHaveProperty('ambiguous')
    expect(said({ responseDueDate: '2026-05-01' }, { responseDueDate: null })).toMatchObject({ own: 'due nothing' })
    const ambiguous = { at: 'AT', followedAt: 'FOLLOWED', body: RFQ, isAmbiguous: true }
    const only = listDiffOf({ entry: ambiguous, readAt: null, body: RFQ })
    expect(only).toMatchObject({ ambiguous: true, contradicts: true })
    expect(only).not.toHaveProperty('own')
  })
})
