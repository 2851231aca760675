import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, contentHash, contentOf } from '../../../src/core/documents/canonical-json.js'
import { aListing, anRfq, aSummary } from '../../helpers/data/sample-documents.js'

/** The value with its object keys in reverse order. */
const reversed = (value: unknown): unknown => {
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(reversed)
  const result = Object.create(null) as Record<string, unknown>
  for (const [key, child] of Object.entries(value).reverse()) result[key] = reversed(child)
  return result
}

describe('canonical JSON', () => {
  it('is independent of key order and loses nothing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value)
        expect(canonicalJson(reversed(value))).toBe(text)
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })
})

describe('content', () => {
  const rfq = anRfq('rfq-1', { listingIds: ['a', 'b'], responses: [aSummary('a'), aSummary('b')] })

  it('ignores the order of listings and responses', () => {
    const other = { ...rfq, listingIds: ['b', 'a'], responses: [aSummary('b'), aSummary('a')] }
    expect(contentOf(other)).toBe(contentOf(rfq))
    expect(contentOf({ ...rfq, contractTypes: ['forward', 'spot'] })).not.toBe(
      contentOf({ ...rfq, contractTypes: ['spot', 'forward'] }),
    )
  })

  it('ignores the signed URL and its expiry, and nothing else', () => {
    const hashOf = (additionalDocumentation: unknown) => contentOf({ ...aListing(), additionalDocumentation })
    const own = hashOf(aListing().additionalDocumentation)
    const other = { url: 'https://other.example.com/', expires: 1 }
    expect(hashOf(other)).toBe(own)
    for (const changed of [{ ...other, pages: 3 }, null]) expect(hashOf(changed)).not.toBe(own)
  })

  it('ignores the form of timestamps, UUIDs and characters, and nothing else', () => {
    const hashOf = (members: object) => contentOf({ id: 'a', offer: members })
    const same = [
      { at: '2026-10-01T10:00:00.000Z', id: 'abcdef00-0000-4000-8000-000000000001', name: 'M\u00fcller' },
      { at: '2026-10-01T12:00:00+02:00', id: 'ABCDEF00-0000-4000-8000-000000000001', name: 'Mu\u0308ller' },
    ]
    expect(new Set(same.map(hashOf)).size).toBe(1)
    const others = [
      ...['2026-10-01T10:00:00.001Z', '2026-10-01T10:00:00', '2026-03-02T10:00:00Z', '2026-02-30T10:00:00Z'],
      ...['abc', 'ABC', 'Muller', 'M\u00dcLLER'],
    ]
    expect(new Set(others.map((text) => hashOf({ text }))).size).toBe(others.length)
  })

  it('of an RFQ of which parsing loses nothing has the hash of every earlier version', () => {
    const rfq = JSON.parse(
      '{"id":"rfq-1","listingIds":["b","a"],"number":1042,"minVolume":0.1,"maxVolume":1e21,"title":"caf\\u00e9 \\ud800",' +
        '"x":[-0,null,true,{"b":1,"a":[]}],"responses":[{"id":"z"},{"id":"y"}]}',
    )
    expect(contentHash(rfq)).toBe('8c8ff637014e6d93357f04163bd965ae6936e3dc6e35b9171d08b9e95817bdbe')
  })

  it('has every member, whatever its name', () => {
    expect(contentOf(JSON.parse('{"__proto__": 1}'))).not.toBe(contentOf({}))
  })
})
