import type { RequirementName } from '../../core/decision/settings.js'
import { formatPricePerTonne, formatTonnes } from '../../core/text/number-format.js'
import { awardOf, type Candidate, isSameAward, offersText } from '../awards/award-figures.js'
import { type AwardProblem, MANY_OFFERS, rangeLeft } from '../awards/award-problem.js'
import { type AwardSearch, chooseAward, reaching, searchAwards } from '../awards/award-rule.js'
import type { AwardSet } from '../awards/efficient-awards.js'
import { AWARD_REQUIREMENT, OFFER_REQUIREMENTS, REQUIREMENT_TITLES } from '../offer/requirements.js'
import { awardWindow } from '../rfq/rfq-terms.js'
import type { Award, Choice } from './decision-model.js'

const MAX_EFFICIENT = 8
const MAX_OTHERS = 4
/** Differences of prices below this share are none. */
const SAME_PRICE = 0.0005

/** Efficient awards by tonnes, then alternatives with a waived requirement. Equal ones share a row, with notes. */
export function choicesOf(problem: AwardProblem, recommended: Award | null): Choice[] {
  const { context } = problem
  const efficient = selectEfficient(searchOf(problem), recommended).map((set) => awardOf(set.lots(), context))
  const rowOf = (kind: 'efficient' | 'recommended', award: Award, before: Award | undefined): Choice => {
    const isRecommended = isSameAward(award, recommended)
    return {
      kind,
      requirement: null,
      title: offersText(award.offers),
      award,
      isRecommended,
      extra: before === undefined ? null : extraOf(award, before),
      perTonneDifference: differenceTo(award, recommended),
      notes: [],
    }
  }
  const rows = efficient.map((award, at) => rowOf('efficient', award, efficient[at - 1]))
  if (recommended !== null && !rows.some(({ isRecommended }) => isRecommended)) {
    rows.push(rowOf('recommended', recommended, undefined))
    rows.sort((a, b) => a.award.tonnes - b.award.tonnes)
  }
  return merged(
    rows,
    waivedRows(problem, recommended).map((row) => ({
      ...row,
      perTonneDifference: differenceTo(row.award, recommended),
    })),
  )
}

/** The efficient awards to choose from: those that reach the requested volume, or all if none does. */
function searchOf({ search, competing, rfq, accepted }: AwardProblem): AwardSet<Candidate>[] {
  if (search !== null) {
    const within = reaching(search)
    return within.length > 0 ? within : [...search.efficient]
  }
  // Without a volume, everything up to the RFQ's maximum is shown.
  if (accepted.length > 0 || rfq.missingSince !== null) return []
  const upper = rfq.window.upper ?? Number.POSITIVE_INFINITY
  return [...searchAwards(competing, { lower: 0, upper, isUpperStated: true }).efficient]
}

/** At most eight: the fewest and the most tonnes, the recommended award, and those farthest from the others. */
function selectEfficient(sets: readonly AwardSet<Candidate>[], recommended: Award | null): AwardSet<Candidate>[] {
  if (sets.length <= MAX_EFFICIENT) return [...sets]
  const closest = recommended === null ? undefined : nearest(sets, recommended.tonnes)
  const kept = new Set([sets[0], sets.at(-1), closest].flatMap((set) => (set === undefined ? [] : [set])))
  while (kept.size < MAX_EFFICIENT) {
    const distance = (set: AwardSet<Candidate>) =>
      Math.min(...[...kept].map((other) => Math.abs(other.tonnes - set.tonnes)))
    const rest = sets.filter((set) => !kept.has(set))
    const farthest = rest.reduce((one, other) => (distance(other) > distance(one) ? other : one))
    kept.add(farthest)
  }
  return [...kept].sort((a, b) => a.tonnes - b.tonnes)
}

const nearest = (sets: readonly AwardSet<Candidate>[], tonnes: number) =>
  sets.reduce((one, other) => (Math.abs(other.tonnes - tonnes) < Math.abs(one.tonnes - tonnes) ? other : one))

/** The price of the extra tonnes, by what is payable. */
function extraOf(award: Award, before: Award): Choice['extra'] {
  const tonnes = award.tonnes - before.tonnes
  return tonnes > 0 ? { tonnes, pricePerTonne: (award.total - before.total) / tonnes } : null
}

/** `2,560 t more at 9.26 USD/t`. */
export const extraText = ({ extra, award }: Pick<Choice, 'extra' | 'award'>): string =>
  extra === null
    ? ''
    : `${formatTonnes(extra.tonnes)} more at ${formatPricePerTonne(extra.pricePerTonne, award.currency)}`

const differenceTo = (award: Award, recommended: Award | null): number | null =>
  recommended === null ? null : award.pricePerTonne - recommended.pricePerTonne

type WaivedRow = Omit<Choice, 'perTonneDifference'>

/** What waiving one hard requirement buys: an award that reaches the volume where none does, or costs less. */
function waivedRows(problem: AwardProblem, recommended: Award | null): WaivedRow[] {
  const { settings, chosen, context, candidates } = problem
  if (candidates.length > MANY_OFFERS) return []
  const rows = [...OFFER_REQUIREMENTS, AWARD_REQUIREMENT].flatMap((name): WaivedRow[] => {
    const search = searchWithout(name, problem)
    const found = search === null ? null : chooseAward(search, settings.awardTolerance)
    if (!found?.reached) return []
    const award = awardOf(found.lots(), context)
    const isBeaten = chosen?.reached && recommended !== null && !isCheaper(award, recommended)
    if (isBeaten) return []
    const title = `If “${REQUIREMENT_TITLES[name]}” is waived: ${offersText(award.offers)}`
    return [{ kind: 'waived', requirement: name, title, award, isRecommended: false, extra: null, notes: [] }]
  })
  return rows.sort((a, b) => a.award.costPerTonne - b.award.costPerTonne)
}

/** Per tonne, or in total. */
export const isCheaper = (award: Award, than: Award): boolean =>
  Math.min(award.costPerTonne / than.costPerTonne, totalCost(award) / totalCost(than)) < 1 - SAME_PRICE
const totalCost = (award: Award) => award.costPerTonne * award.tonnes

/** The awards without one requirement; null if that makes no difference, or nothing is to be awarded. */
function searchWithout(
  name: RequirementName,
  { settings, candidates, competing, accepted, range, search, rfq }: AwardProblem,
): AwardSearch<Candidate> | null {
  if (range === null || search === null) return null
  if (name !== AWARD_REQUIREMENT) {
    const lots = candidates.filter(({ offer }) => competesWithout(offer, name))
    return lots.length === competing.length ? null : searchAwards(lots, range)
  }
  if (!range.isUpperStated) return null
  const requirements = { ...settings.requirements, [AWARD_REQUIREMENT]: 'advisory' as const }
  const wider = rangeLeft({ ...rfq, window: awardWindow(rfq, { ...settings, requirements }) }, accepted)
  return wider === null ? null : searchAwards(competing, wider)
}

const competesWithout = ({ standing, unmet }: Candidate['offer'], name: string): boolean =>
  standing === 'ranked' ||
  (standing === 'not-compliant' && unmet.every((one) => one.level !== 'hard' || one.name === name))

/** Rows with the same award are one; the first keeps its place. */
function merged(rows: readonly Choice[], others: readonly Choice[]): Choice[] {
  const kept = rows.map((row) => ({ ...row, notes: [...row.notes] }))
  let added = 0
  for (const other of others) {
    const same = kept.find(({ award }) => isSameAward(award, other.award))
    if (same !== undefined) same.notes.push(`also if “${titleOf(other)}” is waived`)
    else if (added++ < MAX_OTHERS) kept.push({ ...other, notes: [...other.notes] })
  }
  return kept
}

const titleOf = ({ requirement }: Choice) => (requirement === null ? '' : REQUIREMENT_TITLES[requirement])
