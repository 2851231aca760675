import { byCodeUnit, countNames } from '../../core/numbers.js'
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
  const short = offers.map(({ developer, project, id }) => labelOf(developer ?? project ?? `Offer ${id.slice(0, 8)}`))
  const long = distinct(short, (label, at) => {
    const { developer, project } = offers[at] as Named
    return developer === null || project === null ? label : labelOf(`${developer} · ${project}`)
  })
  return distinct(long, (label, at) => `${label} (no. ${at + 1})`)
}

const labelOf = (text: string) => truncate(oneLine(text), MAX_LENGTH)

/** The labels, with another one instead of each that several offers share. */
function distinct(labels: readonly string[], instead: (label: string, at: number) => string): string[] {
  const counts = countNames(labels.map((label) => label.toLowerCase()))
  return labels.map((label, at) => (counts.get(label.toLowerCase()) === 1 ? label : instead(label, at)))
}
