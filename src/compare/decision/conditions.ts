import { oneLine, truncate } from '../../core/text/clean-text.js'
import { formatPercent, formatTonnes } from '../../core/text/number-format.js'
import { joined } from '../awards/award-figures.js'
import type { AwardProblem } from '../awards/award-problem.js'
import { eligible } from '../awards/award-rule.js'
import { upTo } from '../awards/efficient-awards.js'
import { isOpen } from '../offer/eligibility.js'
import type { OfferReport } from '../offer/offer-report-model.js'
import type { RfqTerms } from '../rfq/rfq-terms.js'
import type { Award, Condition, Recommendation } from './decision-model.js'

/** More are in the details of the offers. */
const MAX_CONDITIONS = 3

/** What to check before signing, one sentence each: at most three, loud ones first. docs/COMPARISON.md, “Doubts”, lists them. */
export function conditionsOf(
  { award, accepted, gap }: Pick<Recommendation, 'award' | 'accepted' | 'gap'>,
  problem: AwardProblem,
): Condition[] {
  if (award === null && accepted === null) return []
  const ids = new Set([...(award?.offers ?? []), ...(accepted?.offers ?? [])].map(({ id }) => id))
  const about = (textsOf: TextsOf, isSaidIfShared = false) => aboutOffers(textsOf, ids, isSaidIfShared, problem)
  const loud = [...about(flagTexts(true), true), ...(award === null ? [] : loudOfAward(award, problem))]
  const quiet = [
    ...(award === null ? [] : aboveMaximum(award, problem)),
    ...about(requirementTexts),
    ...about(flagTexts(false)),
    ...(award === null ? [] : furtherDemands(problem)),
    ...about(notesText),
    ...(gap === null ? [] : [gapText(gap)]),
  ]
  return [
    ...loud.map((message) => ({ message, loud: true })),
    ...quiet.map((message) => ({ message, loud: false })),
  ].slice(0, MAX_CONDITIONS)
}

type TextsOf = (offer: OfferReport) => string[]

/**
 * What is said of the offers of an award, each sentence once, with the names of those that it is about if there are several offers.
 * @param isSaidIfShared whether that includes what is true of every offer alike, which tells none from another
 */
function aboutOffers(
  textsOf: TextsOf,
  ids: ReadonlySet<string>,
  isSaidIfShared: boolean,
  { offers, context }: AwardProblem,
): string[] {
  const awarded = offers.filter(({ id }) => ids.has(id))
  const inPlay = offers.filter(({ standing }) => standing !== 'excluded')
  const about = new Map<string, OfferReport[]>()
  for (const offer of awarded)
    for (const message of textsOf(offer)) about.set(message, [...(about.get(message) ?? []), offer])
  return [...about].flatMap(([message, those]) => {
    const isShared = inPlay.length > 1 && inPlay.every((offer) => textsOf(offer).includes(message))
    if (isShared && !isSaidIfShared) return []
    if (awarded.length === 1) return message
    return `${those.length === awarded.length ? 'Each offer' : joined(those.map(context.nameOf))}: ${message}`
  })
}

/** Messages of the loud or the quiet flags. */
const flagTexts =
  (wanted: boolean): TextsOf =>
  ({ flags }) =>
    flags.filter(({ loud }) => loud === wanted).map(({ message }) => message)

/** Without a price that a flag says is far below the minimum. */
const requirementTexts: TextsOf = ({ unmet, flags }) =>
  unmet
    .filter(({ name }) => name !== 'priceMin' || !flags.some(({ code }) => code === 'price-far-below-min'))
    .map(({ message }) => message)

/** What the seller adds, such as that a price holds for the whole volume only. */
const notesText: TextsOf = ({ terms: { notes } }) =>
  notes === null ? [] : [`The seller notes: “${truncate(oneLine(notes), MAX_QUOTED)}”`]
const MAX_QUOTED = 300

/** More than twice the need, although a smaller award costs less; and an award without anything to compare it with. */
function loudOfAward({ offers, tonnes, costPerTonne }: Award, { offers: all, accepted, range, search }: AwardProblem) {
  const most = upTo(2 * (range?.lower ?? 0))
  const isSmallerCheaper =
    search !== null && eligible(search).some((set) => set.tonnes <= most && set.cost < costPerTonne * tonnes)
  const isAlone = offers.length === 1 && accepted.length === 0 && all.filter(isOpen).length === 1
  return [
    ...(tonnes > most && isSmallerCheaper ? ['The award has more than twice the tonnes that are needed.'] : []),
    ...(isAlone ? ['It is the only open offer, so there is nothing to compare it with.'] : []),
  ]
}

const aboveMaximum = ({ tonnes }: Award, { rfq: { maxVolume: max }, accepted }: AwardProblem): string[] =>
  accepted.length === 0 && max !== null && max > 0 && tonnes > upTo(max)
    ? [`The award is ${formatTonnes(tonnes - max)} above the RFQ's maximum.`]
    : []

/** The requirements of the RFQ that are text, which only a person can check; null if there are none. */
export const askedBesides = ({ additionalRequirements }: Pick<RfqTerms, 'additionalRequirements'>): string | null =>
  additionalRequirements === null ? null : truncate(oneLine(additionalRequirements), MAX_QUOTED)

function furtherDemands({ rfq }: AwardProblem): string[] {
  const asked = askedBesides(rfq)
  return asked === null ? [] : [`The RFQ also asks, which is not checked here: “${asked}”`]
}

const gapText = (gap: number) =>
  `The award is the best that was found among very many; another one may ${gap === 0 ? 'have more tonnes' : `cost up to ${formatPercent(gap)} less`}.`
