import { byCodeUnit, countByName } from '../../core/numbers.js'
import type { KnownDocument } from '../../core/records.js'
import { oneLine, truncate } from '../../core/text/clean-text.js'

interface Named {
  id: string
  developer: string | null
  project: string | null
}

/** Longer than any name, because files and the API hold labels as they are: who shows them cuts them off. */
const MAX_LENGTH = 200

type Observed = Pick<KnownDocument, 'id' | 'firstObservedAt'>
/** The order of the numbers 1, 2, … of all offers that an RFQ ever had: none changes, because later ones come after it. */
export const byNumber = (a: Observed, b: Observed): number =>
  byCodeUnit(a.firstObservedAt, b.firstObservedAt) || byCodeUnit(a.id, b.id)

/**
 * Short labels: the developer; if shared, with the project; then with the number of the offer, so that each is unique.
 * @param offers in the order of their numbers
 */
export function offerLabels(offers: readonly Named[]): string[] {
  const labels = offers.map(({ developer, project, id }) => {
    const short = developer ?? project ?? `Offer ${id.slice(0, 8)}`
    const long = developer === null || project === null ? short : `${developer} · ${project}`
    return [...new Set([short, long].map((text) => truncate(oneLine(text), MAX_LENGTH)))]
  })
  const counts = new Map(countByName(labels.flat().map(keyOf)))
  const isUnique = (label: string) => counts.get(keyOf(label)) === 1
  return labels.map((each, at) => each.find(isUnique) ?? `${each.at(-1)} (no. ${at + 1})`)
}

const keyOf = (label: string) => label.toLowerCase()
