import { type Document, day } from './documents.js'

/** A set of whole offers. */
export interface Award {
  offers: Offer[]
  tonnes: number
  total: number
}

interface Offer {
  id: string
  tonnes: number
  total: number
  submittedAt: string
}

export type Decision = { status: 'award' | 'partial' | 'accepted' | 'none' | 'no-offers'; award: Award | null }

/** Chooses among awards that have enough tonnes, and not too many. */
export type Rule = (awards: readonly Award[]) => Award | undefined

const SLACK = 1e-9
const price = ({ total, tonnes }: Award | Offer) => total / tonnes
const lastSubmission = ({ offers }: Award) =>
  offers
    .map(({ submittedAt }) => submittedAt)
    .toSorted()
    .join()

/** The first award by some measures, of which each decides between those that are equal by the ones before it. */
function firstBy(awards: readonly Award[], ...measures: ((award: Award) => number)[]): Award | undefined {
  const compare = (one: Award, other: Award) => {
    for (const measure of measures) {
      const difference = measure(one) - measure(other)
      if (Math.abs(difference) > SLACK * Math.max(1, Math.abs(measure(one)))) return difference
    }
    return lastSubmission(one).localeCompare(lastSubmission(other))
  }
  return awards.toSorted(compare)[0]
}

const offerCount = ({ offers }: Award) => offers.length

/** Prices per tonne up to a share above the lowest one are equal: the lowest total of them; then fewer tonnes, fewer offers. */
export const lowestTotalWithin =
  (tolerance: number): Rule =>
  (awards) => {
    const limit = Math.min(...awards.map(price)) * (1 + tolerance) * (1 + SLACK)
    const equal = awards.filter((award) => price(award) <= limit)
    return firstBy(
      equal,
      ({ total }) => total,
      ({ tonnes }) => tonnes,
      offerCount,
    )
  }

/** Decides about an RFQ by trying every set of its offers (docs/COMPARISON.md, "Which offers compete" and "The recommendation"). */
export function decide(rfq: Document, responses: readonly Document[], rule: Rule): Decision {
  if (responses.length === 0) return { status: 'no-offers', award: null }
  const accepted = awardOf(responses.filter(({ status }) => status === 'accepted').map(offerOf))
  const { minVolume, maxVolume } = rfq as unknown as { minVolume: number; maxVolume: number | null }
  const lower = minVolume - accepted.tonnes
  const upper = (maxVolume ?? 2 * minVolume) - accepted.tonnes
  if (lower <= 0) return { status: 'accepted', award: null }

  const sets = setsOf(responses.filter((response) => competes(response, rfq)).map(offerOf))
  const isSingle = ({ offers }: Award) => maxVolume === null && offers.length === 1
  const award = rule(sets.filter((set) => set.tonnes >= lower && (set.tonnes <= upper || isSingle(set))))
  if (award !== undefined) return { status: 'award', award }
  const partial = firstBy(
    sets.filter(({ tonnes }) => tonnes < lower),
    ({ tonnes }) => -tonnes,
    ({ total }) => total,
    offerCount,
  )
  return partial === undefined ? { status: 'none', award: null } : { status: 'partial', award: partial }
}

interface Terms {
  contractType: string
  currency: string
  expiryDate: string
  review: { status: string } | null
  scheduledDeliveries: {
    fulfilmentDueDate: string
    vintages: { reportingPeriodEnd: string; volume: number; unitPrice: number }[]
  }[]
}

const termsOf = ({ offer }: Document) => offer as Terms | null
const linesOf = (response: Document) => termsOf(response)?.scheduledDeliveries.flatMap(({ vintages }) => vintages) ?? []

function offerOf(response: Document): Offer {
  const lines = linesOf(response)
  return {
    id: response.id,
    tonnes: lines.reduce((sum, { volume }) => sum + volume, 0),
    total: lines.reduce((sum, { volume, unitPrice }) => sum + volume * unitPrice, 0),
    submittedAt: String(response.submittedAt),
  }
}

/** Whether an offer is comparable, open, and meets every requirement that is hard by default. */
function competes(response: Document, rfq: Document): boolean {
  const terms = termsOf(response)
  const offer = offerOf(response)
  const asked = rfq as unknown as {
    contractTypes: string[]
    fulfilmentDueDate: string
    minVintageYear: number
    pricing: { maxUnitPrice: number; currency: string }
  }
  return (
    terms !== null &&
    response.status === 'submitted' &&
    offer.tonnes > 0 &&
    terms.currency === asked.pricing.currency &&
    price(offer) <= asked.pricing.maxUnitPrice &&
    terms.review?.status !== 'rejected' &&
    terms.expiryDate >= day(0) &&
    asked.contractTypes.includes(terms.contractType) &&
    linesOf(response).every(
      ({ reportingPeriodEnd }) => Number(reportingPeriodEnd.slice(0, 4)) >= asked.minVintageYear,
    ) &&
    terms.scheduledDeliveries.every(({ fulfilmentDueDate }) => fulfilmentDueDate <= asked.fulfilmentDueDate)
  )
}

const awardOf = (offers: Offer[]): Award => ({
  offers,
  tonnes: offers.reduce((sum, { tonnes }) => sum + tonnes, 0),
  total: offers.reduce((sum, { total }) => sum + total, 0),
})

/** All sets of at least one offer. */
const setsOf = (offers: Offer[]): Award[] =>
  Array.from({ length: 2 ** offers.length - 1 }, (_, at) =>
    awardOf(offers.filter((_, bit) => ((at + 1) >> bit) % 2 === 1)),
  )
