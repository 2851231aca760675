import type { Choice, ExcludedOffer } from '../../src/compare/decision/decision-model.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { columnsOf } from '../layout/columns.js'
import { here, is, mark } from '../layout/marks.js'
import { emptyRows, fitsOnePage, headingRows, RowList, sectionRow, textRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet, tableRows } from '../layout/table-sheet.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, text as textCell } from '../xlsx/cells.js'
import type { RfqLayout } from './layout.js'
import { isShortened, kindText, RECOMMENDED } from './summary-sheet.js'

const NOTE =
  'Sets of whole offers that no other set beats: none has at least as many tonnes for less. Solved with the settings of this report. Prices are compared per tonne; totals of different tonnages are not.'
const WIDTHS = [6, 46, 17, 13, 17, 15, 15, 18, 18, 16, 46]
/** Columns of a text: all but the first. */
const TEXT = [[1, WIDTHS.length - 1]] as const
/** Letters of the columns in the table of the reader's own award. */
const OWN = { offered: 'D', price: 'E', tonnes: 'F', total: 'G', check: 'H' } as const

/** `Choices`: the awards worth a look, an award entered by hand, the offers that do not compete, and savings. */
export function choicesSheet(layout: RfqLayout): SheetPlan {
  const { report } = layout
  const { choices, excluded, savings, recommendation } = report.decision
  const list = new RowList().add(...headingRows(layout, 'Choices', NOTE)).addSection('Choices')
  const first = list.next + 1
  if (choices.length === 0) list.add(textRow('No award can be made of the offers.'))
  else list.add(...choiceRows(layout))
  const lastChoice = list.next - 1
  list.add(...sentences('What to check before signing', recommendation.conditions))
  list.add(...sentences('What would change the award', recommendation.changes))
  const ownTitle = [...emptyRows(1), sectionRow('Your own award: enter tonnes in the yellow cells')]
  const own = ownAward(layout, list.next + ownTitle.length)
  list.add(...ownTitle, ...own.rows)
  list.addSection('Offers that do not compete')
  if (excluded.length === 0) list.add(textRow('None: every offer competes.'))
  else list.add(...excludedRows(excluded))
  if (savings !== null) list.addSection('Savings').add(paragraph(savings.message))
  return rowSheet({
    name: 'Choices',
    widths: WIDTHS,
    rows: () => list.rows,
    frozen: { rows: 2 },
    marks: [
      ...(choices.length === 0
        ? []
        : [mark(`A${first}:I${lastChoice}`, is({ column: 'C' }, '=', RECOMMENDED), 'good')]),
      ...own.marks,
    ],
    print: { titleRows: [1, 2], onePage: fitsOnePage(list.rows, WIDTHS) },
  })
}

function* choiceRows(layout: RfqLayout): Generator<RowPlan> {
  const columns = choiceColumns(layout)
  // Notes fill the rest of the row.
  const merged = columns.length < WIDTHS.length ? [[columns.length - 1, WIDTHS.length - 1] as const] : []
  for (const row of tableRows(columns, layout.report.decision.choices)) yield { ...row, merged }
}

function choiceColumns({ numbers, money, price, inCurrency, perTonne, report }: RfqLayout) {
  const { text, number } = columnsOf<Choice>()
  const { priceBasis } = report.settings
  const signed = style.withNumberFormat(price, '+#,##0.00;-#,##0.00;0.00')
  return [
    text('Offer no.', ({ award }) => award.offers.map((offer) => offer.number).join(', ')),
    text('Award', ({ title }) => title, { style: style.boldWrapped }),
    text('Kind', kindText),
    number('Tonnes', ({ award }) => award.tonnes, numbers.volume),
    number(inCurrency('Total'), ({ award }) => award.total, money),
    number(perTonne('Price per tonne'), ({ award }) => award.pricePerTonne, style.asBold(price)),
    ...(priceBasis === 'quoted'
      ? []
      : [number(perTonne('Cost per tonne, present value'), ({ award }: Choice) => award.costPerTonne, price)]),
    number('Extra tonnes against the row before', ({ extra }) => extra?.tonnes, numbers.volume),
    number(perTonne('Price of the extra tonnes'), ({ extra }) => extra?.pricePerTonne, price),
    number(perTonne('Difference to the recommended price'), ({ perTonneDifference }) => perTonneDifference, signed),
    text('Notes', ({ notes }) => notes.join('; '), { style: style.afterNumber }),
  ]
}

/** Notes; Summary shows only the first. */
function* sentences(title: string, all: readonly string[]): Generator<RowPlan> {
  if (!isShortened(all)) return
  yield* new RowList().addSection(title).rows
  for (const one of all) yield paragraph(one)
}

const paragraph = (message: string): RowPlan => ({
  cells: [undefined, textCell(message, style.wrapped)],
  merged: TEXT,
})

function* excludedRows(excluded: readonly ExcludedOffer[]): Generator<RowPlan> {
  const { text, number } = columnsOf<ExcludedOffer>()
  const columns = [
    number('No.', (offer) => offer.number),
    text('Offer', ({ name }) => name, { style: style.boldWrapped }),
    text('Reason', ({ message }) => message),
  ]
  for (const row of tableRows(columns, excluded)) yield { ...row, merged: [[2, WIDTHS.length - 1]] }
}

/** A table of the offers that can be compared, with a column of tonnes to enter and what they cost. @param row of its headers */
function ownAward(layout: RfqLayout, row: number) {
  const { report, numbers, money, price, inCurrency, perTonne, nameOf } = layout
  const comparable = report.offers.filter(({ metrics, compared }) => metrics.volume !== null && compared.cost !== null)
  if (comparable.length === 0) return { rows: [textRow('No offer can be compared.')], marks: [] }
  const { text, cells, number, formula: figures } = columnsOf<OfferReport>()
  const [first, last] = [row + 1, row + comparable.length]
  const at = (letter: keyof typeof OWN, index: number) => `${OWN[letter]}${first + index}`
  const columns = [
    number('No.', (offer) => offer.sequence),
    text('Offer', (offer) => nameOf(offer).replace(/^\d+ · /, ''), { style: style.boldWrapped }),
    text('Standing', (offer) => offer.standing.replace('-', ' ')),
    number('Offered (t)', ({ metrics }) => metrics.volume, numbers.volume),
    number(perTonne('Price per tonne'), ({ compared }) => compared.pricePerTonne, price),
    cells('Your tonnes', () => blank(style.asInput(numbers.volume)), { style: numbers.volume }),
    figures(inCurrency('Total of your tonnes'), money, (_offer, _at, index) => [
      `N(${at('tonnes', index)})*${at('price', index)}`,
      0,
    ]),
    figures('Check', style.wrapped, (_offer, _at, index) => {
      const [tonnes, offered] = [at('tonnes', index), at('offered', index)]
      return [`IF(N(${tonnes})<0,"${INVALID}",IF(N(${tonnes})>${offered},"${TOO_MANY}",""))`, '']
    }),
  ]
  const sum = (letter: string) => `SUM(${letter}${first}:${letter}${last})`
  const total: (Cell | undefined)[] = [
    blank(style.boldBody),
    textCell('Your award', style.boldBody),
    blank(style.boldBody),
    blank(style.boldBody),
    formula(`IF(${sum(OWN.tonnes)}>0,${sum(OWN.total)}/${sum(OWN.tonnes)},"")`, '', style.asBold(price)),
    formula(sum(OWN.tonnes), 0, style.asBold(numbers.volume)),
    formula(sum(OWN.total), 0, style.asBold(money)),
    blank(style.boldBody),
  ]
  const checks = `${OWN.check}${first}:${OWN.check}${last}`
  return {
    rows: [...tableRows(columns, comparable), { cells: total }],
    marks: [mark(checks, is(here, '=', TOO_MANY), 'warn'), mark(checks, is(here, '=', INVALID), 'bad')],
  }
}
const [INVALID, TOO_MANY] = ['invalid', 'more than offered']
