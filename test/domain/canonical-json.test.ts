import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalJson, contentHash } from '../../src/domain/canonical-json.js'
import { aListing, anRfq, aSummary } from '../helpers/sample-documents.js'

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

describe('content hash', () => {
  const rfq = anRfq('rfq-1', { listingIds: ['a', 'b'], responses: [aSummary('a'), aSummary('b')] })

  it('ignores the order of listings and responses', () => {
    const other = { ...rfq, listingIds: ['b', 'a'], responses: [aSummary('b'), aSummary('a')] }
    expect(contentHash('rfq', other)).toBe(contentHash('rfq', rfq))
    expect(contentHash('rfq', { ...rfq, contractTypes: ['forward', 'spot'] })).not.toBe(
      contentHash('rfq', { ...rfq, contractTypes: ['spot', 'forward'] }),
    )
  })

  it('ignores the signed URL and its expiry, and nothing else', () => {
    const listing = aListing()
    const documentation = { url: 'https://other.example.com/', expires: 1 }
    expect(contentHash('listing', { ...listing, additionalDocumentation: documentation })).toBe(
      contentHash('listing', listing),
    )
    expect(contentHash('listing', { ...listing, additionalDocumentation: { ...documentation, pages: 3 } })).not.toBe(
      contentHash('listing', listing),
    )
    expect(contentHash('listing', { ...listing, additionalDocumentation: null })).not.toBe(
      contentHash('listing', listing),
    )
  })

  it('accepts any JSON value', () => {
    for (const body of [null, 1, 'x', [], JSON.parse('{"__proto__": 1, "responses": {"a": 1}}')]) {
      expect(contentHash('rfq', body)).toMatch(/^[0-9a-f]{64}$/)
    }
    expect(contentHash('rfq', JSON.parse('{"__proto__": 1}'))).not.toBe(contentHash('rfq', {}))
  })
})
