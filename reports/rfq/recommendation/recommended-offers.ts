import { reachedFrom } from '../../../src/domain/comparison/awards/cheapest-combination.js'
import { REQUIREMENT_TITLES, upTo } from '../../../src/domain/comparison/decision/award-requirements.js'
import type { Candidate } from '../../../src/domain/comparison/decision/award-solver.js'
import type { AwardedOffer } from '../../../src/domain/comparison/decision/decision-model.js'
import { round6 } from '../../../src/domain/comparison/numbers.js'
import type { OfferReport } from '../../../src/domain/comparison/offer/offer-report-model.js'
import type { RequirementName } from '../../../src/domain/comparison/settings.js'
import { type Columns, columnsOf } from '../../layout/columns.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import { type CachedResult, stringLiteral } from '../../xlsx/cells.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout } from '../layout.js'
import { BEST_SCORE, factCell } from './recommendation-facts.js'
import type { FactKey, GroupKey, RecommendedOfferKey } from './recommendation-grids.js'
import { titlesOf } from './requirement-switches.js'
import { numberCell } from './solved-awards.js'

/** Every offer: whether it is eligible, its tonnes in the recommended award, and its place by score. */
export function offerColumns(layout: RfqLayout): Columns<OfferReport, RecommendedOfferKey> {
  const { recommendation: grids, offers, scoring, numbers, currency, failures } = layout
  const { number, formula } = columnsOf<OfferReport, RecommendedOfferKey>(grids.offers)
  const fact = (key: FactKey) => factCell(layout, key)
  const candidates = new Map(failures.candidates.map((candidate) => [candidate.offer.id, candidate]))
  const { eligible, unmet, awarded } = cachedOffers(layout)
  const positions = positionsOf(layout, eligible)
  const orders = new Map(positions.flatMap(({ pick }, at) => (pick > 0 ? [[pick - 1, at + 1] as const] : [])))
  const range = (key: RecommendedOfferKey) => grids.offers.range(key)
  const ofGroup = ({ id }: OfferReport, key: GroupKey, otherwise: string) => {
    const group = failures.groupOf.get(id)
    return group === undefined ? `IF(TRUE,"${otherwise}")` : grids.groups.cell(key, group)
  }
  const ifEligible = (at: (key: RecommendedOfferKey) => string, expression: string) =>
    `IF(${at('eligible')}="yes",${expression},"")`
  const onlyEligible = <T extends CachedResult>({ id }: OfferReport, value: T) => (eligible.has(id) ? value : '')
  return {
    offer: number('Offer no.', ({ sequence }) => sequence),
    group: number('Group', ({ id }) => (failures.groupOf.get(id) ?? -1) + 1),
    eligible: formula('Eligible', style.centred, (offer) => [
      ofGroup(offer, 'eligible', 'no'),
      eligible.has(offer.id) ? 'yes' : 'no',
    ]),
    unmet: formula('Hard requirements not met', style.body, (offer) => [
      ofGroup(offer, 'unmet', NOT_COMPARABLE),
      candidates.has(offer.id) ? (unmet.get(offer.id) ?? '') : NOT_COMPARABLE,
    ]),
    tonnes: formula('Tonnes awarded', numbers.volume, (offer, at, index) => {
      const volume = offers.cell('volume', index)
      const byScore = `IF(ISNUMBER(${at('order')}),INDEX(${range('take')},N(${at('order')}))*${volume},0)`
      const solved = `IF(ISNUMBER(SEARCH(",${offer.sequence},",${fact('members')})),${volume},0)`
      const tonnes = candidates.has(offer.id) ? `IF(${BEST_SCORE},${byScore},${solved})` : '0'
      return [`IF(${fact('problem')}="",${tonnes},${fact('problem')})`, awarded.get(offer.id)?.tonnes ?? 0]
    }),
    total: formula(withCurrency('Total awarded', currency), numbers.money(currency), (offer, at, index) => [
      `IF(N(${at('tonnes')})>0,${offers.cell('comparedTotal', index)},0)`,
      awarded.get(offer.id)?.total ?? 0,
    ]),
    sortRank: formula('Rank, unranked last', style.plainNumber, (offer, at, index) => [
      ifEligible(at, `IF(ISNUMBER(${scoring.cell('rank', index)}),${scoring.cell('rank', index)},${UNRANKED})`),
      onlyEligible(offer, offer.rank ?? UNRANKED),
    ]),
    sortPrice: formula('Price, 6 decimals', style.plainNumber, (offer, at, index) => {
      const candidate = candidates.get(offer.id)
      const price = `ROUND(${offers.cell('comparedTotal', index)}/${offers.cell('volume', index)},6)`
      return [ifEligible(at, price), onlyEligible(offer, candidate === undefined ? '' : pricePerTonneOf(candidate))]
    }),
    order: formula('Order', style.plainNumber, (offer, at, index) => {
      const [rank, price] = [at('sortRank'), at('sortPrice')]
      const before = `COUNTIFS(${range('sortRank')},"<"&${rank})`
      const cheaper = `COUNTIFS(${range('sortRank')},${rank},${range('sortPrice')},"<"&${price})`
      const earlier = `COUNTIFS(${range('sortRank')},${rank},${range('sortPrice')},${price},${range('offer')},"<"&${at('offer')})`
      return [
        ifEligible(at, `1+${before}+IF(${rank}<${UNRANKED},0,${cheaper}+${earlier})`),
        onlyEligible(offer, orders.get(index) ?? ''),
      ]
    }),
    pick: formula('Row at position', style.plainNumber, (_offer, _at, index) => [
      `IFERROR(MATCH(${index + 1},${range('order')},0),0)`,
      positions[index]?.pick ?? 0,
    ]),
    take: formula('Taken', style.plainNumber, (_offer, at, index) => {
      const before = index === 0 ? '0' : grids.offers.cell('cumulative', index - 1)
      const volume = `INDEX(${offers.range('volume')},${at('pick')})`
      const fits = `AND(${before}<${fact('least')},${before}+${volume}<=${fact('most')})`
      return [`IF(AND(${at('pick')}>0,ISNUMBER(${fact('least')})),IF(${fits},1,0),0)`, positions[index]?.take ?? 0]
    }),
    cumulative: formula('Tonnes so far', numbers.volume, (_offer, at, index) => {
      const before = index === 0 ? '0' : grids.offers.cell('cumulative', index - 1)
      return [
        `${before}+IF(${at('take')}=1,INDEX(${offers.range('volume')},${at('pick')}),0)`,
        positions[index]?.cumulative ?? 0,
      ]
    }),
  }
}

const NOT_COMPARABLE = 'No comparable price or volume'

const offerCache = new WeakMap<RfqLayout, ReturnType<typeof findCachedOffers>>()

function cachedOffers(layout: RfqLayout) {
  const known = offerCache.get(layout) ?? findCachedOffers(layout)
  offerCache.set(layout, known)
  return known
}

function findCachedOffers({ report, failures }: RfqLayout) {
  const { recommendation } = report.decision
  const levels = report.settings.requirements
  const hardOf = failures.groups.map((names) => names.filter((name) => levels[name] === 'hard'))
  const eligible = new Set<string>()
  const unmet = new Map<string, string>()
  for (const [id, group] of failures.groupOf) {
    const failed = hardOf[group] ?? []
    if (failed.length === 0) eligible.add(id)
    unmet.set(id, titlesOf(failed))
  }
  const awarded = new Map<string, AwardedOffer>(
    recommendation.award?.offers.map((offer) => [offer.offerId, offer]) ?? [],
  )
  return { eligible, unmet, awarded }
}

/** One position in the order of the rule `best-score-compliant`. */
interface Position {
  /** Index of the offer in `RfqReport.offers`, from 1; 0 beyond the last eligible offer. */
  pick: number
  take: 0 | 1
  cumulative: number
}

/** Eligible offers in the order of the rule `best-score-compliant`, and which of them it takes (award-solver.ts). */
function positionsOf({ report, failures }: RfqLayout, eligible: ReadonlySet<string>): Position[] {
  const { offers, rfq, settings } = report
  const indexes = new Map(offers.map(({ id }, index) => [id, index + 1]))
  const inOrder = failures.candidates
    .filter(({ offer }) => eligible.has(offer.id))
    .map((candidate) => ({ candidate, rank: candidate.offer.rank ?? UNRANKED, price: pricePerTonneOf(candidate) }))
    .sort((a, b) => a.rank - b.rank || (a.rank === UNRANKED ? a.price - b.price : 0))
  const least = rfq.wanted.volume === null ? null : reachedFrom(rfq.wanted.volume)
  const max = settings.requirements.volumeMax === 'hard' && (rfq.maxVolume ?? 0) > 0 ? rfq.maxVolume : null
  const most = max === null ? 1e300 : upTo(max)
  let cumulative = 0
  return offers.map((_, at) => {
    const candidate = inOrder[at]?.candidate
    if (candidate === undefined) return { pick: 0, take: 0, cumulative }
    const take = least !== null && cumulative < least && cumulative + candidate.volume <= most
    if (take) cumulative += candidate.volume
    return { pick: indexes.get(candidate.offer.id) ?? 0, take: take ? 1 : 0, cumulative }
  })
}

/** The rank of offers without one: after all others. */
const UNRANKED = 1e9

const pricePerTonneOf = ({ cost, volume }: Candidate): number => round6(cost / volume)

/** Sets of failed requirements: whether offers that fail them are eligible at the levels on `Inputs`. */
export function groupColumns(layout: RfqLayout): Columns<readonly RequirementName[], GroupKey> {
  const { number, formula } = columnsOf<readonly RequirementName[], GroupKey>(layout.recommendation.groups)
  const levels = layout.report.settings.requirements
  const hard = (names: readonly RequirementName[]) => names.filter((name) => levels[name] === 'hard')
  const isHard = (name: RequirementName) => `${requirementCell(name)}="hard"`
  return {
    group: { ...number('Group', () => null), cell: (_, index) => numberCell(index + 1) },
    eligible: formula('Eligible', style.centred, (names) => [
      names.length === 0 ? 'IF(TRUE,"yes")' : `IF(OR(${names.map(isHard).join(',')}),"no","yes")`,
      hard(names).length === 0 ? 'yes' : 'no',
    ]),
    unmet: formula('Hard requirements not met', style.body, (names) => {
      const titles = names.map((name) => `IF(${isHard(name)},${stringLiteral(REQUIREMENT_TITLES[name])},"")`)
      return [
        names.length === 0 ? 'IF(TRUE,"")' : `_xlfn.TEXTJOIN("; ",TRUE,${titles.join(',')})`,
        titlesOf(hard(names)),
      ]
    }),
  }
}
