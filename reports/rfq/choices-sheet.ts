import type { Choice } from '../../src/compare/decision/decision-model.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { round6, sum } from '../../src/core/numbers.js'
import { awardedTonnesOf } from '../../src/tables/rfq/rfq-view.js'
import { type Columns, columnsOf } from '../layout/columns.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, number, text as textCell } from '../xlsx/cells.js'
import type { Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import type { RfqLayout } from './layout.js'

const NOTE = 'Sets of whole offers that no other set beats: none has at least as many tonnes for less, unless marked.'
const WIDTHS = [11, 58, 18, 13, 16, 15, 18, 16, 14, 30]

/** `Choices`: the awards worth a look, and a calculator of other ones. */
export const choicesSheet =
  (layout: RfqLayout): WriteSheet =>
  (add) => {
    const sheet = add({ widths: WIDTHS, frozen: { rows: 2 } }).addHeading('Choices', layout.subject, NOTE)
    sheet.addTable(choiceColumns(layout), layout.report.decision.choices)
    sheet.addSection('Calculator: mark offers with an x')
    addCalculator(sheet, layout)
  }

const KINDS: Record<Choice['kind'], string> = {
  efficient: 'efficient',
  recommended: 'recommended',
  waived: 'waived requirement',
}

/** The columns of choices that `Summary` shows, too. */
export function briefChoiceColumns({ tonnes, inCurrency, perTonne }: RfqLayout) {
  const { text, number } = columnsOf<Choice>()
  const highlighted = (its: style.Style) => (choice: Choice) => (choice.isRecommended ? style.asGood(its) : its)
  return {
    offers: text('Offers', ({ award }) => award.offers.map((offer) => offer.number).join(', ')),
    award: text('Award', ({ title }) => title, { style: highlighted(style.wrapped) }),
    kind: text('Kind', ({ kind, isRecommended }) => KINDS[isRecommended ? 'recommended' : kind]),
    tonnes: number('Tonnes', ({ award }) => award.tonnes, tonnes),
    total: number(inCurrency('Total'), ({ award }) => award.total, style.total),
    price: number(perTonne('Price'), ({ award }) => award.pricePerTonne, style.asBold(style.price)),
  } satisfies Columns<Choice>
}

function choiceColumns(layout: RfqLayout): Columns<Choice> {
  const { tonnes, perTonne, report } = layout
  const { text, number } = columnsOf<Choice>()
  return {
    ...briefChoiceColumns(layout),
    extra: number('Extra tonnes, against the row before', ({ extra }) => extra?.tonnes, tonnes),
    extraPrice: number(perTonne('Price of extra tonnes'), ({ extra }) => extra?.pricePerTonne, style.price),
    difference: number(perTonne('Difference'), ({ perTonneDifference: by }) => by, style.signedPrice),
    notes: text('Notes', ({ notes }) => notes.join('; ')),
    ...(report.settings.priceBasis !== 'quoted' && {
      cost: number(perTonne('Present value'), ({ award }) => award.costPerTonne, style.price),
    }),
  }
}

/** The offers that can be compared, and what the marked ones have together, against the RFQ and the recommendation. */
function addCalculator(sheet: Sheet, layout: RfqLayout): void {
  const { report, tonnes } = layout
  const { awardedTonnes: recommended, recommendation } = report.decision
  const offers = report.offers.filter(({ metrics, compared }) => metrics.volume !== null && compared.total !== null)
  const awarded = awardedTonnesOf(report)
  const [first, last] = [sheet.next + 1, sheet.next + offers.length]
  sheet.addTable(calculatorColumns(layout, awarded), offers)
  if (offers.length === 0) return
  const marked = figuresOf(offers.filter(({ id }) => (awarded[id] ?? 0) > 0))
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
  const { minVolume: min, maxVolume: max, comparedMaxUnitPrice: limit } = report.rfq
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

function calculatorColumns(layout: RfqLayout, awarded: Readonly<Record<string, number>>): Columns<OfferReport> {
  const { tonnes, inCurrency, perTonne, nameOf } = layout
  const { text, number, cells } = columnsOf<OfferReport>()
  return {
    number: number('No.', ({ sequence }) => sequence, style.leftNumber),
    name: text('Offer', nameOf),
    mark: cells('Mark', ({ id }) => ({ ...textCell((awarded[id] ?? 0) > 0 ? 'x' : null, MARK), choices: 'x' }), MARK),
    volume: number('Tonnes', ({ metrics }) => metrics.volume, tonnes),
    total: number(inCurrency('Total'), ({ compared }) => compared.total, style.total),
    price: number(perTonne('Price'), ({ compared }) => compared.pricePerTonne, style.price),
    standing: text('Standing', ({ standing }) => standing.replace('-', ' ')),
  }
}

/** What offers have together. */
function figuresOf(offers: readonly OfferReport[]) {
  const volume = sum(offers.map(({ metrics }) => metrics.volume ?? 0))
  const total = sum(offers.map(({ compared }) => compared.total ?? 0))
  return { volume, total, price: volume > 0 ? total / volume : null }
}
