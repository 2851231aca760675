import type { OfferNegotiation, PriceTarget } from '../../src/compare/decision/decision-model.js'
import { oneLine } from '../../src/core/clean-text.js'
import { formatTonnes } from '../../src/core/number-format.js'
import { type Column, columnsOf } from '../layout/columns.js'
import { bodyRow, GAP, headingRows, headRow, heightOf, keepTogether, right, textRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { dataRows, rowSheet } from '../layout/table-sheet.js'
import { termRows } from '../layout/text-sheet.js'
import { joinList } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, formula, number, text } from '../xlsx/cells.js'
import { OUTDATED } from './award-tonnes.js'
import type { RfqLayout } from './layout.js'

const NOTE =
  'What to ask each developer for. Prices are per tonne, all other offers unchanged. Current prices follow Inputs; the prices to reach were solved for the settings of this report.'
const WIDTHS = [58, 16, 16, 12, 112]
/** Columns of terms, questions and texts. */
const WORDS = [[1, WIDTHS.length - 1]] as const
/** The rows repeated on each page. */
const TITLE_ROWS = 2

/** An offer with what to negotiate. */
type NegotiatedOffer = ReturnType<typeof negotiatedOffers>[number]

/** `Negotiation`: the RFQ's additional requirements, what to ask each developer for, and the sign-off. */
export function negotiationSheet(layout: RfqLayout): SheetPlan {
  const all = negotiatedOffers(layout)
  const heading = headingRows(layout, 'Negotiation', NOTE)
  const top = [...heading, ...topRows(layout)]
  const blocks = [top, ...offerBlocks(layout, all, top.length + 1), signOffRows()]
  const rows = [...keepTogether(blocks, WIDTHS, heightOf(heading.slice(0, TITLE_ROWS), WIDTHS))]
  return rowSheet({
    name: 'Negotiation',
    widths: WIDTHS,
    rows: () => rows,
    data: () => dataRows(dataColumns(layout), all),
    frozen: { rows: TITLE_ROWS },
    print: { titleRows: [1, TITLE_ROWS] },
  })
}

/** Awarded offers first, then in the order of `Offers`. */
function negotiatedOffers({ report }: RfqLayout) {
  const { negotiation, offers: decisions, accepted } = report.decision
  const award = accepted === null ? 'In the recommended award' : 'Accepted'
  const all = report.offers.map((offer, index) => {
    const { awardedTonnes: tonnes = 0, why = null } = decisions[index] ?? {}
    // Tonnes in the award, or why it is not compliant.
    const status = tonnes > 0 ? `${award}: ${formatTonnes(tonnes)}.` : (why ?? 'Not awarded.')
    return { index, offer, status, awarded: tonnes > 0, negotiation: negotiation.offers[index] as OfferNegotiation }
  })
  return [...all.filter(({ awarded }) => awarded), ...all.filter(({ awarded }) => !awarded)]
}

function* topRows(layout: RfqLayout): Generator<RowPlan> {
  const { report } = layout
  const { negotiation } = report.decision
  const offers = report.offers.length
  yield GAP
  const requirements = negotiation.additionalRequirements ?? 'The RFQ states none.'
  yield* termRows([['Additional requirements of the RFQ', requirements]], WORDS)
  yield GAP
  if (offers === 0) yield textRow(layout.noOffers)
  const omitted = `Shown: ${negotiation.limit} of ${offers} offers, awarded ones first, then by rank. Terms and questions of all offers are in the JSON of the report.`
  if (offers > negotiation.limit) yield textRow(omitted)
}

function* offerBlocks(layout: RfqLayout, all: readonly NegotiatedOffer[], firstRow: number): Generator<RowPlan[]> {
  let row = firstRow
  for (const each of all.slice(0, layout.report.decision.negotiation.limit)) {
    const rows = [...offerRows(layout, each, row)]
    row += rows.length
    yield rows
  }
}

/** @param row number of the first row */
function* offerRows(layout: RfqLayout, { index, offer, negotiation, status }: NegotiatedOffer, row: number) {
  const { offers, numbers, price, perTonne, currency } = layout
  const { rankFirst, enterAward, terms, questions, ownCurrency } = negotiation
  const ownPrice = numbers.price(ownCurrency)
  // Only if it is not the comparison currency.
  const own = ownCurrency === currency ? null : ownCurrency
  const inOwn = (cell: Cell) => (own === null ? blank(style.body) : cell)
  const current = (key: 'comparedPricePerTonne' | 'pricePerTonne', cached: number | null, cellStyle: style.Style) => {
    const cell = offers.cell(key, index)
    return formula(`IF(ISNUMBER(${cell}),${cell},"")`, cached ?? '', cellStyle)
  }
  const now = row + 1
  const target = (title: string, { pricePerTonne, ownPricePerTonne, change, words }: PriceTarget, at: number) => {
    const needed = `IF(AND(ISNUMBER(B${at}),N(B${now})>0),IF(InputsChanged>0,"${OUTDATED}",B${at}/B${now}-1),"")`
    return bodyRow(
      text(title, style.boldWrapped),
      number(pricePerTonne, price),
      inOwn(number(ownPricePerTonne, ownPrice)),
      formula(needed, change ?? '', style.signedPercent),
      text(words, INDENTED),
    )
  }
  const heads = [perTonne('Price'), own === null ? '' : `${own}/t`, 'Change'].map(right)
  const head = headRow(`${negotiation.sequence} · ${negotiation.label}`, ...heads)
  yield { ...head, cells: [...head.cells, SETTINGS_NOTE] }
  yield bodyRow(
    text('Current price', style.boldWrapped),
    current('comparedPricePerTonne', negotiation.pricePerTonne, price),
    inOwn(current('pricePerTonne', offer.metrics.pricePerTonne, ownPrice)),
    blank(style.body),
    text(status, INDENTED),
  )
  yield target('To rank first', rankFirst, row + 2)
  yield target('To enter the cheapest compliant award', enterAward, row + 3)
  const entry = (title: string, words: readonly string[]) => [title, sentences(words)] as const
  const asked = terms.map(({ words }) => words)
  yield* termRows([entry('Terms to ask for', asked), entry('Clarification questions', questions)], WORDS)
  yield GAP
}

const indented = (cellStyle: style.Style) => ({ ...cellStyle, alignment: { ...cellStyle.alignment, indent: 1 } })
/** Whether the prices to reach are for the current inputs. */
const SETTINGS_NOTE = formula(
  'IF(InputsChanged>0,"For the settings of this report. For those on Inputs, run: "&ReportCommand,"In words")',
  'In words',
  indented(style.header),
)

const sentences = (words: readonly string[]) =>
  words.length === 0 ? 'None.' : words.map((one) => `• ${oneLine(one)}`).join('\n')

function signOffRows(): RowPlan[] {
  const entry = (label: string, cellStyle: style.Style, height?: number): RowPlan => ({
    cells: [text(label, style.boldBody), ...Array(WIDTHS.length - 1).fill(blank(style.asInput(cellStyle)))],
    merged: WORDS,
    ...(height !== undefined && { height }),
  })
  return [
    headRow('Sign-off', '', '', '', ''),
    entry('Decided by', style.wrapped),
    entry('Date', DATE_INPUT),
    entry('Remarks', style.wrapped, REMARKS_POINTS),
  ]
}

const INDENTED = indented(style.wrapped)
const DATE_INPUT = { ...style.calendarDate, alignment: { horizontal: 'left' } } satisfies style.Style
const REMARKS_POINTS = 60

/** One row per offer, for CSV. */
function dataColumns({ perTonne }: RfqLayout): Column<NegotiatedOffer>[] {
  const { text, number } = columnsOf<NegotiatedOffer>()
  const joined = (words: readonly string[]) => joinList(words, ' ')
  const target = (title: string, key: 'rankFirst' | 'enterAward') => [
    number(perTonne(title), ({ negotiation }) => negotiation[key].pricePerTonne),
    number(`${title}, own currency`, ({ negotiation }) => negotiation[key].ownPricePerTonne),
    number(`${title}: change needed`, ({ negotiation }) => negotiation[key].change),
    text(`${title}, in words`, ({ negotiation }) => negotiation[key].words),
  ]
  return [
    number('Offer no.', ({ negotiation }) => negotiation.sequence),
    text('Offer', ({ negotiation }) => negotiation.label),
    text('Award', ({ status }) => status),
    number(perTonne('Price per tonne'), ({ negotiation }) => negotiation.pricePerTonne),
    text('Own currency', ({ negotiation }) => negotiation.ownCurrency),
    number('Price per tonne, own currency', ({ offer }) => offer.metrics.pricePerTonne),
    ...target('Price to rank first', 'rankFirst'),
    ...target('Price to enter the cheapest compliant award', 'enterAward'),
    text('Terms to ask for', ({ negotiation }) => joined(negotiation.terms.map(({ words }) => words))),
    text('Clarification questions', ({ negotiation }) => joined(negotiation.questions)),
  ]
}
