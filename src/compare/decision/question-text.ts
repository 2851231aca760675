import { formatCount } from '../../core/number-format.js'
import { numbersText } from './award-figures.js'
import type { Recommendation } from './decision-model.js'

/** Questions to the awarded developers, each once, with the numbers of the offers if several are awarded; two in full. */
export function questionText({ questions, award }: Recommendation): string {
  const offersOf = new Map<string, number[]>()
  for (const { offerId, words } of questions) {
    const number = award?.offers.find((offer) => offer.offerId === offerId)?.sequence ?? 0
    offersOf.set(words, [...(offersOf.get(words) ?? []), number])
  }
  if (offersOf.size === 0) return ''
  const asked = [...offersOf].map(([words, numbers]) =>
    award?.offers.length === 1 ? words : `(${numbersText(numbers)}) ${words}`,
  )
  const more = asked.length - 2
  const rest = more > 0 ? ` ${formatCount(more, 'more question')}: see Negotiation.` : ''
  return `Ask the developer: ${asked.slice(0, 2).join(' ')}${rest}`
}
