import { AWARD_REQUIREMENT, REQUIREMENT_TITLES } from '../../../src/compare/decision/award-requirements.js'
import { type Candidate, priceOf, takeByScore } from '../../../src/compare/decision/award-solver.js'
import { currentEntry, isSolvedAhead } from '../../../src/compare/decision/current-entry.js'
import type { AwardedOffer, RequirementSwitch } from '../../../src/compare/decision/decision-model.js'
import type { OfferReport } from '../../../src/compare/offer/offer-report-model.js'
import type { RequirementName } from '../../../src/core/settings.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { type At, columnsOf } from '../../layout/columns.js'
import * as style from '../../xlsx/cell-styles.js'
import { type CachedResult, stringLiteral } from '../../xlsx/cells.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout } from '../layout.js'
import { ALTERNATIVE_DIGITS, factsOf, membersText, oncePerLayout, titlesOf } from './award-facts.js'
import { type KeyOf, literal, MAX_AWARDED_ROWS, referencesOf, ruleIs } from './recommendation-grids.js'

/** Every offer: whether it is eligible, its tonnes in the recommended award, and its place by score. */
export function offerColumns(layout: RfqLayout) {
  const { recommendation: grids, offers, scoring, numbers, failures, report } = layout
  const { least, most } = factsOf(layout)
  const { number, formula } = columnsOf<OfferReport, KeyOf<'offers'>>(grids.offers)
  const { at: fact } = referencesOf(layout)
  const candidates = new Map(failures.candidates.map((candidate) => [candidate.offer.id, candidate]))
  const eligible = new Set(report.decision.offers.flatMap((one) => (one.eligible ? [one.offerId] : [])))
  const awarded = new Map(report.decision.offers.map(({ offerId, tonnes }) => [offerId, tonnes]))
  const steps = takeByScore(
    failures.candidates.filter(({ offer }) => eligible.has(offer.id)),
    { min: least.cached === '' ? 0 : Number(least.cached), max: Number(most.cached) },
  )
  const orders = new Map(steps.map(({ candidate }, at) => [candidate.offer.id, at + 1]))
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index + 1]))
  const range = (key: KeyOf<'offers'>) => grids.offers.range(key)
  const ofGroup = ({ id }: OfferReport, key: KeyOf<'groups'>, otherwise: string) => {
    const group = failures.groupOf.get(id)
    return group === undefined ? `IF(TRUE,"${otherwise}")` : grids.groups.cell(key, group)
  }
  const ifEligible = (at: At<KeyOf<'offers'>>, expression: string) => `IF(${at('eligible')}="yes",${expression},"")`
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
      candidates.has(offer.id)
        ? hardTitles(layout, failures.groups[failures.groupOf.get(offer.id) ?? -1] ?? [])
        : NOT_COMPARABLE,
    ]),
    tonnes: formula('Tonnes awarded', numbers.volume, (offer, at, index) => {
      const volume = offers.cell('volume', index)
      const byScore = `IF(ISNUMBER(${at('order')}),INDEX(${range('take')},N(${at('order')}))*${volume},0)`
      const solved = `IF(ISNUMBER(SEARCH(",${offer.sequence},",${fact('members')})),${volume},0)`
      const tonnes = candidates.has(offer.id) ? `IF(${ruleIs.bestScore},${byScore},${solved})` : '0'
      return [`IF(${fact('problem')}="",${tonnes},${fact('problem')})`, awarded.get(offer.id) ?? 0]
    }),
    sortRank: formula('Rank, unranked last', style.plainNumber, (offer, at, index) => [
      ifEligible(at, `IF(ISNUMBER(${scoring.cell('rank', index)}),${scoring.cell('rank', index)},${UNRANKED})`),
      onlyEligible(offer, offer.rank ?? UNRANKED),
    ]),
    sortPrice: formula('Price, 6 decimals', style.plainNumber, (offer, at, index) => {
      const candidate = candidates.get(offer.id)
      const price = `ROUND(${offers.cell('comparedTotal', index)}/${offers.cell('volume', index)},6)`
      return [ifEligible(at, price), onlyEligible(offer, candidate === undefined ? '' : priceOf(candidate))]
    }),
    order: formula('Order', style.plainNumber, (offer, at) => {
      const [rank, price] = [at('sortRank'), at('sortPrice')]
      const before = `COUNTIFS(${range('sortRank')},"<"&${rank})`
      const cheaper = `COUNTIFS(${range('sortRank')},${rank},${range('sortPrice')},"<"&${price})`
      const earlier = `COUNTIFS(${range('sortRank')},${rank},${range('sortPrice')},${price},${range('offer')},"<"&${at('offer')})`
      return [
        ifEligible(at, `1+${before}+IF(${rank}<${UNRANKED},0,${cheaper}+${earlier})`),
        onlyEligible(offer, orders.get(offer.id) ?? ''),
      ]
    }),
    pick: formula('Row at position', style.plainNumber, (_offer, _at, index) => [
      `IFERROR(MATCH(${index + 1},${range('order')},0),0)`,
      indexes.get(steps[index]?.candidate.offer.id ?? '') ?? 0,
    ]),
    take: formula('Taken', style.plainNumber, (_offer, at, index) => {
      const before = index === 0 ? '0' : grids.offers.cell('cumulative', index - 1)
      const volume = `INDEX(${offers.range('volume')},${at('pick')})`
      const fits = `AND(${before}<${fact('least')},${before}+${volume}<=${fact('most')})`
      return [`IF(AND(${at('pick')}>0,ISNUMBER(${fact('least')})),IF(${fits},1,0),0)`, steps[index]?.isTaken ? 1 : 0]
    }),
    cumulative: formula('Tonnes so far', numbers.volume, (_offer, at, index) => {
      const before = index === 0 ? '0' : grids.offers.cell('cumulative', index - 1)
      return [
        `${before}+IF(${at('take')}=1,INDEX(${offers.range('volume')},${at('pick')}),0)`,
        (steps[index] ?? steps.at(-1))?.tonnes ?? 0,
      ]
    }),
  }
}

/** Said of offers that cannot be awarded, whatever the requirements. */
export const NOT_COMPARABLE = 'No comparable price or volume'

/** The rank of offers without one: after all others. */
const UNRANKED = 1e9

/** The titles of the requirements that are hard in the report, of those given. */
const hardTitles = ({ report }: RfqLayout, names: readonly RequirementName[]) =>
  titlesOf(names.filter((name) => report.settings.requirements[name] === 'hard'))

/** Sets of failed requirements: whether offers that fail them are eligible at the levels on `Inputs`. */
export function groupColumns(layout: RfqLayout) {
  const { number, formula } = columnsOf<readonly RequirementName[], KeyOf<'groups'>>(layout.recommendation.groups)
  const isHard = (name: RequirementName) => `${requirementCell(name)}="hard"`
  return {
    group: number('Group', (_, index) => index + 1),
    eligible: formula('Eligible', style.centred, (names) => [
      names.length === 0 ? 'IF(TRUE,"yes")' : `IF(OR(${names.map(isHard).join(',')}),"no","yes")`,
      hardTitles(layout, names) === '' ? 'yes' : 'no',
    ]),
    unmet: formula('Hard requirements not met', style.body, (names) => {
      const titles = names.map((name) => `IF(${isHard(name)},${stringLiteral(REQUIREMENT_TITLES[name])},"")`)
      return [
        names.length === 0 ? 'IF(TRUE,"")' : `_xlfn.TEXTJOIN("; ",TRUE,${titles.join(',')})`,
        hardTitles(layout, names),
      ]
    }),
  }
}

/** The requirements with their levels on `Inputs`, and the awarded offers that do not meet them. */
export function requirementColumns(layout: RfqLayout) {
  const { recommendation: grids, failures, report } = layout
  const { isMember, numbers, tonnes } = referencesOf(layout)
  const { text, formula, arrayFormula } = columnsOf<RequirementSwitch, KeyOf<'requirements'>>(grids.requirements)
  const { award } = report.decision.recommendation
  const cellStyle = style.body
  const failing = (name: RequirementName, among: readonly Candidate[]) => {
    const unmet = among.filter(({ failed }) => failed.some((one) => one.name === name))
    return membersText({ sequences: unmet.map(({ offer }) => offer.sequence) })
  }
  const notRejected = failures.candidates.filter(({ reviewRejected }) => !reviewRejected)
  return {
    title: text('Requirement', ({ title }) => title, { style: cellStyle }),
    level: formula('Level', cellStyle, ({ name, level }) => [`${requirementCell(name)}&""`, level]),
    failing: text('Offers that do not meet it', ({ name }) => failing(name, failures.candidates), { style: cellStyle }),
    failingUnlessHard: text(
      'Counted unless hard',
      ({ name }) => failing(name, name === 'reviewAccepted' ? notRejected : failures.candidates),
      { style: cellStyle },
    ),
    unmet: arrayFormula('Awarded offers that do not meet it', cellStyle, ({ name }, at) => {
      const found = award?.unmet.find((one) => one.name === name)
      const unlessOff = (expression: string) => `IF(${at('level')}="off","",${expression})`
      if (name === AWARD_REQUIREMENT) {
        const exceeds = `AND(N(MaxVolume)>0,SUM(${tonnes})>N(MaxVolume)*(1+1E-9))`
        return [unlessOff(`IF(${exceeds},"${AS_A_WHOLE}","")`), found === undefined ? '' : AS_A_WHOLE]
      }
      const members = `IF(${at('level')}="hard",${at('failing')},${at('failingUnlessHard')})`
      const unmet = `IF(${isMember(members)},${numbers},"")`
      const list = `_xlfn.TEXTJOIN(", ",TRUE,IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,${unmet},""),""))`
      const ids = report.offers.filter(({ id }) => found?.offerIds.includes(id)).map(({ sequence }) => sequence)
      return [name === 'reviewNotRejected' ? list : unlessOff(list), ids.join(', ')]
    }),
  }
}

/** The award as a whole does not meet the requirement. */
const AS_A_WHOLE = 'award'

// --- awarded offers -------------------------------------------------------------------------------------------------

/** The rows of the table, from 0. */
export const AWARDED_ROWS = [...Array(MAX_AWARDED_ROWS).keys()]

/** The award contains the offer at any price. */
const ANY_PRICE = 'any price'

/** The awarded offers by number, each with the award without it and its break-even price. */
export const awardedColumns = oncePerLayout((layout) => {
  const { recommendation: grids, offers, numbers, money, price, inCurrency, perTonne, report } = layout
  const { formula, arrayFormula } = columnsOf<number, KeyOf<'awarded'>>(grids.awarded)
  const { award, breakEven, status } = report.decision.recommendation
  const { at: fact, numbers: numbersOf, solvedOf, tonnes } = referencesOf(layout)
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index + 1]))
  const isSolved = isSolvedAhead(report)
  const alternatives = isSolved ? currentEntry(report)?.alternatives : null
  /** A column that is empty in the rows after the last awarded offer. */
  const column = (
    header: string,
    cellStyle: style.Style,
    expression: (at: At<KeyOf<'awarded'>>, row: number) => string,
    cached: (offer: AwardedOffer, row: number) => CachedResult,
  ) =>
    formula(header, cellStyle, (row, at) => {
      const offer = award?.offers[row]
      return [`IF(${at('number')}="","",${expression(at, row)})`, offer === undefined ? '' : cached(offer, row)]
    })
  const pick = (range: string) => (at: At<KeyOf<'awarded'>>) => `INDEX(${range},${at('index')})`
  const position = (at: At<KeyOf<'awarded'>>) => `MATCH(${at('number')},${numbersOf},0)`
  const breakEvenOf = ({ offerId }: AwardedOffer): string | number => {
    const found = breakEven.find((one) => one.offerId === offerId)
    const known = found !== undefined && (status === 'award' || !isSolved)
    return known ? (found.breakEvenPricePerTonne ?? ANY_PRICE) : NO_FIGURE
  }
  return {
    index: column('Row', style.plainNumber, position, ({ offerId }) => indexes.get(offerId) ?? ''),
    number: arrayFormula('Offer no.', style.plainNumber, (row) => [
      `IFERROR(SMALL(IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,${numbersOf})),${row + 1}),"")`,
      award?.offers[row]?.sequence ?? '',
    ]),
    name: column(
      'Offer',
      style.body,
      (at) => {
        const [developer, project] = [pick(offers.range('developer'))(at), pick(offers.range('project'))(at)]
        const named = `${developer}&" · "&${project}`
        return `IF(OR(${developer}="",${project}=""),${pick(offers.range('label'))(at)}&"",${named})`
      },
      ({ name }) => name,
    ),
    tonnes: column('Tonnes', numbers.volume, pick(tonnes), (offer) => offer.tonnes),
    pricePerTonne: column(
      perTonne('Price per tonne'),
      price,
      pick(offers.range('comparedPricePerTonne')),
      (offer) => offer.pricePerTonne,
    ),
    total: column(inCurrency('Total'), money, pick(offers.range('comparedTotal')), (offer) => offer.total),
    alternative: column(
      'Award without it',
      style.plainNumber,
      (_at, row) => {
        const digits = `MID(${fact('alternatives')},${row * ALTERNATIVE_DIGITS + 1},${ALTERNATIVE_DIGITS})`
        const number = `IFERROR(VALUE(${digits}),"${NO_FIGURE}")`
        return `IF(OR(${ruleIs.bestScore},${fact('status')}<>"award"),"${NO_FIGURE}",${number})`
      },
      (_offer, row) => alternatives?.[row] ?? NO_FIGURE,
    ),
    alternativeTotal: column(
      'Its total',
      money,
      (at) => `IF(ISNUMBER(${at('alternative')}),${solvedOf('total', at('alternative'))},"")`,
      (_offer, row) => report.decision.switches.awards[alternatives?.[row] ?? -1]?.total ?? '',
    ),
    breakEven: formula(perTonne('Break-even price'), price, (row, at) => {
      const offer = award?.offers[row]
      const cached = offer === undefined ? '' : breakEvenOf(offer)
      const limited = `AND(NOT(${ruleIs.regardless}),${requirementCell('priceMax')}="hard",ISNUMBER(MaxPrice))`
      const equal = `(${at('total')}+${at('alternativeTotal')}-${fact('total')})/${at('tonnes')}`
      const solved = `IF(ISNUMBER(${at('alternativeTotal')}),IF(${limited},MIN(MaxPrice,${equal}),${equal}),IF(${limited},MaxPrice,"${ANY_PRICE}"))`
      const reported = isSolved ? `"${NO_FIGURE}"` : `IF(InputsChanged=0,${literal(cached)},"${NO_FIGURE}")`
      const known = `AND(NOT(${ruleIs.bestScore}),${fact('status')}="award",${fact('alternatives')}<>"")`
      return [`IF(${at('number')}="","",IF(${known},${solved},${reported}))`, cached]
    }),
  }
})
