import type { Settings } from '../../core/decision/settings.js'
import { sum } from '../../core/numbers.js'
import type { Award } from '../decision/decision-model.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { tonnesOf } from '../offer/price-per-tonne.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { type AwardContext, type Candidate, candidatesOf, createNames } from './award-figures.js'
import {
  type AwardSearch,
  type ChosenAward,
  chooseAward,
  searchAwards,
  type TonnesRange,
  without,
} from './award-rule.js'

/** What is to be awarded, and from what: the input of every part of a decision. */
export interface AwardProblem {
  rfq: RfqTerms
  settings: Settings
  offers: readonly OfferReport[]
  /** Offers that can be compared, in the order of their submission. */
  candidates: readonly Candidate[]
  /** Those that compete. */
  competing: readonly Candidate[]
  accepted: readonly OfferReport[]
  /** The tonnes that are left to award besides what is accepted; null if nothing can be recommended. */
  range: TonnesRange | null
  /** Null without a range, and if nothing is left to award. */
  search: AwardSearch<Candidate> | null
  chosen: ChosenAward<Candidate> | null
  context: AwardContext
}

/** States and solves what is to be awarded. @param currency the comparison currency */
export function awardProblem(
  { rfq, offers, settings }: Pick<AwardProblem, 'rfq' | 'offers' | 'settings'>,
  currency: string | null,
): AwardProblem {
  const candidates = candidatesOf(offers)
  const competing = candidates.filter(({ offer }) => offer.standing === 'ranked')
  const accepted = offers.filter(({ standing }) => standing === 'accepted')
  const range = rangeLeft(rfq, accepted)
  const search = range !== null && range.lower > 0 ? searchAwards(competing, range) : null
  const chosen = search === null ? null : chooseAward(search, settings.awardTolerance)
  const context = { currency: currency ?? '', lower: rfq.window.lower, nameOf: createNames(offers) }
  return { rfq, settings, offers, candidates, competing, accepted, range, search, chosen, context }
}

/**
 * The tonnes that are left to award besides what is accepted; null if no volume is requested, the RFQ is missing, or the tonnes that are
 * accepted are not known.
 */
export function rangeLeft(
  { window, missingSince }: Pick<RfqTerms, 'window' | 'missingSince'>,
  accepted: readonly OfferReport[],
): TonnesRange | null {
  const { lower, upper, isUpperStated, problem } = window
  if (problem !== null || lower === null || missingSince !== null) return null
  const tonnes = accepted.map(tonnesOf)
  if (tonnes.includes(null)) return null
  const whole = { lower, upper: upper ?? Number.POSITIVE_INFINITY, isUpperStated }
  return accepted.length === 0 ? whole : without(whole, sum(tonnes.map((each) => each ?? 0)))
}

/** With more offers, whatever needs a search of its own is left out. */
export const MANY_OFFERS = 100

/** The awards without an awarded offer. */
export interface Rivals {
  /** The awarded offer. */
  candidate: Candidate
  search: AwardSearch<Candidate>
}

/** Awarded offers that are left out in turn. */
const MAX_LEFT_OUT = 8

/** The awards without each of the awarded offers, those with the most tonnes first. */
export function rivalsOf(award: Award, { competing, candidates, range }: AwardProblem): Rivals[] {
  if (range === null || candidates.length > MANY_OFFERS) return []
  const ids = new Set(award.offers.map(({ id }) => id))
  const awarded = competing.filter(({ offer }) => ids.has(offer.id)).sort((a, b) => b.tonnes - a.tonnes)
  return awarded.slice(0, MAX_LEFT_OUT).map((candidate) => ({
    candidate,
    search: searchAwards(
      competing.filter((one) => one !== candidate),
      range,
    ),
  }))
}
