import { IdMap } from '../../../core/documents/identifier.js'
import { isPlainObject } from '../../../core/documents/json-text.js'
import { identifierOf } from '../../../core/documents/observation.js'

/** The offers that an RFQ lists; null if its list is not usable: then none is missing because the list does not have it. */
export function listedIn(body: unknown): IdMap<true> | null {
  const responses = isPlainObject(body) ? body.responses : null
  if (!Array.isArray(responses)) return null
  const ids = responses.flatMap((each) => identifierOf(each) ?? [])
  return ids.length === responses.length ? new IdMap(ids.map((id) => [id, true])) : null
}
