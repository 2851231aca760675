import { formatCount } from '../../core/number-format.js'
import { nameById, plainNames } from '../../core/rfq-name.js'
import { AWARD_RULES, type RequirementName, type Settings } from '../../core/settings.js'
import { describeListed } from '../../core/source-words.js'
import type { ListedChanges, ListedOffer } from '../../core/sources.js'
import { quoteForShell } from '../../quote-for-shell.js'
import type { Award } from '../awards/award-model.js'
import type { Sensitivity } from '../awards/sensitivity-model.js'
import type { ReportContext } from '../comparison-context.js'
import { hasOtherTerms } from '../offer/newer-summary.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import { isRanked } from '../offer/ranking.js'
import { unreadText } from '../rfq/rfq-flags.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import { acceptedAward, acceptedOffers } from './accepted-award.js'
import { afterAcceptance } from './after-acceptance.js'
import { type AwardContext, awardOf, isBinding, shownFailures, titleOf } from './award-figures.js'
import { AWARD_REQUIREMENT, OFFER_REQUIREMENTS, REQUIREMENT_TITLES, upTo } from './award-requirements.js'
import {
  AWARD_BIT,
  type AwardSolver,
  bitOf,
  candidatesOf,
  createAwardSolver,
  maskOf,
  type RequirementMask,
  withLevel,
} from './award-solver.js'
import { NEVER_WAIVED } from './closest-award.js'
import type { Banner, Decision, OfferDecision, Recommendation, RequirementSwitch } from './decision-model.js'
import { requirementCosts, scenariosOf } from './decision-scenarios.js'
import { discriminatingCriteria } from './discriminating-criteria.js'
import { negotiationOf } from './negotiation.js'
import { clarificationQuestions } from './negotiation-questions.js'
import { notAwardableClauses, whyNotAwardable } from './not-awardable.js'
import { failuresOf } from './not-met.js'
import { emptyRecommendation, recommend } from './recommendation.js'
import { savingsOf } from './savings-baselines.js'
import { scoreLeadOf } from './score-lead.js'
import { keyOf, noSwitchTable, switchTableOf } from './switch-table.js'

export interface DecisionInput {
  context: ReportContext
  settings: Settings
  /** Code of the comparison currency; null if there is none. */
  currency: string | null
  rfq: RfqTerms
  offers: readonly OfferReport[]
  awards: readonly Award[]
  sensitivity: Sensitivity
  /** Median price per tonne of the ranked offers. */
  medianPrice: number | null
  /** Whether to solve the awards for other choices ahead, which only a workbook needs. Default true. */
  withSwitches?: boolean
  /** Whether to compute what to negotiate. Default true. */
  withNegotiation?: boolean
}

/** The decision on an RFQ: Decision. Pure; equal inputs give equal decisions. */
export function decisionOf(input: DecisionInput): Decision {
  const { context, settings, rfq, offers } = input
  const currency = input.currency ?? ''
  const solver = createAwardSolver(candidatesOf(offers, rfq, context.asOfDate), rfq)
  const hard = withLevel(settings.requirements, 'hard')
  const ranked = offers.filter(isRanked)
  const wanted = rfq.wanted.volume
  const basis = settings.wantedVolume
  const choices = { hard, basis, command: commandOf(context, rfq) }
  const switches = input.withSwitches === false ? noSwitchTable(choices) : switchTableOf(solver, rfq, choices)
  const switchKey = (mask: RequirementMask) => keyOf(mask & maskOf(switches.names), maskOf(switches.names), basis)
  const found = wanted === null ? null : findAwards(input, { solver, hard, wanted, currency, switchKey })
  const recommendation = found?.recommendation ?? noTarget(rfq, offers)
  const accepted = acceptedAward({
    ...{ offers, solver, rfq, settings, currency, recommendation },
    asOfDate: context.asOfDate,
  })
  const awarded = new Map(recommendation.award?.offers.map(({ offerId, tonnes }) => [offerId, tonnes]))
  const targets = { solver, rfq, settings, currency, hard, wanted, ranked }
  const decided = offerDecisions(input, solver, hard, awarded)
  const eligible = new Map(decided.flatMap((one) => (one.eligible ? [[one.offerId, one.tonnes] as const] : [])))
  const decision: Decision = {
    rule: settings.awardRule,
    requirements: requirementSwitches(solver, settings),
    banners: bannersOf(rfq, offers, { listed: context.listed, awarded: new Set(awarded.keys()) }),
    recommendation,
    accepted,
    byRule: found?.byRule ?? { 'cheapest-compliant': null, 'best-score-compliant': null, 'cheapest-regardless': null },
    scenarios: found?.scenarios ?? [],
    requirementCosts: found?.costs ?? [],
    savings: found?.savings ?? null,
    offers: decided,
    negotiation: negotiationOf(input.withNegotiation === false ? [] : offers, new Set(awarded.keys()), targets),
    criteria: discriminatingCriteria(ranked, settings.weights),
    scoreLead: scoreLeadOf({ ranked, sensitivity: input.sensitivity, settings, currency: input.currency, eligible }),
    switches,
  }
  return accepted === null ? decision : afterAcceptance(decision, accepted)
}

interface Search {
  solver: AwardSolver
  hard: RequirementMask
  wanted: number
  currency: string
  switchKey: (mask: RequirementMask) => string
}

/** Everything that aims at the wanted volume. */
function findAwards(input: DecisionInput, { solver, hard, wanted, currency, switchKey }: Search) {
  const { settings, rfq, offers, awards, sensitivity, medianPrice } = input
  const context: AwardContext = { rfq, wanted, levels: settings.requirements, currency }
  const byRule = Object.fromEntries(
    AWARD_RULES.map((rule) => [rule, awardOf(solver.byRule(rule, hard, wanted), context)]),
  ) as Decision['byRule']
  const costs = requirementCosts({ solver, context, hard }, switchKey)
  const waivable = costs.filter(({ name }) => (bitOf(name) & NEVER_WAIVED) === 0)
  const byId = new Map(offers.map((offer) => [offer.id, offer]))
  const questionsOf = (offerId: string) => {
    const offer = byId.get(offerId)
    return offer === undefined ? [] : clarificationQuestions(offer, rfq)
  }
  const ranked = offers.filter(isRanked)
  const excluded = excludedText(offers, solver)
  const recommendation =
    solver.candidates.length === 0
      ? noOffers(rfq, offers)
      : recommend({ solver, context, hard, settings, ranked, sensitivity, costs: waivable, excluded, questionsOf })
  const { award, runnerUp } = recommendation
  return {
    byRule,
    costs,
    recommendation,
    scenarios: scenariosOf({ solver, context, hard, awards, recommended: award }),
    savings: award === null ? null : savingsOf(award, { rfq, wanted, median: medianPrice, runnerUp, currency }),
  }
}

/** Offers that cannot be awarded whatever the requirements, because their price or volume cannot be compared. */
function excludedText(offers: readonly OfferReport[], { candidates }: AwardSolver): string[] {
  const awardable = new Set(candidates.map(({ offer }) => offer.id))
  const excluded = offers.filter(({ id }) => !awardable.has(id))
  const named = excluded.slice(0, 3).map(whyNotAwardable)
  return excluded.length <= 3
    ? named
    : [
        ...named,
        `${formatCount(excluded.length - 3, 'more offer')} without a comparable price ${excluded.length === 4 ? 'is' : 'are'} not considered.`,
      ]
}

function noOffers({ unreadOffers }: RfqTerms, offers: readonly OfferReport[]): Recommendation {
  if (offers.length === 0) {
    const words = unreadOffers === 0 ? 'no offers' : unreadText(unreadOffers)
    return emptyRecommendation('no-offers', `The RFQ has ${words}.`, [])
  }
  const reasons = offers.slice(0, 5).map(whyNotAwardable)
  const [only, ...others] = offers
  const headline =
    only !== undefined && others.length === 0
      ? `The only offer cannot be awarded: ${notAwardableClauses(only)}.`
      : `None of the ${formatCount(offers.length, 'offer')} can be awarded: no volume and price that can be compared.`
  return emptyRecommendation('no-offers', headline, reasons)
}

function noTarget(rfq: RfqTerms, offers: readonly OfferReport[]): Recommendation {
  if (offers.length === 0) return noOffers(rfq, offers)
  return emptyRecommendation('no-target', 'No award is recommended: the RFQ states no volume.', [rfq.wanted.words])
}

function requirementSwitches({ candidates, max }: AwardSolver, { requirements }: Settings): RequirementSwitch[] {
  return [...OFFER_REQUIREMENTS, AWARD_REQUIREMENT].map((name: RequirementName) => ({
    name,
    title: REQUIREMENT_TITLES[name],
    level: requirements[name],
    setting: `requirements.${name}`,
    offersNotMeeting: candidates.filter(({ failedMask, volume }) =>
      name === AWARD_REQUIREMENT ? max !== null && volume > upTo(max) : (failedMask & bitOf(name)) !== 0,
    ).length,
  }))
}

interface ListedContext {
  listed: ListedChanges | null
  /** Ids of the recommended offers. */
  awarded: ReadonlySet<string>
}

function bannersOf(rfq: RfqTerms, offers: readonly OfferReport[], { listed, awarded }: ListedContext): Banner[] {
  const banners: Banner[] = []
  if (rfq.state === 'closed') {
    const closed = rfq.closedAt === null ? 'is closed' : `was closed on ${rfq.closedAt.slice(0, 10)}`
    banners.push({ code: 'rfq-closed', words: `The RFQ ${closed}.` })
  } else if (rfq.daysToDue !== null && rfq.daysToDue < 0) {
    const words = `The RFQ is overdue: it is still open ${formatCount(-rfq.daysToDue, 'day')} after its response due date, ${rfq.responseDueDate}.`
    banners.push({ code: 'rfq-overdue', words })
  }
  if (listed !== null) {
    const words = describeListed(listed, namesOfGone(listed, offers, awarded))
    banners.push({ code: 'rfq-list-differs', words })
  }
  banners.push(...newerTermsBanner(offers, awarded))
  const accepted = acceptedOffers(offers)
  if (accepted.length > 0) {
    const names = accepted.slice(0, 3).map(titleOf)
    const more = accepted.length > 3 ? ` and ${accepted.length - 3} more` : ''
    const verb = accepted.length === 1 ? 'An offer has' : `${accepted.length} offers have`
    banners.push({ code: 'offer-accepted', words: `${verb} already been accepted: ${names.join(', ')}${more}.` })
  }
  return banners
}

/** Offers that are awarded have this among what to check; those that cannot be awarded any more do not matter. */
function newerTermsBanner(offers: readonly OfferReport[], awarded: ReadonlySet<string>): Banner[] {
  const isAccepted = acceptedOffers(offers).length > 0
  const isSaid = ({ id, status }: OfferReport) => (isAccepted ? status === 'accepted' : awarded.has(id))
  const differing = offers.filter(
    (offer) => offer.inView && offer.status !== 'rejected' && hasOtherTerms(offer.newerSummary) && !isSaid(offer),
  )
  const [first, ...others] = differing
  if (first?.newerSummary == null) return []
  const more =
    others.length === 0 ? '' : ` The same goes for ${formatCount(others.length, 'more offer')}, see their flags.`
  return [{ code: 'summary-differs', words: `${titleOf(first)}: ${lowerFirst(first.newerSummary.words)}${more}` }]
}

const lowerFirst = (words: string) => words.charAt(0).toLowerCase() + words.slice(1)

/** Those of the award first; as they are named elsewhere in the report. */
function namesOfGone({ offersGone }: ListedChanges, offers: readonly OfferReport[], awarded: ReadonlySet<string>) {
  const known = new Map(offers.map((offer) => [offer.id, offer]))
  const isAwarded = ({ id }: ListedOffer) => Number(awarded.has(id) || known.get(id)?.status === 'accepted')
  return [...offersGone]
    .sort((a, b) => isAwarded(b) - isAwarded(a))
    .map(({ id, name }) => {
      const offer = known.get(id)
      return offer === undefined ? name : titleOf(offer)
    })
}

function offerDecisions(
  { offers, rfq, context, settings }: DecisionInput,
  { candidates }: AwardSolver,
  hard: RequirementMask,
  awarded: ReadonlyMap<string, number>,
): OfferDecision[] {
  const { requirements: levels } = settings
  const byId = new Map(candidates.map((candidate) => [candidate.offer.id, candidate]))
  const isAccepted = acceptedOffers(offers).length > 0
  return offers.map((offer) => {
    const { id, sequence, eligibility, status, metrics } = offer
    const candidate = byId.get(id)
    const tonnes = awarded.get(id) ?? 0
    const awardedTonnes = isAccepted ? (status === 'accepted' ? (metrics.volume ?? 0) : 0) : tonnes
    const unmet = shownFailures(candidate ?? failuresOf(offer, rfq, context.asOfDate), levels).map(
      ({ name, met, words }) => ({ name, title: REQUIREMENT_TITLES[name], level: levels[name], met, words }),
    )
    if (candidate === undefined) {
      const why = `Cannot be awarded: ${eligibility.exclusions.map(({ words }) => words).join(' ')}`
      const failed = { awardable: false, eligible: false, compliant: false, unmet }
      return { offerId: id, sequence, ...failed, why, tonnes, awardedTonnes }
    }
    const eligible = (candidate.failedMask & hard & ~AWARD_BIT) === 0
    const decisive = unmet.filter(isBinding)
    return {
      offerId: id,
      sequence,
      awardable: true,
      eligible,
      compliant: eligible && !candidate.reviewRejected,
      unmet,
      why: decisive.length === 0 ? null : decisive.map(({ words }) => words).join(' '),
      tonnes,
      awardedTonnes,
    }
  })
}

/** The command that creates the report again; requirements and rule are added with `--set`. */
function commandOf({ channel, asOf }: ReportContext, { number, id }: RfqTerms): string {
  const name = plainNames({ id, number })[0] ?? nameById(id)
  return `quotekeeper report ${quoteForShell(name)} --channel ${quoteForShell(channel)} --as-of ${asOf}`
}
