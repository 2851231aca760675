import type { AwardedOffer } from '../../../src/domain/comparison/decision/decision-model.js'
import type { OfferReport } from '../../../src/domain/comparison/offer/offer-report-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { cleanText } from '../../layout/clean-text.js'
import { type Columns, columnsOf } from '../../layout/columns.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import type { CachedResult } from '../../xlsx/cells.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout } from '../layout.js'
import { BEST_SCORE, factCell, literal, REGARDLESS } from './recommendation-facts.js'
import { type AwardedKey, type FactKey, MAX_AWARDED_ROWS } from './recommendation-grids.js'
import { ALTERNATIVE_DIGITS, currentEntry, isSolvedAhead } from './solved-awards.js'

/** The rows of the table, from 0. */
export const AWARDED_ROWS = [...Array(MAX_AWARDED_ROWS).keys()]

/** The awarded offers by number, each with the award without it and its break-even price. */
export function awardedColumns(layout: RfqLayout): Columns<number, AwardedKey> {
  const { recommendation: grids, offers, scoring, numbers, currency, report } = layout
  const { formula, arrayFormula, number } = columnsOf<number, AwardedKey>(grids.awarded)
  const { award } = report.decision.recommendation
  const fact = (key: FactKey) => factCell(layout, key)
  const [numbersOf, tonnes] = [grids.offers.range('offer'), grids.offers.range('tonnes')]
  const ifAwarded = (at: (key: AwardedKey) => string, expression: string) => `IF(${at('number')}="","",${expression})`
  const cached = (row: number, value: (offer: AwardedOffer) => CachedResult): CachedResult => {
    const offer = award?.offers[row]
    return offer === undefined ? '' : value(offer)
  }
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index + 1]))
  const byId = new Map(report.offers.map((offer) => [offer.id, offer]))
  const pickFrom = (range: string, at: (key: AwardedKey) => string) => `INDEX(${range},${at('index')})`
  const alternatives = currentEntry(layout)?.alternatives
  const isSolved = isSolvedAhead(layout)
  const alternativeOf = (row: number): number | null => (isSolved ? (alternatives?.[row] ?? null) : null)
  const alternativeTotal = (row: number) => report.decision.switches.awards[alternativeOf(row) ?? -1]?.total ?? null
  return {
    position: number('No.', (row) => row + 1),
    index: formula('Row', style.plainNumber, (row, at) => [
      ifAwarded(at, `MATCH(${at('number')},${numbersOf},0)`),
      cached(row, ({ offerId }) => indexes.get(offerId) ?? ''),
    ]),
    number: arrayFormula('Offer no.', style.plainNumber, (row) => [
      `IFERROR(SMALL(IF(ISNUMBER(${tonnes}),IF(${tonnes}>0,${numbersOf})),${row + 1}),"")`,
      cached(row, ({ sequence }) => sequence),
    ]),
    name: formula('Offer', style.body, (row, at) => {
      const [developer, project] = [pickFrom(offers.range('developer'), at), pickFrom(offers.range('project'), at)]
      const named = `IF(OR(${developer}="",${project}=""),${pickFrom(offers.range('label'), at)}&"",${developer}&" · "&${project})`
      return [ifAwarded(at, named), cached(row, ({ offerId }) => nameText(byId.get(offerId)))]
    }),
    tonnes: formula('Tonnes', numbers.volume, (row, at) => [
      ifAwarded(at, pickFrom(tonnes, at)),
      cached(row, (offer) => offer.tonnes),
    ]),
    pricePerTonne: formula(withCurrency('Price per tonne', currency, '/t'), numbers.price(currency), (row, at) => [
      ifAwarded(at, pickFrom(offers.range('comparedPricePerTonne'), at)),
      cached(row, (offer) => offer.pricePerTonne),
    ]),
    total: formula(withCurrency('Total', currency), numbers.money(currency), (row, at) => [
      ifAwarded(at, pickFrom(grids.offers.range('total'), at)),
      cached(row, (offer) => offer.total),
    ]),
    score: formula('Score', style.oneDecimal, (row, at) => {
      const score = pickFrom(scoring.range('total'), at)
      return [
        ifAwarded(at, `IF(ISNUMBER(${score}),${score},"${NO_FIGURE}")`),
        cached(row, (one) => one.score ?? NO_FIGURE),
      ]
    }),
    alternative: formula('Award without it', style.plainNumber, (row, at) => {
      const digits = `MID(${fact('alternatives')},${row * ALTERNATIVE_DIGITS + 1},${ALTERNATIVE_DIGITS})`
      const solved = `IF(OR(${BEST_SCORE},${fact('status')}<>"award"),"${NO_FIGURE}",IFERROR(VALUE(${digits}),"${NO_FIGURE}"))`
      return [ifAwarded(at, solved), cached(row, () => alternativeOf(row) ?? NO_FIGURE)]
    }),
    alternativeTotal: formula('Its total', numbers.money(currency), (row, at) => {
      const total = `INDEX(${grids.solved.range('total')},N(${at('alternative')})+1)`
      return [
        ifAwarded(at, `IF(ISNUMBER(${at('alternative')}),${total},"")`),
        cached(row, () => alternativeTotal(row) ?? ''),
      ]
    }),
    breakEven: formula(withCurrency('Break-even price', currency, '/t'), numbers.price(currency), (row, at) => {
      const limited = `AND(NOT(${REGARDLESS}),${requirementCell('priceMax')}="hard",ISNUMBER(MaxPrice))`
      const max = `IF(${limited},MaxPrice,"${ANY_PRICE}")`
      const price = `(${at('total')}+${at('alternativeTotal')}-${fact('total')})/${at('tonnes')}`
      const solved = `IF(ISNUMBER(${at('alternativeTotal')}),IF(${limited},MIN(MaxPrice,${price}),${price}),${max})`
      const shown = cached(row, (offer) => cachedBreakEven(layout, offer, row))
      const reported = isSolved
        ? `"${NO_FIGURE}"`
        : `IF(InputsChanged=0,${literal(shown as number | string)},"${NO_FIGURE}")`
      const known = `AND(NOT(${BEST_SCORE}),${fact('status')}="award",${fact('alternatives')}<>"")`
      return [ifAwarded(at, `IF(${known},${solved},${reported})`), shown]
    }),
  }
}

/** The award contains the offer at any price. */
const ANY_PRICE = 'any price'

function cachedBreakEven(layout: RfqLayout, offer: AwardedOffer, row: number): number | string {
  const { decision, settings, rfq } = layout.report
  const { recommendation, rule, switches } = decision
  if (!isSolvedAhead(layout)) {
    const found = recommendation.breakEven.find(({ offerId }) => offerId === offer.offerId)
    return found === undefined ? NO_FIGURE : (found.breakEvenPricePerTonne ?? ANY_PRICE)
  }
  if (recommendation.status !== 'award') return NO_FIGURE
  const isLimited = rule !== 'cheapest-regardless' && settings.requirements.priceMax === 'hard'
  const max = isLimited ? rfq.comparedMaxUnitPrice : null
  const alternative = currentEntry(layout)?.alternatives?.[row] ?? null
  if (alternative === null) return max ?? ANY_PRICE
  const without = switches.awards[alternative]?.total ?? 0
  const price = (offer.total + without - (recommendation.award?.total ?? 0)) / offer.tonnes
  return max === null ? price : Math.min(max, price)
}

function nameText(offer: OfferReport | undefined): string {
  if (offer === undefined) return ''
  const [developer, project] = [cleanText(offer.developer), cleanText(offer.project)]
  return developer === '' || project === '' ? cleanText(offer.label) : `${developer} · ${project}`
}
