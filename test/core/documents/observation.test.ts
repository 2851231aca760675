import { expect, it } from 'vitest'
import { parseListing, StoredObservation } from '../../../src/core/documents/observation.js'

it('a document that is known from its bytes has one body, in whatever order its content is asked for', () => {
  const text = '{"id":"listing-1","projectName":"Mangroves"}'
  const parse = () => parseListing(JSON.parse(text))
  for (const order of [['body'], ['exactBody'], ['document', 'body'], ['body', 'document'], []] as const) {
    const stored = new StoredObservation('listing-1', text, 'fingerprint', parse)
    for (const member of order) void stored[member]
    expect([order, stored.exactBody === stored.body, stored.losesNothing]).toEqual([order, true, true])
    expect(stored.document).toMatchObject({ projectName: 'Mangroves' })
  }
})
