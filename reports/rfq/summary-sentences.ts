import { namedOffers } from '../../src/compare/decision/award-figures.js'
import type { AcceptedAward } from '../../src/compare/decision/decision-model.js'
import { BASIS_TEXT } from '../../src/compare/decision/recommendation.js'
import { RULE_TEXT } from '../../src/compare/decision/recommendation-input.js'
import { AWARD_RULES, type AwardRule } from '../../src/core/settings.js'
import { NO_FIGURE } from '../layout/cell-text.js'
import { fixed } from '../layout/number-phrase.js'
import { constant, either, isNumber, NOTHING, type Phrase, type Reference, say, type Test } from '../layout/phrase.js'
import { type CachedResult, stringLiteral } from '../xlsx/cells.js'
import { byWantedBasis } from './inputs.js'
import type { RfqLayout } from './layout.js'
import { awardedOffer, recommendationFact } from './recommendation/recommendation-block.js'
import { type FactKey, MAX_AWARDED_ROWS } from './recommendation/recommendation-grids.js'
import { NOT_COMPARABLE } from './recommendation/recommended-offers.js'

const words = ({ cell, cached }: Reference): Phrase => [`${cell}&""`, String(cached ?? '')]
const isText = ({ cell, cached }: Reference, value: string): Test => [`${cell}="${value}"`, cached === value]
/** Whether a figure compares with 0; text counts as 0. */
const isAbove = ({ cell, cached }: Reference, orEqual = ''): Test => [
  `N(${cell})>${orEqual}0`,
  Number(cached) > 0 || (orEqual !== '' && Number(cached) === 0),
]

/** More offers are counted. */
const MAX_LISTED = 12

/** The figures of the award in words; every sentence is empty if there is no award. */
export type Sentences = ReturnType<typeof sentencesOf>

export function sentencesOf(layout: RfqLayout) {
  const { report, currency, offers, scoring } = layout
  const fact = (key: FactKey) => recommendationFact(layout, key)
  const code = constant(` ${currency ?? ''}`)
  const perTonne = constant(` ${currency ?? ''}/t`)
  const volume = (one: Reference) => fixed(one, 2)
  const price = (one: Reference) => fixed(one, 4, { min: 2 })
  const money = (one: Reference, absolute = false) => say`${fixed(one, 2, { absolute, wholeFrom: 1000 })}${code}`
  const amounts = (tonnes: Reference, each: Reference, sum: Reference) =>
    say`${volume(tonnes)} t at ${price(each)}${perTonne}, ${money(sum)} in total`
  const [problem, status, total, points] = [fact('problem'), fact('status'), fact('total'), fact('runnerUpPoints')]
  const hasAward = isNumber(total)
  const wanted = { cell: 'IFERROR(WantedVolume+0,0)', cached: report.rfq.wanted.volume ?? 0 }
  const { accepted } = report.decision
  const verb = accepted === null ? 'Award' : 'The award rule chooses'
  const line = (index: number): Phrase => {
    const part = (key: 'name' | 'number' | 'tonnes' | 'pricePerTonne' | 'total') => awardedOffer(layout, key, index)
    const what = amounts(part('tonnes'), part('pricePerTonne'), part('total'))
    return say`${constant(verb)} ${words(part('name'))} (offer ${words(part('number'))}): ${what}.`
  }
  /** Price up to which an awarded offer stays in the award. */
  const breakEven = (index: number): Phrase => {
    const [number, max] = [awardedOffer(layout, 'number', index), awardedOffer(layout, 'breakEven', index)]
    const offer = say`Offer ${words(number)} stays in the award`
    const always = either(isText(max, 'any price'), say`${offer} at any price.`)
    const unknown = say`Up to which price offer ${words(number)} stays in the award needs a new report for these inputs.`
    const other = either(isText(max, NO_FIGURE), unknown, always)
    return either(isNumber(number), either(isNumber(max), say`${offer} up to ${price(max)}${perTonne}.`, other))
  }
  const awarded = report.decision.recommendation.award?.offers.slice(0, MAX_AWARDED_ROWS) ?? []
  const list: Phrase = [
    `_xlfn.TEXTJOIN(", ",TRUE,${layout.recommendation.awarded.range('number')})`,
    awarded.map(({ sequence }) => sequence).join(', '),
  ]
  const all = amounts(fact('tonnes'), fact('pricePerTonne'), total)
  const many = say`${constant(verb)} ${words(fact('offers'))} offers (no. ${list}): ${all}.`
  const closestTonnes = say`${volume(fact('closestTonnes'))} t, ${money(fact('closestTotal'))}`
  const closest = either(
    isNumber(fact('closestTotal')),
    say`Closest: offer no. ${words(fact('closestOffers'))}, ${closestTonnes}; to be waived: ${words(fact('closestWaived'))}.`,
  )
  const noAward = either(
    isText(status, 'no-target'),
    say`No award: the RFQ states no volume.`,
    either(isText(status, 'no-offers'), say`No offer can be awarded.`, say`No award satisfies the hard requirements.`),
  )
  const stale: Test = [`${problem.cell}<>""`, problem.cached !== '']
  return {
    problem,
    hasAward,
    /** Said first if the award does not reach the wanted volume. */
    partial: either(
      isText(status, 'partial'),
      say`Only ${fixed(fact('coverage'), 1, { factor: 100 })} % of the wanted volume can be awarded. `,
    ),
    /** The accepted award, and how it compares with that of the rule; null if no offer is accepted. */
    accepted: accepted && acceptedSentence(accepted),
    /** The award as a whole. */
    headline: either(stale, words(fact('message')), either(hasAward, many, noAward)),
    /** One awarded offer, if there are at most `lines`. */
    line: (index: number, lines: number) => {
      const [cell, cached] = [fact('offers').cell, Number(fact('offers').cached)]
      const fits: Test = [`AND(N(${cell})>${index},N(${cell})<=${lines})`, cached > index && cached <= lines]
      return either(fits, line(index))
    },
    reasons: [
      ruleSentence(fact('rule')),
      coverageSentence(),
      scoreSentence(),
      // An accepted offer may be the runner-up.
      ...(accepted === null ? [runnerUpSentence()] : []),
      notComparedSentence(),
      either(isText(status, 'partial'), say`The eligible offers do not reach the wanted volume. ${closest}`),
    ].map((phrase) => either(hasAward, phrase)),
    closest,
    breakEven,
  }

  function acceptedSentence(known: AcceptedAward): Phrase {
    const { offers: members, award, headline, isRecommended, costDifference } = known
    if (award === null) return constant(headline)
    const isAccepted = `${offers.range('status')},"Accepted"`
    const sumOf = (key: 'volume' | 'comparedTotal', cached: number): Reference => ({
      cell: `SUMIFS(${offers.range(key)},${isAccepted})`,
      cached,
    })
    const [tonnes, sum] = [sumOf('volume', award.tonnes), sumOf('comparedTotal', award.total)]
    const each = { cell: `IFERROR((${sum.cell})/(${tonnes.cell}),0)`, cached: award.pricePerTonne }
    const difference = { cell: `(${sum.cell}-N(${total.cell}))`, cached: costDifference }
    const chosen = `COUNTIFS(${isAccepted},${layout.recommendation.offers.range('tonnes')},">0")`
    const same: Test = [`AND(${fact('offers').cell}=${members.length},${chosen}=${members.length})`, isRecommended]
    const sign = either(isAbove(difference, '='), say`more`, say`less`)
    const isEqual: Test = [`ABS${difference.cell}<0.5`, Math.abs(costDifference ?? 0) < 0.5]
    const cost = either(isEqual, say`the same`, say`${money(difference, true)} ${sign}`)
    const than = either(isEqual, say`as`, say`than`)
    const more = {
      cell: `((${tonnes.cell})-N(${fact('tonnes').cell}))`,
      cached: award.tonnes - Number(fact('tonnes').cached),
    }
    const size = fixed(more, 2, { absolute: true })
    const isSame: Test = [`ABS${more.cell}<0.005`, Math.abs(more.cached) < 0.005]
    const extra = either(isSame, NOTHING, say`, for ${size} t ${either(isAbove(more), say`more`, say`less`)},`)
    const compared = say` It costs ${cost}${extra} ${than} what the award rule chooses.`
    const rule = either(same, say` It is what the award rule chooses.`, compared)
    return say`Accepted: ${constant(namedOffers({ offers: members }))}: ${amounts(tonnes, each, sum)}.${coveredSentence(tonnes)}${either(hasAward, rule)}`
  }

  function coveredSentence(tonnes: Reference): Phrase {
    const [cached, target] = [Number(tonnes.cached), wanted.cached]
    const missing = { cell: `(${wanted.cell}-(${tonnes.cell}))`, cached: target - cached }
    const isShort: Test = [`${missing.cell}>${wanted.cell}*1E-9`, missing.cached > target * 1e-9]
    const share = { cell: `MIN(1,(${tonnes.cell})/${wanted.cell})`, cached: Math.min(1, cached / target) }
    const covered = say` It covers ${fixed(share, 1, { factor: 100 })} % of the wanted ${volume(wanted)} t`
    return either(isAbove(wanted), say`${covered}${either(isShort, say`: ${volume(missing)} t are missing`)}.`)
  }

  function coverageSentence(): Phrase {
    const more = say`${volume(fact('excessTonnes'))} t more, which cost ${money(fact('excessCost'))}`
    const { cell, cached } = fact('excessTonnes')
    // Less is the rounding error of a sum, as in the report's own sentence.
    const isExcess: Test = [`N(${cell})>${wanted.cell}*1E-9`, Number(cached) > wanted.cached * 1e-9]
    const excess = either(isExcess, say` and ${more}, because offers are taken whole`)
    const share = fixed(fact('coverage'), 1, { factor: 100 })
    const bases = byWantedBasis((one) => stringLiteral(BASIS_TEXT[one]))
    const basis: Phrase = [bases, BASIS_TEXT[report.settings.wantedVolume]]
    return say`Covers ${share} % of the wanted ${volume(wanted)} t (${basis})${excess}.`
  }

  function scoreSentence(): Phrase {
    const first = report.offers[0]?.rank === 1 ? report.offers[0] : undefined
    const best = (range: string, cached: CachedResult): Reference => ({
      cell: `IFERROR(INDEX(${range},MATCH(1,${offers.range('rank')},0)),"")`,
      cached,
    })
    const number = words(best(offers.range('offer'), first?.sequence ?? ''))
    const score = fixed(best(scoring.range('total'), first?.scores?.total ?? ''), 1)
    return either(
      isNumber(fact('score')),
      say`Score ${fixed(fact('score'), 1)} of 100; rank 1 is offer ${number} with ${score}.`,
      say`It has no score, because not every offer in it is ranked.`,
    )
  }

  function notComparedSentence(): Phrase {
    const { offers: all } = layout.recommendation
    const candidates = new Set(layout.failures.candidates.map(({ offer }) => offer.id))
    const excluded = report.offers.filter(({ id }) => !candidates.has(id)).map(({ sequence }) => sequence)
    const count = `COUNTIF(${all.range('unmet')},"${NOT_COMPARABLE}")`
    const list = `_xlfn.TEXTJOIN(", ",TRUE,IF(${all.range('unmet')}="${NOT_COMPARABLE}",${all.range('offer')},""))`
    const offers: Phrase = excluded.length > MAX_LISTED ? [count, `${excluded.length}`] : [list, excluded.join(', ')]
    const which = excluded.length > MAX_LISTED ? say`${offers} offers` : say`offer no. ${offers}`
    return either([`${count}>0`, excluded.length > 0], say`Not compared, for want of a price or volume: ${which}.`)
  }

  function runnerUpSentence(): Phrase {
    const cost = fact('runnerUpDifference')
    const cached = Number(cost.cached) / Number(total.cached) || 0
    const share = { cell: `IFERROR(${cost.cell}/${total.cell},0)`, cached }
    const sign = either(isAbove(cost, '='), say` more (+`, say` less (-`)
    const difference = say`${money(cost, true)}${sign}${fixed(share, 1, { factor: 100, absolute: true })} %)`
    const size = fixed(points, 1, { absolute: true })
    const inPoints = say` and scores ${size} points ${either(isAbove(points), say`less`, say`more`)}`
    return either(
      isNumber(cost),
      say`The runner-up, offer no. ${words(fact('runnerUpOffers'))}, costs ${difference}${either(isNumber(points), inPoints)}.`,
      either(
        [`ISNUMBER(SEARCH("Run:",${cost.cell}))`, false],
        say`The runner-up for these inputs needs a new report.`,
        say`No runner-up is known: no other award reaches the wanted volume under this rule.`,
      ),
    )
  }
}

function ruleSentence(rule: Reference): Phrase {
  const text = (name: AwardRule) => constant(`${RULE_TEXT[name].title}: ${RULE_TEXT[name].words}.`)
  return AWARD_RULES.reduceRight((others, name) => either(isText(rule, name), text(name), others), NOTHING)
}
