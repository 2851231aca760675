import { formsOfId } from '../../../core/documents/identifier.js'
import type { RfqName } from '../../../core/text/rfq-name.js'
import type { SqlParameters } from '../../sql/sql-database.js'
import { isStorable, toStoredText } from '../stored-text.js'

/**
 * The parameters of the conditions that find RFQs by name. A parameter that is null matches nothing.
 * @param name.kind default: id, number or reference
 */
export function matchParameters({ text, kind }: RfqName): SqlParameters {
  const isMeant = (wanted: RfqName['kind']) => kind === undefined || kind === wanted
  const storable = isStorable(text) ? text : null
  // The stored form of the id, as users see it in the database.
  const shownId = kind === undefined && storable !== null ? [storable] : []
  const number = Number(text)
  return {
    namedIds: [...(isMeant('id') ? formsOfId(text).map(toStoredText) : []), ...shownId],
    number: isMeant('number') && Number.isFinite(number) && String(number) === text ? number : null,
    numberText: isMeant('number') ? storable : null,
    reference: isMeant('reference') ? (storable?.normalize('NFC') ?? null) : null,
    decomposed: isMeant('reference') ? (storable?.normalize('NFD') ?? null) : null,
  }
}
