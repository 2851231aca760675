import type { DeveloperQuestions } from '../../compare/decision/decision-model.js'
import { unreadText } from '../../compare/rfq/rfq-terms.js'
import type { RfqWithResponses } from '../../core/records.js'
import { cleanLine } from '../../core/text/clean-text.js'
import { formatCount } from '../../core/text/number-format.js'
import { nameById } from '../../core/text/rfq-name.js'
import { OFFER_COLUMNS } from '../../tables/offer/offer-view.js'
import { BYTE_ORDER_MARK, printCsv } from '../../tables/print/csv.js'
import { truncate } from '../../tables/print/text-width.js'
import { CHOICE_COLUMNS } from '../../tables/rfq/choice-columns.js'
import {
  awardLines,
  comparisonJson,
  decisionLines,
  type RfqView,
  rateLines,
  reasonLines,
} from '../../tables/rfq/rfq-view.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { bold, formatRecommendation, printJson, printNotes, printTable, rfqLabel, tableWidth } from './output.js'

interface ComparisonContext {
  app: App
  /** Undefined: now. */
  asOf: Date | undefined
  /** How recent the data is. */
  freshness: string
}

export interface ComparisonOptions {
  questions?: boolean
  json?: boolean
  csv?: boolean
  wide?: boolean
}

/** Prints what to do and to check, the awards to choose from, the offers with what each does not meet, then why. */
export async function printComparison(
  { io }: Pick<Cli, 'io'>,
  { app, asOf, freshness }: ComparisonContext,
  found: RfqWithResponses,
  { questions, json, csv, wide = false }: ComparisonOptions,
): Promise<void> {
  const { channel, id } = found.rfq
  const now = io.now()
  const views = await app.views()
  const { view } = await views.comparison({ channel, name: nameById(id), now, ...(asOf && { asOf }) })
  const { decision, offers, award } = view
  if (questions) return printQuestions(io, decision.questions)
  if (json) return printJson(io, comparisonJson(view))
  if (csv) return io.out(printCsv(OFFER_COLUMNS, offers).replace(io.width === null ? '' : BYTE_ORDER_MARK, ''))
  const texts = [awardLines(award), decisionLines(decision)].filter((lines) => lines.length > 0)
  const shown = texts.map((lines) => formatRecommendation(lines, tableWidth(io)))
  io.out(`${truncate(`${channel}: RFQ ${rfqLabel(found)}`, tableWidth(io))}\n\n${shown.join('\n')}\n`)
  if (decision.choices.some(({ isRecommended }) => !isRecommended)) {
    io.out(`${bold(io, 'Choices')}\n`)
    printTable(io, CHOICE_COLUMNS, decision.choices, { wide })
    io.out(`\n${bold(io, 'Offers')}\n`)
  }
  if (offers.length === 0) io.err(`${emptyText(view)}\n`)
  const hidden = offers.length === 0 ? [] : printTable(io, OFFER_COLUMNS, offers, { wide })
  const rates = rateLines(view)
  const explained = [...reasonLines(decision), ...(rates.length === 0 ? [] : [`Exchange rates: ${rates.join(' ')}`])]
  if (explained.length > 0) io.out(`\n${formatRecommendation(explained, tableWidth(io))}`)
  printNotes(io, [
    freshness,
    ...(hidden.length === 0 ? [] : [`${formatCount(hidden.length, 'more column')} with --wide`]),
  ])
}

const MAX_LETTER_WIDTH = 100

/** The letters to developers, each below the name of its developer; lines are broken on a terminal only. */
function printQuestions(io: Cli['io'], questions: readonly DeveloperQuestions[]): void {
  const width = io.width === null ? null : Math.min(MAX_LETTER_WIDTH, io.width)
  const paragraphs = questions.flatMap(({ developer, text }) => [
    `${bold(io, `To ${cleanLine(developer)}`)}\n`,
    ...text.split('\n\n').map((paragraph) => formatRecommendation(paragraph.split('\n'), width)),
  ])
  if (questions.length === 0) io.err('There is nothing to ask.\n')
  else io.out(paragraphs.join('\n'))
}

const emptyText = ({ rfq: { unreadOffers } }: RfqView): string =>
  unreadOffers === 0 ? 'There are no offers.' : `${unreadText(unreadOffers)}.`
