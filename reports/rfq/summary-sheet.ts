import { extraText } from '../../src/compare/decision/choices.js'
import type { Choice } from '../../src/compare/decision/decision-model.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { rankedBy } from '../../src/compare/report/report-notes.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { oneLine } from '../../src/core/text/clean-text.js'
import { formatAmount, formatCount, formatPrice, formatRange, truncate } from '../../src/core/text/number-format.js'
import { NOT_MET_TITLE, notMetText, type OfferView } from '../../src/views/offer/offer-view.js'
import { columnsOf } from '../layout/columns.js'
import { is, type Mark, mark } from '../layout/marks.js'
import { emptyCells, GAP, RowList, sectionRow, subjectRow } from '../layout/rows.js'
import type { RowPlan, SheetPlan } from '../layout/sheet-plan.js'
import { rowSheet, tableRows } from '../layout/table-sheet.js'
import { truncateToLines } from '../layout/text-metrics.js'
import { codeLabel, codeList, freshnessLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { blank, type Cell, sheetLink, text } from '../xlsx/cells.js'
import { type RfqLayout, rfqName } from './layout.js'

/** Column units: number, name, status, figures and texts of the tables. */
const WIDTHS = [8, 46, 17, 12, 16, 14, 28, 76]
const TEXT_WIDTH = WIDTHS.at(-1) as number
/** First columns of the three lists, counted from 0. */
const LISTS = [0, 3, 7] as const
/** Rows of each part, so that all fit on the page. */
const [MAX_SENTENCES, MAX_CHOICES, MAX_OFFERS, MAX_QUESTIONS] = [6, 8, 12, 4]
const CELL_LINES = 5

/** `Summary`: one page that says whom to award, why, and what could change that. */
export function summarySheet(layout: RfqLayout, sheets: readonly string[]): SheetPlan {
  const { report } = layout
  const list = new RowList().add(...topRows(report))
  if (report.offers.length === 0) {
    list.add(GAP, ...decisionRows(layout))
    return page(list, [])
  }
  list.add(...decisionRows(layout), GAP)
  const choices = [...choiceRows(layout)]
  const firstChoice = list.next + 2
  list.add(...choices)
  const firstOffer = list.next + 2
  list.add(...offerRows(layout), GAP, ...questionRows(layout))
  list.add(GAP, { cells: [undefined, ...sheets.map((sheet) => sheetLink(sheet, sheet, style.link))] })
  const row = (at: number, text: string) => is({ column: 'C', row: at }, '=', text)
  const awarded = shownOffers(report).flatMap((offer, at) => {
    const status = statusText(layout, offer)
    return isAwarded(layout, offer.id) ? [{ at: firstOffer + at, status }] : []
  })
  return page(list, [
    ...(choices.length === 0
      ? []
      : [mark(`A${firstChoice}:G${firstChoice + MAX_CHOICES}`, is({ column: 'C' }, '=', RECOMMENDED), 'good')]),
    ...awarded.map(({ at, status }) => mark(`A${at}:G${at}`, row(at, status), 'good')),
  ])
}

const page = ({ rows }: RowList, marks: readonly Mark[]): SheetPlan =>
  rowSheet({ name: 'Summary', widths: WIDTHS, rows: () => rows, print: { onePage: true }, marks })

// --- what is asked for -----------------------------------------------------------------------------------------------

function* topRows(report: RfqReport): Generator<RowPlan> {
  const { context, rfq, decision, award } = report
  const subject = [rfq.title ?? 'Untitled', context.channel, freshnessLabel(context)].map(oneLine).join(' · ')
  yield { role: 'title', cells: [text(`Offer comparison: ${rfqName(report)}`, style.title)], height: 24 }
  yield subjectRow(subject)
  if (award !== null) yield* awardRows(award)
  yield { role: 'subject', cells: [text(requestLine(report), style.plain)] }
  for (const { message } of decision.banners) yield across(text(message, style.banner))
}

/** The desk's award that stands: who, when, what, why, and what to do next. */
const awardRows = ({ lines }: NonNullable<RfqReport['award']>): RowPlan[] =>
  framed(
    lines.map(({ title, message }, at) => ({
      cells: [
        text(title, style.decisionHead),
        blank(style.decisionText),
        text(message, at === 0 ? style.decision : style.decisionText),
      ],
      merged: [
        [0, 1],
        [2, WIDTHS.length - 1],
      ],
    })),
  )

/** A text over all columns. */
const across = (cell: Cell): RowPlan => ({
  cells: [cell, ...emptyCells(WIDTHS.length - 1).map(() => blank(cell.style))],
  merged: [[0, WIDTHS.length - 1]],
})

/** What is asked for, in one line. */
function requestLine({ rfq, currency }: RfqReport): string {
  const dates = [
    rfq.responseDueDate === null ? null : `responses due ${rfq.responseDueDate}`,
    rfq.fulfilmentDueDate === null ? null : `delivery by ${rfq.fulfilmentDueDate}`,
  ]
  const volume = formatRange(rfq.minVolume, rfq.maxVolume, formatAmount)
  const price = formatRange(rfq.minUnitPrice, rfq.maxUnitPrice, formatPrice)
  const years = formatRange(rfq.minVintageYear, rfq.maxVintageYear, String)
  const limits = [
    volume === null ? 'no volume stated' : `${volume} t`,
    price === null ? null : `${price} ${currency.rfq ?? ''}/t`,
    years === null ? null : `vintages ${years}`,
    rfq.contractTypes.length === 0 ? null : codeList(rfq.contractTypes).toLowerCase(),
  ]
  return `Request: ${[codeLabel(rfq.state ?? 'unknown').toLowerCase(), ...dates, ...limits].filter((part) => part !== null).join(' · ')}`
}

// --- the decision ----------------------------------------------------------------------------------------------------

/** The recommendation in one frame: what to award, why, what to check and what would change it, and what it saves. */
function decisionRows({ report }: RfqLayout): RowPlan[] {
  const { recommendation, savings } = report.decision
  const lists = [
    { title: 'Why', sentences: recommendation.reasons },
    { title: 'Check before signing', sentences: recommendation.conditions },
    { title: 'What would change it', sentences: recommendation.changes },
  ].map(({ title, sentences }) => ({ title, sentences: bounded(sentences) }))
  const height = Math.max(...lists.map(({ sentences }) => sentences.length))
  const block = [
    across(text(recommendation.headline, style.decision)),
    ...(height === 0
      ? []
      : [
          {
            ...sideBySide(
              lists.map(({ title, sentences }) => text(sentences.length === 0 ? '' : title, style.decisionHead)),
            ),
            role: 'section' as const,
          },
        ]),
    ...Array.from({ length: height }, (_, at) =>
      sideBySide(
        lists.map(({ sentences }) =>
          sentences[at] === undefined ? blank(style.decisionText) : text(`• ${sentences[at]}`, style.decisionText),
        ),
      ),
    ),
    ...(savings === null ? [] : [across(text(`Savings: ${savings.message}`, style.decisionText))]),
  ]
  return framed(block)
}

function bounded(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MAX_SENTENCES
  return more > 1 ? [...sentences.slice(0, MAX_SENTENCES), `${more} more on Choices.`] : sentences
}

/** The sentences that `Summary` does not show. */
export const isShortened = (sentences: readonly string[]): boolean => bounded(sentences) !== sentences

function sideBySide(cells: readonly Cell[]): RowPlan {
  const row: (Cell | undefined)[] = []
  for (const [index, start] of LISTS.entries()) row[start] = cells[index]
  return {
    cells: Array.from(row),
    merged: LISTS.map((start, index) => [start, (LISTS[index + 1] ?? WIDTHS.length) - 1] as const),
  }
}

/** Fills the empty cells of rows and draws a frame around them. */
function framed(rows: readonly RowPlan[]): RowPlan[] {
  const last = WIDTHS.length - 1
  return rows.map((row, at) => ({
    ...row,
    cells: WIDTHS.map((_, column) => {
      const cell = row.cells[column] ?? blank(style.decisionText)
      const edges = { top: at === 0, bottom: at === rows.length - 1, left: column === 0, right: column === last }
      const sides = (['top', 'bottom', 'left', 'right'] as const).filter((side) => edges[side])
      return sides.length === 0 ? cell : { ...cell, style: style.asFramed(cell.style, sides) }
    }),
  }))
}

// --- choices ---------------------------------------------------------------------------------------------------------

export const RECOMMENDED = 'recommended'
const KINDS: Record<Choice['kind'], string> = {
  efficient: 'efficient',
  recommended: RECOMMENDED,
  waived: 'waived requirement',
}
export const kindText = ({ kind, isRecommended }: Choice): string => (isRecommended ? RECOMMENDED : KINDS[kind])

const CHOICES_TITLE =
  'Choices: no other award has at least as many tonnes for less, unless marked; “Extra tonnes” against the row before'

function* choiceRows({ report, numbers, money, price, inCurrency, perTonne }: RfqLayout): Generator<RowPlan> {
  const { choices } = report.decision
  if (choices.length === 0) return
  const { text: message, number } = columnsOf<Choice>()
  yield sectionRow(CHOICES_TITLE)
  yield* tableRows(
    [
      message('Offer no.', ({ award }) => award.offers.map((offer) => offer.number).join(', ')),
      message('Award', ({ title }) => title, { style: style.boldWrapped }),
      message('Kind', kindText),
      number('Tonnes', ({ award }) => award.tonnes, numbers.volume),
      number(inCurrency('Total'), ({ award }) => award.total, money),
      number(perTonne('Price per tonne'), ({ award }) => award.pricePerTonne, style.asBold(price)),
      message('Extra tonnes', extraText, { style: style.afterNumber }),
      message('Notes', ({ notes }) => truncateToLines(notesText(notes), TEXT_WIDTH - 2, CELL_LINES, '… [Choices]'), {
        style: style.afterNumber,
      }),
    ],
    choices.slice(0, MAX_CHOICES),
  )
  const more = choices.length - MAX_CHOICES
  if (more > 0) yield { cells: [undefined, text(`${more} more on Choices`, style.hint)] }
  yield GAP
}
const notesText = (notes: readonly string[]) => (notes.length === 0 ? '' : `${notes.join('; ')}.`)

// --- offers ----------------------------------------------------------------------------------------------------------

/** With what the project does, as far as its listing states it. */
const withActivity = (name: string, { listing: { mitigationActivity } }: OfferReport) =>
  mitigationActivity === null ? name : `${name} (${truncate(oneLine(mitigationActivity), 60)})`

const shownOffers = ({ offers }: RfqReport) => offers.slice(0, MAX_OFFERS)

const isAwarded = ({ view }: RfqLayout, id: string): boolean =>
  view.offers.some((offer) => offer.id === id && offer.awardedTonnes > 0)

/** The status as received, and whether the offer is part of the award of the desk, or else of the recommended one. */
function statusText(layout: RfqLayout, { id, status, standing }: OfferReport): string {
  const shown = codeLabel(status ?? 'unknown')
  if (standing === 'accepted' || !isAwarded(layout, id)) return shown
  return `${shown}, ${layout.view.award === null ? 'recommended' : 'awarded'}`
}

/** The offers in the order of rank. */
function offerRows(layout: RfqLayout): RowPlan[] {
  const { report, view, numbers, money, price, inCurrency, perTonne, nameOf } = layout
  const { text, figure } = columnsOf<OfferReport>()
  const shown = shownOffers(report)
  const views = new Map(view.offers.map((offer): [string, OfferView] => [offer.id, offer]))
  const notMet = ({ id }: OfferReport) => notMetText(views.get(id)?.notMet ?? []) ?? 'Meets every requirement.'
  const all = report.offers.length
  const which = shown.length < all ? `The first ${shown.length} of ${all} offers` : 'Offers'
  return [
    sectionRow(`${which}, in order of rank: by ${rankedBy(report.settings)}`),
    ...tableRows(
      [
        figure('Rank', ({ rank }) => rank, style.asBold(style.centred)),
        text('Offer', (offer) => withActivity(nameOf(offer), offer), { style: style.boldWrapped }),
        text('Status', (offer) => statusText(layout, offer)),
        figure('Tonnes', ({ metrics }) => metrics.volume, numbers.volume),
        figure(inCurrency('Total'), ({ compared }) => compared.total, money),
        figure(perTonne('Price per tonne'), ({ compared }) => compared.pricePerTonne, style.asBold(price)),
        text(NOT_MET_TITLE, (offer) => truncateToLines(notMet(offer), TEXT_WIDTH - 2, CELL_LINES, '… [Offers]'), {
          style: style.afterNumber,
        }),
      ],
      shown,
    ),
  ]
}

// --- questions -------------------------------------------------------------------------------------------------------

/** The first question about each of the first offers: those of the award, then by rank. */
function questionRows({ report, nameOf }: RfqLayout): RowPlan[] {
  const { questions, awardedTonnes } = report.decision
  const asked = new Map(questions.flatMap(({ offers }) => offers.map((offer) => [offer.offerId, offer] as const)))
  const [awarded, others] = [true, false].map((isAwarded) =>
    report.offers.filter(({ id }) => id in awardedTonnes === isAwarded).flatMap(({ id }) => asked.get(id) ?? []),
  )
  const all = [...(awarded ?? []), ...(others ?? [])]
  if (all.length === 0) return []
  const count = all.reduce((sum, { questions }) => sum + questions.length, 0)
  const shown = all.slice(0, MAX_QUESTIONS)
  const rest = count > shown.length ? `; Questions has all ${formatCount(count, 'question')}, to copy` : ''
  return [
    sectionRow(`Ask first${rest}`),
    ...shown.map(
      ({ offerId, questions }): RowPlan => ({
        cells: [text(`${nameOf({ id: offerId })}: ${questions[0]}`, style.wrapped)],
        merged: [[0, WIDTHS.length - 1]],
      }),
    ),
  ]
}
