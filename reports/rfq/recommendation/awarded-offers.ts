import { currentEntry, isSolvedAhead } from '../../../src/domain/comparison/decision/current-entry.js'
import type { AwardedOffer } from '../../../src/domain/comparison/decision/decision-model.js'
import { NO_FIGURE } from '../../layout/cell-text.js'
import { type At, type Columns, columnsOf } from '../../layout/columns.js'
import { withCurrency } from '../../layout/wording.js'
import * as style from '../../xlsx/cell-styles.js'
import type { CachedResult } from '../../xlsx/cells.js'
import { requirementCell } from '../inputs.js'
import type { RfqLayout } from '../layout.js'
import {
  type AwardedKey,
  BEST_SCORE,
  type FactKey,
  factCell,
  literal,
  MAX_AWARDED_ROWS,
  REGARDLESS,
} from './recommendation-grids.js'
import { ALTERNATIVE_DIGITS } from './solved-awards.js'

/** The rows of the table, from 0. */
export const AWARDED_ROWS = [...Array(MAX_AWARDED_ROWS).keys()]

/** The award contains the offer at any price. */
const ANY_PRICE = 'any price'

/** The awarded offers by number, each with the award without it and its break-even price. */
export function awardedColumns(layout: RfqLayout): Columns<number, AwardedKey> {
  const { recommendation: grids, offers, numbers, currency, report } = layout
  const { formula, arrayFormula } = columnsOf<number, AwardedKey>(grids.awarded)
  const { award, breakEven, status } = report.decision.recommendation
  const fact = (key: FactKey) => factCell(layout, key)
  const [numbersOf, tonnes] = [grids.offers.range('offer'), grids.offers.range('tonnes')]
  const indexes = new Map(report.offers.map(({ id }, index) => [id, index + 1]))
  const isSolved = isSolvedAhead(report)
  const alternatives = isSolved ? currentEntry(report)?.alternatives : null
  const money = numbers.money(currency)
  const price = numbers.price(currency)
  /** A column that is empty in the rows after the last awarded offer. */
  const column = (
    header: string,
    look: style.Style,
    expression: (at: At<AwardedKey>, row: number) => string,
    cached: (offer: AwardedOffer, row: number) => CachedResult,
  ) =>
    formula(header, look, (row, at) => {
      const offer = award?.offers[row]
      return [`IF(${at('number')}="","",${expression(at, row)})`, offer === undefined ? '' : cached(offer, row)]
    })
  const pick = (range: string) => (at: At<AwardedKey>) => `INDEX(${range},${at('index')})`
  const breakEvenOf = ({ offerId }: AwardedOffer): string | number => {
    const found = breakEven.find((one) => one.offerId === offerId)
    const known = found !== undefined && (status === 'award' || !isSolved)
    return known ? (found.breakEvenPricePerTonne ?? ANY_PRICE) : NO_FIGURE
  }
  return {
    index: column(
      'Row',
      style.plainNumber,
      (at) => `MATCH(${at('number')},${numbersOf},0)`,
      ({ offerId }) => indexes.get(offerId) ?? '',
    ),
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
      withCurrency('Price per tonne', currency, '/t'),
      price,
      pick(offers.range('comparedPricePerTonne')),
      (offer) => offer.pricePerTonne,
    ),
    total: column(withCurrency('Total', currency), money, pick(offers.range('comparedTotal')), (offer) => offer.total),
    alternative: column(
      'Award without it',
      style.plainNumber,
      (_at, row) => {
        const digits = `MID(${fact('alternatives')},${row * ALTERNATIVE_DIGITS + 1},${ALTERNATIVE_DIGITS})`
        const number = `IFERROR(VALUE(${digits}),"${NO_FIGURE}")`
        return `IF(OR(${BEST_SCORE},${fact('status')}<>"award"),"${NO_FIGURE}",${number})`
      },
      (_offer, row) => alternatives?.[row] ?? NO_FIGURE,
    ),
    alternativeTotal: column(
      'Its total',
      money,
      (at) => `IF(ISNUMBER(${at('alternative')}),INDEX(${grids.solved.range('total')},N(${at('alternative')})+1),"")`,
      (_offer, row) => report.decision.switches.awards[alternatives?.[row] ?? -1]?.total ?? '',
    ),
    breakEven: formula(withCurrency('Break-even price', currency, '/t'), price, (row, at) => {
      const offer = award?.offers[row]
      const cached = offer === undefined ? '' : breakEvenOf(offer)
      const limited = `AND(NOT(${REGARDLESS}),${requirementCell('priceMax')}="hard",ISNUMBER(MaxPrice))`
      const equal = `(${at('total')}+${at('alternativeTotal')}-${fact('total')})/${at('tonnes')}`
      const solved = `IF(ISNUMBER(${at('alternativeTotal')}),IF(${limited},MIN(MaxPrice,${equal}),${equal}),IF(${limited},MaxPrice,"${ANY_PRICE}"))`
      const reported = isSolved ? `"${NO_FIGURE}"` : `IF(InputsChanged=0,${literal(cached)},"${NO_FIGURE}")`
      const known = `AND(NOT(${BEST_SCORE}),${fact('status')}="award",${fact('alternatives')}<>"")`
      return [`IF(${at('number')}="","",IF(${known},${solved},${reported}))`, cached]
    }),
  }
}
