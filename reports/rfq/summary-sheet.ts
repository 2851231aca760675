import { extraText } from '../../src/compare/decision/choices.js'
import type { Choice } from '../../src/compare/decision/decision-model.js'
import type { OfferReport } from '../../src/compare/offer/offer-report-model.js'
import { rankedBy } from '../../src/compare/report/report-notes.js'
import type { RfqReport } from '../../src/compare/report/rfq-report-model.js'
import { cleanText, oneLine } from '../../src/core/text/clean-text.js'
import { formatAmount, formatPrice, formatRange, truncate } from '../../src/core/text/number-format.js'
import type { OfferView } from '../../src/views/offer/offer-view.js'
import { awardedTonnesOf } from '../../src/views/rfq/rfq-view.js'
import { columnsOf } from '../layout/columns.js'
import { charactersIn } from '../layout/text-fit.js'
import { codeLabel, codeList, freshnessLabel } from '../layout/wording.js'
import * as style from '../xlsx/cell-styles.js'
import { text } from '../xlsx/cells.js'
import type { Sheet } from '../xlsx/sheet.js'
import type { WriteSheet } from '../xlsx/workbook.js'
import { briefChoiceColumns } from './choices-sheet.js'
import type { RfqLayout } from './layout.js'

/** Column units: number, name, status, tonnes, total, price, remarks. Together they are printed at more than 70 %. */
const WIDTHS = [14, 58, 15, 11, 15, 15, 30]
const TEXT_UNITS = WIDTHS.slice(1).reduce((sum, width) => sum + width)
/** Rows of each part and lines of each text, so that all fit on the page. */
const [MAX_CHOICES, MAX_OFFERS, MAX_LINES] = [5, 10, 4]

/** `Summary`: one page that says whom to award, why, what to check and what else there is. */
export const summarySheet =
  (layout: RfqLayout): WriteSheet =>
  (add) => {
    const { report, name } = layout
    const { context, award, decision, rfq, offers } = report
    const sheet = add({ widths: WIDTHS, onePage: true })
    sheet.add([text(`Offer comparison: ${name}`, style.title)])
    const subject = [rfq.title ?? 'Untitled', context.channel, freshnessLabel(context)]
    sheet.add([text(subject.map(oneLine).join(' · '), style.subtitle)])
    sheet.add([text(requestLine(report))])
    for (const { message } of decision.banners) sheet.addAcross(text(message, style.banner))
    if (award !== null) {
      sheet.addSection('Award on record')
      const [first, ...others] = award.lines
      sheet.addAcross(text(first?.message, style.decision))
      // What was recommended then is said below, if it is still recommended.
      const isBelow = (message: string) => message.endsWith(decision.recommendation.headline)
      for (const { title, message } of others) if (!isBelow(message)) addFact(sheet, title, [message])
    }
    addRecommendation(sheet, report)
    if (offers.length === 0) {
      addFact(sheet, 'Demands', rfq.additionalRequirements === null ? [] : [rfq.additionalRequirements])
      return
    }
    addChoices(sheet, layout)
    addOffers(sheet, layout)
  }

/** What is asked for, in one line. */
function requestLine({ rfq, currency }: RfqReport): string {
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
function addRecommendation(sheet: Sheet, { award, decision }: RfqReport): void {
  const { recommendation, savings } = decision
  const messages = (of: readonly { message: string }[]) => of.map(({ message }) => message)
  sheet.addSection('Recommendation')
  sheet.addAcross(text(recommendation.headline, style.decision))
  if (award === null) addFact(sheet, 'Why', recommendation.reasons)
  addFact(sheet, 'Check', messages(recommendation.conditions))
  if (award === null) addFact(sheet, 'Would change', messages(recommendation.breakEven))
  addFact(sheet, 'Savings', savings === null ? [] : [savings.message])
}

/** A label, and sentences in lines of their own; nothing without sentences. */
function addFact(sheet: Sheet, label: string, sentences: readonly string[]): void {
  if (sentences.length === 0) return
  const shown = sentences.map((sentence) => fitted(sentence, TEXT_UNITS)).join('\n')
  sheet.add([text(label, style.decisionLabel), text(shown, style.decisionText)], { merged: [[1, WIDTHS.length - 1]] })
}

/** A text of at most MAX_LINES lines. */
const fitted = (text: string, units: number) => truncate(oneLine(cleanText(text)), MAX_LINES * charactersIn(units))

function addChoices(sheet: Sheet, layout: RfqLayout): void {
  const { choices } = layout.report.decision
  if (choices.length === 0) return
  const columns = {
    ...briefChoiceColumns(layout),
    notes: columnsOf<Choice>().text('Extra tonnes, against the row before', extraText),
  }
  sheet.addSection('Choices: no other award has at least as many tonnes for less, unless marked')
  sheet.addTable(columns, choices.slice(0, MAX_CHOICES))
  const more = choices.length - MAX_CHOICES
  if (more > 0) sheet.add([undefined, text(`${more} more on Choices`, style.hint)])
}

/** The offers in the order of rank. */
function addOffers(sheet: Sheet, layout: RfqLayout): void {
  const { report, views, nameOf, tonnes, inCurrency, perTonne } = layout
  const { text, number, figure } = columnsOf<OfferReport>()
  const awarded = awardedTonnesOf(report)
  const isAwarded = ({ id }: OfferReport) => (awarded[id] ?? 0) > 0
  const statusText = (offer: OfferReport) => {
    if (offer.standing === 'accepted') return 'accepted'
    if (report.award !== null && isAwarded(offer)) return 'awarded'
    return offer.id in report.decision.awardedTonnes ? 'recommended' : (offer.status ?? 'unknown')
  }
  const all = report.offers.length
  sheet.addSection(
    `${all > MAX_OFFERS ? `The first ${MAX_OFFERS} of ${all} offers` : 'Offers'}, by ${rankedBy(report.settings)}`,
  )
  sheet.addTable(
    {
      number: number('No.', ({ sequence }) => sequence, style.leftNumber),
      offer: text('Offer', (offer) => truncate(nameOf(offer), 100), {
        style: (offer) => (isAwarded(offer) ? style.asGood(style.wrapped) : style.wrapped),
      }),
      status: text('Status', (offer) => codeLabel(statusText(offer))),
      tonnes: number('Tonnes', ({ metrics }) => metrics.volume, tonnes),
      total: figure(inCurrency('Total'), ({ compared }) => compared.total, style.total),
      price: figure(perTonne('Price'), ({ compared }) => compared.pricePerTonne, style.asBold(style.price)),
      notMet: text('Not met (advisory in brackets)', ({ id }) => notMetLabels(views.get(id)?.notMet ?? [])),
    },
    report.offers.slice(0, MAX_OFFERS),
  )
}

function notMetLabels(all: OfferView['notMet']): string {
  return all.map(({ kind, label }) => (kind === 'advisory' ? `(${label})` : label)).join(', ')
}
