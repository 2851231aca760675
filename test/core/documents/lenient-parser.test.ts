import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SCHEMAS } from '../../../src/core/documents/documents.js'
import { parseDocument } from '../../../src/core/documents/observation.js'
import { mutated } from '../../helpers/data/mutated.js'
import { observeEntry } from '../../helpers/data/observed.js'
import { aListing, anRfq, aResponse, aSummary } from '../../helpers/data/sample-documents.js'
import { shareOf } from '../../helpers/long-tests.js'

const problemsOf = (observed: { problems: { path: string; code: string }[] }) =>
  observed.problems.map(({ path, code }) => `${path} ${code}`)

describe('lenient parser', () => {
  it('reports no problems for a document that follows the API description', () => {
    for (const [kind, body] of [
      ['listing', aListing()],
      ['rfq', anRfq()],
      ['response', aResponse()],
    ] as const)
      expect(parseDocument(kind, body)).toMatchObject({ valid: true, problems: [] })
  })

  it('accepts null and absent fields, with problems', () => {
    const { title: _title, ...rfq } = anRfq('rfq-1', { pricing: null, number: null })
    const observed = parseDocument('rfq', rfq)
    expect(observed.valid).toBe(true)
    expect(observed.document).toMatchObject({ title: null, pricing: null, number: null, reference: 'RFQ-1042' })
    expect(problemsOf(observed).sort()).toEqual(['number missing', 'pricing missing', 'title missing'])
  })

  it('accepts unknown enum values and fields as valid, with problems', () => {
    const observed = parseDocument('rfq', anRfq('rfq-1', { state: 'paused', colour: 'green' }))
    expect(observed).toMatchObject({ valid: true, document: { state: 'paused' } })
    expect(problemsOf(observed)).toEqual(['state enum', 'colour unknown-field'])
  })

  it.each([
    '2026-11-01T09:00:00.000Z',
    '2026-11-01T09:00:00Z',
    '2026-11-01T09:00Z',
    '2026-11-01T09:00:00+00:00',
    '2026-11-01T14:30:00.0000000+05:30',
    '2026-10-31T21:00:00-12:00',
  ])('accepts the timestamp %s', (openedAt) => {
    const observed = parseDocument('rfq', anRfq('rfq-1', { openedAt }))
    expect(observed).toMatchObject({ problems: [], document: { openedAt: '2026-11-01T09:00:00.000Z' } })
  })

  it.each(['yesterday', '2026-02-30T09:00:00Z', '2026-11-01T09:00:00', '2026-11-01T09:00:60Z', '2026-11-01', ''])(
    'rejects the timestamp "%s"',
    (openedAt) => {
      const observed = parseDocument('rfq', anRfq('rfq-1', { openedAt }))
      expect(observed.document?.openedAt).toBeNull()
      expect(observed.problems).toHaveLength(1)
    },
  )

  it('composes texts, and compares the ids of other documents without case, but leaves its own id as sent', () => {
    const upper = 'ABCDEF00-0000-4000-8000-000000000001'
    const sent = { title: 'Mu\u0308ller', listingIds: [upper, 'B'] }
    const { document } = parseDocument('rfq', anRfq(upper, sent))
    expect(document).toMatchObject({ id: upper, title: 'M\u00fcller', listingIds: [upper.toLowerCase(), 'B'] })
  })

  it('rejects malformed dates', () => {
    for (const odd of ['2026-02-30', '30/11/2026', '2026-11-30T00:00:00Z', '2026-1-1', '']) {
      expect(parseDocument('rfq', anRfq('rfq-1', { responseDueDate: odd })).document?.responseDueDate).toBeNull()
    }
  })

  it('marks a document with a wrong type as not valid and parses the rest', () => {
    const observed = parseDocument('response', aResponse('r', { offer: { ...aResponse().offer, totalPrice: '15000' } }))
    expect(observed.valid).toBe(false)
    expect(observed.document?.offer).toMatchObject({ totalPrice: null, totalVolume: 1000 })
    expect(problemsOf(observed)).toEqual(['offer.totalPrice type'])
  })

  it('says what is wrong with a number that no computation can use', () => {
    const offer = { ...aResponse().offer, totalPrice: JSON.parse('1e400') }
    const observed = parseDocument('response', aResponse('r', { offer }))
    expect(observed).toMatchObject({ valid: false, document: { offer: { totalPrice: null } } })
    expect(observed.problems.map(({ message }) => message)).toEqual(['expected number, received Infinity'])
  })

  it('drops list entries without an id, and gives a document without one that of its content', () => {
    const { id: _id, ...nameless } = aSummary()
    const observed = parseDocument('rfq', anRfq('rfq-1', { responses: [nameless, aSummary('b')] }))
    expect(observed.document?.responses.map((response) => response.id)).toEqual(['b'])
    expect(problemsOf(observed)).toEqual(['responses[0].id missing'])
    const texts = ['null', '"text"', '[]', '{}', '{"id":5}']
    for (const odd of texts.map(observeEntry)) expect(odd).toMatchObject({ valid: false, document: null })
    const ids = texts.map((text) => observeEntry(text).id)
    for (const id of ids) expect(id).toMatch(/^unidentified-[0-9a-f]{16}$/)
    expect(new Set(ids).size).toBe(texts.length)
    expect(texts.map((text) => observeEntry(text).id)).toEqual(ids)
  })

  it('accepts any value in any place, and finds a problem where zod does', () => {
    const anyBody = fc.oneof(
      fc.jsonValue(),
      ...[aListing(), anRfq(), aResponse()].map((document) => mutated<object>(document, fc.jsonValue(), 4)),
    )
    fc.assert(
      fc.property(anyBody, (body) => {
        const before = JSON.stringify(body)
        for (const kind of ['listing', 'rfq', 'rfq-entry', 'response'] as const) {
          const { problems } = parseDocument(kind, body)
          expect(problems.length).toBeLessThanOrEqual(200)
          expect(problems.length === 0).toBe(SCHEMAS[kind].safeParse(body).success)
        }
        expect(JSON.stringify(body)).toBe(before)
      }),
      { numRuns: shareOf(300) },
    )
  })
})
