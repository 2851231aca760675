import { offerFullNames } from '../../compare/offer/offer-labels.js'
import { byCodeUnit } from '../../core/numbers.js'
import type { KnownDocument } from '../../core/records.js'

/**
 * The names of an RFQ's offers by id: developer and project. Read without the schema, because an RFQ can have thousands of
 * offers, of which only the names are needed.
 */
export function offerNames(responses: readonly Pick<KnownDocument, 'id' | 'body'>[]): Map<string, string> {
  const offers = responses
    .map(({ id, body }) => ({
      id,
      developer: memberText(body, 'projectDeveloperName'),
      project: memberText(body, 'projectName'),
      submitted: Date.parse(memberText(body, 'submittedAt') ?? '') || Number.POSITIVE_INFINITY,
    }))
    // The order in which the report names them.
    .sort((a, b) => (a.submitted === b.submitted ? 0 : a.submitted - b.submitted) || byCodeUnit(a.id, b.id))
  const labels = offerFullNames(offers)
  return new Map(offers.map(({ id }, at) => [id, labels[at] ?? id]))
}

function memberText(body: unknown, member: string): string | null {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, member)) return null
  const value = (body as Record<string, unknown>)[member]
  return typeof value === 'string' && value.trim() !== '' ? value : null
}
