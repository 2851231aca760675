import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { channelFileName, rfqFileName, slug } from '../../src/report-files/file-names.js'
import { anyCharacter } from '../helpers/data/any-text.js'
import { HOSTILE } from '../reports/support/rfq-cases.js'

describe('file names', () => {
  const asOf = new Date('2026-03-16T09:05:59.999Z')
  it('contain the RFQ and the as-of time', () => {
    expect(rfqFileName({ number: 42, id: 'x' }, asOf)).toBe('rfq-42_asof-20260316T0905Z.xlsx')
    expect(rfqFileName({ number: null, id: 'ab-12' }, asOf)).toBe('rfq-ab-12_asof-20260316T0905Z.xlsx')
    expect(rfqFileName({ number: 42, id: 'ab-12', ambiguous: true }, asOf)).toBe(
      'rfq-42_id-ab-12_asof-20260316T0905Z.xlsx',
    )
    expect(channelFileName('acme/forest', asOf)).toBe('channel-acme-forest_asof-20260316T0905Z.xlsx')
  })
  const id = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom(...HOSTILE, 'AB-12', 'ab-12', 'ab 12', '森', '林', '', '42', '1-5', 'x'.repeat(61), 'x'.repeat(62)),
  )
  const number = fc.oneof(fc.constantFrom(null, 42, 1, 1.5, -1, 1e21, Number.NaN), fc.double(), fc.nat())

  it('contain only safe characters, whatever the input', () => {
    fc.assert(
      fc.property(id, number, fc.boolean(), (id, number, ambiguous) => {
        expect(rfqFileName({ number, id, ambiguous }, asOf)).toMatch(
          /^rfq-[a-z0-9-]{1,60}(_id-[a-z0-9-]{1,60})?(_[0-9a-f]{8})?_asof-20260316T0905Z\.xlsx$/,
        )
      }),
    )
    expect(slug('../../etc', 'none')).toBe('etc')
    expect(slug('森林', 'none')).toBe('none')
  })
  it('are unique within a channel', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.record({ number, id }), { selector: (one) => one.id }), (rfqs) => {
        const names = rfqs.map((rfq) => {
          const ambiguous = rfqs.filter(({ number }) => number === rfq.number).length > 1
          return rfqFileName({ ...rfq, ambiguous }, asOf)
        })
        expect(new Set(names).size).toBe(rfqs.length)
      }),
    )
  })
})
