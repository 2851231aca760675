import { byNumber, offerFullNames } from '../../compare/offer/offer-labels.js'
import type { KnownDocument } from '../../core/records.js'
import { composed } from '../../core/text/comparable-text.js'

/**
 * The names of an RFQ's offers by id: developer and project. Read without the schema, because an RFQ can have thousands of
 * offers, of which only the names are needed.
 */
export function offerNames(responses: readonly KnownDocument[]): Map<string, string> {
  const offers = [...responses].sort(byNumber).map(({ id, body }) => ({
    id,
    developer: memberText(body, 'projectDeveloperName'),
    project: memberText(body, 'projectName'),
  }))
  const labels = offerFullNames(offers)
  return new Map(offers.map(({ id }, at) => [id, labels[at] ?? id]))
}

function memberText(body: unknown, member: string): string | null {
  if (body === null || typeof body !== 'object' || !Object.hasOwn(body, member)) return null
  const value = (body as Record<string, unknown>)[member]
  return typeof value === 'string' && value.trim() !== '' ? composed(value) : null
}
