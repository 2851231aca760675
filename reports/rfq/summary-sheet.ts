import { extraText } from '../../src/compare/decision/choices.js'
import { sum } from '../../src/core/numbers.js'
import { cleanLine, oneLine } from '../../src/core/text/clean-text.js'
import { formatAmount, formatPrice, formatRange } from '../../src/core/text/number-format.js'
import { doubtsOf, type OfferView, offerName } from '../../src/tables/offer/offer-view.js'
import type { RfqView } from '../../src/tables/rfq/rfq-view.js'
import { rankedBy } from '../layout/about-sheet.js'
import type { Columns } from '../layout/columns.js'
import { charactersIn, linesIn } from '../layout/text-fit.js'
import { codeLabel, codeList, freshnessLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { text } from '../xlsx/cells.js'
import { LINE_POINTS, type Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { choiceColumns } from './choices-sheet.js'
import { pick, type RfqLayout, withStyle } from './layout.js'

/** Column units: number, name, status, tonnes, total, price, remarks. All fit on a page at 70 %, in a wider font, too. */
const WIDTHS = [12, 50, 15, 11, 14, 14, 36]
const [NAME_UNITS, REMARK_UNITS] = [50, 36]
const TEXT_UNITS = sum(WIDTHS.slice(1))
/** Rows of each part and lines of each text, so that all fit on the page. */
const [MAX_BREAK_EVEN, MAX_CHOICES, MAX_LINES] = [3, 5, 2]
/** Height of a page at 70 %, less the headers of the offers. */
const MAX_POINTS = 650

/** `Summary`: one page that says whom to award, why, what to check and what else there is. */
export const summarySheet =
  (layout: RfqLayout): WriteSheet =>
  (add) => {
    const { view, name } = layout
    const { context, award, decision, rfq, offers } = view
    const sheet = add({ widths: WIDTHS, onePage: true })
    sheet.add([text(`Offer comparison: ${name}`, style.title)])
    const subject = [rfq.title ?? 'Untitled', context.channel, freshnessLabel(context)]
    sheet.add([text(subject.map(oneLine).join(' · '), style.subtitle)])
    sheet.add([text(requestLine(view))])
    for (const { message } of decision.banners) sheet.addAcross(text(message, style.banner))
    if (award !== null) {
      sheet.addSection('Award on record')
      const [first, ...others] = award.facts
      sheet.addAcross(text(first?.value, style.decision))
      // What was recommended then is said below, if it is still recommended.
      const isBelow = (value: string) => value.endsWith(decision.recommendation.headline)
      for (const { label, value } of others) if (!isBelow(value)) addFact(sheet, label, [value])
    }
    addRecommendation(sheet, view)
    if (offers.length === 0) {
      addFact(sheet, 'Demands', rfq.additionalRequirements === null ? [] : [rfq.additionalRequirements])
      return
    }
    addChoices(sheet, layout)
    addOffers(sheet, layout)
  }

/** What is asked for, in one line. */
function requestLine({ rfq, currency }: RfqView): string {
  const volume = formatRange(rfq.minVolume, rfq.maxVolume, formatAmount)
  const price = formatRange(rfq.minUnitPrice, rfq.maxUnitPrice, formatPrice)
  const years = formatRange(rfq.minVintageYear, rfq.maxVintageYear, String)
  const parts = [
    codeLabel(rfq.state ?? 'unknown').toLowerCase(),
    rfq.responseDueDate === null ? null : `responses due ${rfq.responseDueDate}`,
    rfq.fulfilmentDueDate === null ? null : `delivery by ${rfq.fulfilmentDueDate}`,
    volume === null ? 'no volume stated' : `${volume} t`,
    price === null ? null : `${price} ${currency.rfq ?? ''}/t`,
    years === null ? null : `vintages ${years}`,
    rfq.contractTypes.length === 0 ? null : codeList(rfq.contractTypes).toLowerCase(),
  ]
  return `Request: ${parts.filter((part) => part !== null).join(' · ')}`
}

/** The recommendation: what to award, why, what to check, what would change it, and what it saves. */
function addRecommendation(sheet: Sheet, { award, decision }: RfqView): void {
  const { recommendation, savings } = decision
  const messages = (of: readonly { message: string }[]) => of.map(({ message }) => message)
  sheet.addSection('Recommendation')
  sheet.addAcross(text(recommendation.headline, style.decision))
  if (award === null) addFact(sheet, 'Why', recommendation.reasons)
  addFact(sheet, 'Check', messages(recommendation.conditions))
  if (award === null)
    addFact(sheet, 'What would change it', messages(recommendation.breakEven.slice(0, MAX_BREAK_EVEN)))
  addFact(sheet, 'Savings', savings === null ? [] : [savings.message])
}

/** A label, and sentences in lines of their own; nothing without sentences. */
function addFact(sheet: Sheet, label: string, sentences: readonly string[]): void {
  if (sentences.length === 0) return
  const shown = sentences.map((sentence) => fitted(sentence, TEXT_UNITS)).join('\n')
  sheet.add([text(label, style.decisionLabel), text(shown, style.decisionText)], [1, WIDTHS.length - 1])
}

/** A text of at most MAX_LINES lines. */
const fitted = (text: string, units: number) => cleanLine(text, MAX_LINES * charactersIn(units))

function addChoices(sheet: Sheet, { view }: RfqLayout): void {
  const { choices } = view.decision
  if (choices.length === 0) return
  const extra = { header: 'Extra tonnes, against the row before', right: false }
  sheet.addSection('Choices, by tonnes')
  sheet.addTable(
    {
      ...fittedColumns(pick(choiceColumns(choices), 'offers', 'award', 'state', 'tonnes', 'total', 'price')),
      extra: { ...extra, cell: (choice) => text(extraText(choice), style.wrapped) },
    },
    choices.slice(0, MAX_CHOICES),
  )
  const more = choices.length - MAX_CHOICES
  if (more > 0) sheet.add([undefined, text(`${more} more on Choices`, style.hint)])
}

/** Texts of two lines at most. */
const fittedColumns = <Row>(columns: Columns<Row>): Columns<Row> =>
  Object.fromEntries(
    Object.entries(columns).map(([key, column], at) => [
      key,
      {
        ...column,
        cell: (row, place) => {
          const cell = column.cell(row, place)
          return typeof cell.value === 'string' ? { ...cell, value: fitted(cell.value, WIDTHS[at] ?? 0) } : cell
        },
      } satisfies Columns<Row>[string],
    ]),
  )

/** The offers in the order of rank. */
function addOffers(sheet: Sheet, layout: RfqLayout): void {
  const { view, offers: columns } = layout
  const [all, shown] = [view.offers.length, fittingOffers(sheet, layout)]
  const which = shown.length < all ? `The first ${shown.length} of ${all} offers` : 'Offers'
  sheet.addSection(`${which}: ranked by ${rankedBy(view.settings)}, then the others`)
  const { number, offer, awardedTonnes, tonnes, total, price, doubts } = columns
  const none = { header: '', right: false, cell: () => text(null, style.body) }
  const isAwarded = ({ awardedTonnes: of }: OfferView) => of > 0
  sheet.addTable(
    fittedColumns({
      number: number ?? none,
      offer: withStyle(offer ?? none, style.asGood, isAwarded),
      awardedTonnes: awardedTonnes ?? none,
      ...{ tonnes: tonnes ?? none, total: total ?? none, price: price ?? none, doubts: doubts ?? none },
    }),
    shown,
  )
}

/** As many offers as fit on the page, at least three. */
function fittingOffers(sheet: Sheet, { view }: RfqLayout): OfferView[] {
  let room = MAX_POINTS - sheet.points
  return view.offers.filter((offer, at) => {
    const lines = Math.max(linesIn(offerName(offer), NAME_UNITS), linesIn(doubtsOf(offer).join(', '), REMARK_UNITS))
    room -= LINE_POINTS * Math.min(MAX_LINES, lines)
    return room > 0 || at < 3
  })
}
