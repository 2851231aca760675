import type { Choice } from '../../src/compare/decision/decision-model.js'
import { round6, sum } from '../../src/core/numbers.js'
import { OFFER_COLUMNS, type OfferView } from '../../src/tables/offer/offer-view.js'
import { CHOICE_COLUMNS } from '../../src/tables/rfq/choice-columns.js'
import type { Columns } from '../layout/columns.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, number, text as textCell } from '../xlsx/cells.js'
import type { Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { pick, type RfqLayout, tableColumns, withStyle } from './layout.js'

const NOTE = 'Sets of whole offers that no other set beats: none has at least as many tonnes for less, unless marked.'
const WIDTHS = [11, 58, 18, 13, 16, 15, 18, 16, 30, 14, 14]

/** `Choices`: the awards worth a look, and a calculator of other ones. */
export const choicesSheet =
  (layout: RfqLayout): WriteSheet =>
  (add) => {
    const sheet = add({ widths: WIDTHS, frozen: { rows: 2 } }).addHeading('Choices', layout.subject, NOTE)
    const { choices } = layout.view.decision
    sheet.addTable(choiceColumns(choices), choices)
    sheet.addSection('Calculator: mark offers with an x')
    addCalculator(sheet, layout)
  }

/** The columns of the awards to choose from, of which the recommended one is marked. */
export function choiceColumns(choices: readonly Choice[]): Columns<Choice> {
  const columns = tableColumns(CHOICE_COLUMNS, choices)
  const { award } = columns
  return award === undefined
    ? columns
    : { ...columns, award: withStyle(award, style.asGood, ({ isRecommended }) => isRecommended) }
}

/** The offers that can be compared, and what the marked ones have together, against the RFQ and the recommendation. */
function addCalculator(sheet: Sheet, layout: RfqLayout): void {
  const { view } = layout
  const { awardedTonnes: recommended, recommendation } = view.decision
  const offers = view.offers.filter(({ metrics, compared }) => metrics.volume !== null && compared.total !== null)
  const tonnes = style.volumeStyle([
    ...offers.map(({ metrics }) => metrics.volume),
    view.rfq.minVolume,
    view.rfq.maxVolume,
  ])
  const [first, last] = [sheet.next + 1, sheet.next + offers.length]
  sheet.addTable(calculatorColumns(offers), offers)
  if (offers.length === 0) return
  const marked = figuresOf(offers.filter(({ awardedTonnes }) => awardedTonnes > 0))
  const row = sheet.next
  const sumOf = (letter: string) => `SUMIF($C$${first}:$C$${last},"x",${letter}${first}:${letter}${last})`
  /** Figures below the columns of tonnes, total and price, and what they mean. */
  const add = (name: string, figures: readonly Cell[], verdict = blank(style.body)) =>
    sheet.add([blank(style.body), textCell(name, style.boldBody), blank(style.body), ...figures, verdict])
  /** Whether the marked offers are on the wrong side of a limit in the row that is written next. */
  const check = (column: string, sign: '<' | '>', isWrong: boolean, [wrong, right]: readonly [string, string]) => {
    const difference = `ROUND(${column}${row}-${column}${sheet.next},6)`
    const verdict = marked.price === null ? '' : isWrong ? wrong : right
    return formula(`IF(D${row}=0,"",IF(${difference}${sign}0,"${wrong}","${right}"))`, verdict, style.body)
  }
  add('Marked offers', [
    formula(sumOf('D'), marked.volume, style.asBold(tonnes)),
    formula(sumOf('E'), marked.total, style.asBold(style.total)),
    formula(`IF(D${row}>0,E${row}/D${row},"")`, marked.price ?? '', style.asBold(style.price)),
  ])
  const { minVolume: min, maxVolume: max, comparedMaxUnitPrice: limit } = view.rfq
  const price = marked.price ?? 0
  const none = [blank(style.body), blank(style.body)]
  if (min !== null)
    add(
      'Minimum',
      [number(min, tonnes), ...none],
      check('D', '<', round6(marked.volume - min) < 0, ['below', 'reached']),
    )
  if (max !== null)
    add(
      'Maximum',
      [number(max, tonnes), ...none],
      check('D', '>', round6(marked.volume - max) > 0, ['above', 'within']),
    )
  if (limit !== null)
    add(
      'Price limit',
      [...none, number(limit, style.price)],
      check('F', '>', round6(price - limit) > 0, ['above', 'within']),
    )
  const reference = figuresOf(offers.filter(({ id }) => (recommended[id] ?? 0) > 0))
  if (reference.price === null) return
  const at = sheet.next
  add(recommendation.accepted === null ? 'Recommended offers' : 'Accepted and recommended offers', [
    number(reference.volume, tonnes),
    number(reference.total, style.total),
    number(reference.price, style.price),
  ])
  const priceDifference = marked.price === null ? '' : marked.price - reference.price
  add('Difference', [
    formula(`D${row}-D${at}`, marked.volume - reference.volume, style.signedInteger),
    formula(`E${row}-E${at}`, marked.total - reference.total, style.signedInteger),
    formula(`IF(D${row}>0,F${row}-F${at},"")`, priceDifference, style.signedPrice),
  ])
}

const MARK = style.asInput(style.centred)

function calculatorColumns(offers: readonly OfferView[]): Columns<OfferView> {
  const columns = tableColumns(OFFER_COLUMNS, offers)
  const mark = ({ awardedTonnes }: OfferView) => ({ ...textCell(awardedTonnes > 0 ? 'x' : null, MARK), choices: 'x' })
  return {
    ...pick(columns, 'number', 'offer'),
    mark: { header: 'Mark', right: false, cell: mark },
    ...pick(columns, 'tonnes', 'total', 'price', 'standing'),
  }
}

/** What offers have together. */
function figuresOf(offers: readonly OfferView[]) {
  const volume = sum(offers.map(({ metrics }) => metrics.volume ?? 0))
  const total = sum(offers.map(({ compared }) => compared.total ?? 0))
  return { volume, total, price: volume > 0 ? total / volume : null }
}
