import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { listingDocument, responseDocument, rfqDocument } from '../../../src/core/documents/documents.js'
import { type AnySchema, acceptedBy, defOf } from '../../../src/core/documents/schema-check.js'
import { shareOf } from '../../helpers/long-tests.js'

/** Every schema within a schema, itself first. */
function schemasWithin(schema: AnySchema): AnySchema[] {
  const { shape, element, innerType, valueType, options } = defOf(schema)
  const inner = [...Object.values(shape ?? {}), element, innerType, valueType, ...(options ?? [])]
  return [schema, ...inner.filter((each) => each !== undefined).flatMap(schemasWithin)]
}

const documentSchemas = [listingDocument, rfqDocument, responseDocument].flatMap(schemasWithin)
const others = [
  z.int(),
  z.number().max(3),
  z.string().max(2),
  z.email(),
  z.coerce.number(),
  z.record(z.enum(['a']), z.any()),
]
const likely = fc.constantFrom<unknown>(
  ...['', 'open', 'spot', 'Any', 'Wetlands', '2026-02-28', '2026-02-30', '2024-02-29', '2026-01-01T00:00:00Z'],
  ...[
    '2026-01-01T00:00:00.5Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:00:00',
    'a\n2026-01-01',
    0,
    -0,
    Number.POSITIVE_INFINITY,
    Number.NaN,
  ],
  ...[
    undefined,
    null,
    ['a'],
    ['a', 1],
    { a: 1 },
    { a: { fileName: 'f' } },
    JSON.parse('{"__proto__":1,"constructor":2}'),
  ],
)
const value = fc.oneof(likely, fc.jsonValue(), fc.dictionary(fc.string(), likely), fc.array(likely))

describe('the compiled check of a schema', () => {
  it('accepts what zod accepts, and nothing else', () => {
    const checks = [...documentSchemas, ...others].map((schema) => ({ schema, accepts: acceptedBy(schema) }))
    fc.assert(
      fc.property(value, (each) => {
        for (const { schema, accepts } of checks) expect(accepts(each)).toBe(schema.safeParse(each).success)
      }),
      { numRuns: shareOf(60) },
    )
  })
})
