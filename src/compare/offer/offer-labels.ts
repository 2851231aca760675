import { byCodeUnit } from '../../core/numbers.js'
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
 * Short, unique labels: the developer; if shared, with the project; then with the number of the offer.
 * @param offers in the order of their numbers
 */
export function offerLabels(offers: readonly Named[]): string[] {
  const short = offers.map(({ developer, project, id }) =>
    truncateLabel(developer ?? project ?? `Offer ${id.slice(0, 8)}`),
  )
  const shared = duplicates(short)
  const long = offers.map(({ developer, project }, at) => {
    const label = short[at] ?? ''
    return shared.has(keyOf(label)) && developer !== null && project !== null
      ? truncateLabel(`${developer} · ${project}`)
      : label
  })
  return numbered(long)
}

const truncateLabel = (text: string) => truncate(oneLine(text), MAX_LENGTH)
const keyOf = (label: string) => label.toLowerCase()

function duplicates(labels: readonly string[]): Set<string> {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const key of labels.map(keyOf)) {
    if (seen.has(key)) twice.add(key)
    seen.add(key)
  }
  return twice
}

/** `Acme (no. 2)` for the second offer, if another one has the label; again if that is taken too. */
function numbered(labels: readonly string[]): string[] {
  const shared = duplicates(labels)
  const taken = new Set(labels.map(keyOf).filter((key) => !shared.has(key)))
  return labels.map((label, at) => {
    let name = shared.has(keyOf(label)) ? `${label} (no. ${at + 1})` : label
    while (shared.has(keyOf(label)) && taken.has(keyOf(name))) name = `${name} (no. ${at + 1})`
    taken.add(keyOf(name))
    return name
  })
}
