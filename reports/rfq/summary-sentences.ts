import { RULE_TEXT } from '../../src/domain/comparison/decision/recommendation-input.js'
import { rounded } from '../../src/domain/comparison/numbers.js'
import { AWARD_RULES, type WantedBasis } from '../../src/domain/comparison/settings.js'
import { type CachedResult, stringLiteral } from '../xlsx/cells.js'
import { byWantedBasis } from './award-sets.js'
import type { RfqLayout } from './layout.js'
import { awardedOffer, type Reference, recommendationFact } from './recommendation/recommendation-block.js'
import { type FactKey, MAX_AWARDED_ROWS } from './recommendation/recommendation-grids.js'

/** A sentence as a formula, and its stored result. */
export type Phrase = readonly [expression: string, cached: string]
/** A condition as a formula, and whether it holds now. */
type Test = readonly [expression: string, holds: boolean]

/** Joins constant words and phrases. */
const say = (...parts: (string | Phrase)[]): Phrase => [
  parts.map((part) => (typeof part === 'string' ? stringLiteral(part) : part[0])).join('&'),
  parts.map((part) => (typeof part === 'string' ? part : part[1])).join(''),
]
export const NOTHING = say('')

export const either = ([condition, holds]: Test, yes: Phrase, no: Phrase = NOTHING): Phrase => [
  `IF(${condition},${yes[0]},${no[0]})`,
  holds ? yes[1] : no[1],
]

const words = ({ cell, cached }: Reference): Phrase => [`${cell}&""`, String(cached ?? '')]
const isNumber = ({ cell, cached }: Reference): Test => [`ISNUMBER(${cell})`, typeof cached === 'number']
const isPositive = ({ cell, cached }: Reference): Test => [`N(${cell})>0`, Number(cached) > 0]
const isText = ({ cell, cached }: Reference, value: string): Test => [`${cell}="${value}"`, cached === value]

/** A number with its decimals; unlike TEXT, FIXED depends on no format of the reader's language. */
function fixed({ cell, cached }: Reference, digits: number, { factor = 1, absolute = false } = {}): Phrase {
  const scaled = `N(${cell})${factor === 1 ? '' : `*${factor}`}`
  const value = (typeof cached === 'number' ? cached : 0) * factor
  const shown = rounded(absolute ? Math.abs(value) : value, digits)
  const format = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return [`FIXED(${absolute ? `ABS(${scaled})` : scaled},${digits})`, shown.toLocaleString('en-US', format)]
}

/** The figures of the award in words; every sentence is empty if there is no award. */
export interface Sentences {
  problem: Reference
  hasAward: Test
  /** The award as a whole. */
  headline: Phrase
  /** One awarded offer, if there are at most `lines`. */
  line: (index: number, lines: number) => Phrase
  reasons: Phrase[]
  closest: Phrase
  /** Price up to which an awarded offer stays in the award. */
  breakEven: (index: number) => Phrase
}

export function sentencesOf(layout: RfqLayout): Sentences {
  const { report, currency, offers, scoring } = layout
  const fact = (key: FactKey) => recommendationFact(layout, key)
  const [volumeDigits, priceDigits] = [digitsOf(layout.numbers.volume), digitsOf(layout.numbers.price(currency))]
  const money = (one: Reference, absolute = false) => say(fixed(one, 0, { absolute }), ` ${currency ?? ''}`)
  const amounts = (tonnes: Reference, price: Reference, total: Reference) =>
    say(
      fixed(tonnes, volumeDigits),
      ' t at ',
      fixed(price, priceDigits),
      ` ${currency ?? ''}/t, `,
      money(total),
      ' in total',
    )
  const [problem, status] = [fact('problem'), fact('status')]
  const hasAward = isNumber(fact('total'))
  const ifAward = (phrase: Phrase) => either(hasAward, phrase)
  const [runnerUp, points] = [fact('runnerUpDifference'), fact('runnerUpPoints')]
  const ranked = report.offers[0]?.rank === 1 ? report.offers[0] : undefined
  const best = (range: string, cached: CachedResult): Reference => ({
    cell: `IFERROR(INDEX(${range},MATCH(1,${offers.range('rank')},0)),"")`,
    cached,
  })
  const bestScore = best(scoring.range('total'), ranked?.scores?.total ?? '')
  const wanted: Reference = { cell: 'IFERROR(WantedVolume+0,0)', cached: report.rfq.wanted.volume ?? 0 }
  const line = (index: number): Phrase => {
    const part = (key: 'name' | 'number' | 'tonnes' | 'pricePerTonne' | 'total') => awardedOffer(layout, key, index)
    const what = amounts(part('tonnes'), part('pricePerTonne'), part('total'))
    return say('Award ', words(part('name')), ' (offer ', words(part('number')), '): ', what, '.')
  }
  const breakEvenOf = (index: number): Phrase => {
    const [number, price] = [awardedOffer(layout, 'number', index), awardedOffer(layout, 'breakEven', index)]
    const stays = say(
      'Offer ',
      words(number),
      ' stays in the award up to ',
      fixed(price, priceDigits),
      ` ${currency ?? ''}/t.`,
    )
    const always = either(isText(price, 'any price'), say('Offer ', words(number), ' stays in the award at any price.'))
    return either(isNumber(number), either(isNumber(price), stays, always))
  }
  const awarded = report.decision.recommendation.award?.offers.slice(0, MAX_AWARDED_ROWS) ?? []
  const numbers: Phrase = [
    `_xlfn.TEXTJOIN(", ",TRUE,${layout.recommendation.awarded.range('number')})`,
    awarded.map(({ sequence }) => sequence).join(', '),
  ]
  const many = say(
    'Award ',
    words(fact('offers')),
    ' offers (no. ',
    numbers,
    '): ',
    amounts(fact('tonnes'), fact('pricePerTonne'), fact('total')),
    '.',
  )
  const closest = say(
    'Closest: offer no. ',
    words(fact('closestOffers')),
    ', ',
    fixed(fact('closestTonnes'), volumeDigits),
    ' t, ',
    money(fact('closestTotal')),
    '; to be waived: ',
    words(fact('closestWaived')),
    '.',
  )
  const [cost, total] = [Number(runnerUp.cached), Number(fact('total').cached)]
  const share: Reference = { cell: `IFERROR(${runnerUp.cell}/${fact('total').cell},0)`, cached: cost / total || 0 }
  const isDearer: Test = [`N(${runnerUp.cell})>=0`, Number(runnerUp.cached) >= 0]
  const isWorse: Test = [`N(${points.cell})>0`, Number(points.cached) > 0]
  const inPoints = say(
    ' and scores ',
    fixed(points, 1, { absolute: true }),
    ' points ',
    either(isWorse, say('less'), say('more')),
  )
  const next = say(
    'The runner-up, offer no. ',
    words(fact('runnerUpOffers')),
    ', costs ',
    money(runnerUp, true),
    either(isDearer, say(' more (+'), say(' less (-')),
    fixed(share, 1, { factor: 100, absolute: true }),
    ' %)',
    either(isNumber(points), inPoints),
    '.',
  )
  const excess = say(
    ' and ',
    fixed(fact('excessTonnes'), volumeDigits),
    ' t more, which cost ',
    money(fact('excessCost')),
    ', because offers are taken whole',
  )
  const noAward = either(
    isText(status, 'no-target'),
    say('No award: the RFQ states no volume.'),
    either(
      isText(status, 'no-offers'),
      say('No offer can be awarded.'),
      say('No award satisfies the hard requirements.'),
    ),
  )
  return {
    problem,
    hasAward,
    headline: either(
      [`${problem.cell}<>""`, problem.cached !== ''],
      words(fact('message')),
      either(hasAward, many, noAward),
    ),
    line: (index, lines) => {
      const [cell, cached] = [fact('offers').cell, Number(fact('offers').cached)]
      const fits: Test = [`AND(N(${cell})>${index},N(${cell})<=${lines})`, cached > index && cached <= lines]
      return either(fits, line(index))
    },
    reasons: [
      ruleSentence(fact('rule')),
      say(
        'Covers ',
        fixed(fact('coverage'), 1, { factor: 100 }),
        ' % of the wanted ',
        fixed(wanted, volumeDigits),
        ' t (',
        basisWords(report.settings.wantedVolume),
        ')',
        either(isPositive(fact('excessTonnes')), excess),
        '.',
      ),
      either(
        isNumber(fact('score')),
        say(
          'Score ',
          fixed(fact('score'), 1),
          ' of 100; rank 1 is offer ',
          words(best(offers.range('offer'), ranked?.sequence ?? '')),
          ' with ',
          fixed(bestScore, 1),
          '.',
        ),
        say('It has no score, because not every offer in it is ranked.'),
      ),
      either(
        isNumber(runnerUp),
        next,
        say('No runner-up is known: no other award reaches the wanted volume under this rule.'),
      ),
      either(
        isText(status, 'partial'),
        say('The eligible offers do not reach the wanted volume. ', either(isNumber(fact('closestTotal')), closest)),
      ),
    ].map(ifAward),
    closest: either(isNumber(fact('closestTotal')), closest),
    breakEven: breakEvenOf,
  }
}

function ruleSentence(rule: Reference): Phrase {
  const text = (name: (typeof AWARD_RULES)[number]) => say(`${RULE_TEXT[name].title}: ${RULE_TEXT[name].words}.`)
  return AWARD_RULES.reduceRight((others, name) => either(isText(rule, name), text(name), others), NOTHING)
}

const BASIS_WORDS: Record<WantedBasis, string> = {
  min: 'the RFQ’s minimum',
  mid: 'midpoint of the RFQ’s range',
  max: 'the RFQ’s maximum',
}
const basisWords = (basis: WantedBasis): Phrase => [
  byWantedBasis((one) => stringLiteral(BASIS_WORDS[one])),
  BASIS_WORDS[basis],
]

/** The decimals of a number format. */
const digitsOf = ({ numFmt = '' }: { numFmt?: string }): number => /0\.(0+)/.exec(numFmt)?.[1]?.length ?? 0
