import { Option } from 'commander'
import type { DeveloperQuestions } from '../../../compare/decision/decision-model.js'
import { unreadText } from '../../../compare/rfq/rfq-terms.js'
import { cleanLine } from '../../../core/text/clean-text.js'
import { formatCount } from '../../../core/text/number-format.js'
import { describeReads } from '../../../core/time/read-times.js'
import type { Store } from '../../../store/contract.js'
import { OFFER_COLUMNS } from '../../../tables/offer/offer-view.js'
import { BYTE_ORDER_MARK, printCsv } from '../../../tables/print/csv.js'
import { truncate } from '../../../tables/print/text-width.js'
import { CHOICE_COLUMNS } from '../../../tables/rfq/choice-columns.js'
import {
  awardLines,
  comparisonJson,
  decisionLines,
  type RfqView,
  rateLines,
  reasonLines,
} from '../../../tables/rfq/rfq-view.js'
import { type App, withStore } from '../../app.js'
import type { Cli, RegisterCommand } from '../../cli-context.js'
import {
  asOfOption,
  channelOption,
  csvOption,
  jsonOption,
  overridesOf,
  rfqArgument,
  type SharedOptions,
  setOption,
  volumeOption,
  withExamples,
} from '../../input/options.js'
import { parseReadFilter } from '../../input/read-filter.js'
import { describeFreshness, describePast } from '../../output/freshness.js'
import {
  bold,
  formatRecommendation,
  printJson,
  printNotes,
  printTable,
  rfqLabel,
  tableWidth,
} from '../../output/output.js'

type Options = SharedOptions & { questions?: boolean; csv?: boolean; wide?: boolean }

/** `compare RFQ`: the recommendation, the choices and the offers. */
export const register: RegisterCommand = (command, cli) => {
  command
    .addArgument(rfqArgument())
    .addOption(channelOption())
    .addOption(asOfOption())
    .addOption(volumeOption())
    .addOption(setOption())
    .addOption(
      new Option('--questions', 'print only the letters to developers, with what to ask them').conflicts([
        'json',
        'csv',
      ]),
    )
    .option('--wide', 'show all columns, however wide the table becomes')
    .addOption(csvOption().conflicts('json'))
    .addOption(jsonOption('print JSON: the decision and the offers, as in the API'))
    .action((name: string, options: Options) =>
      withStore(cli, (store, app) => compare(cli, { store, app }, name, options), overridesOf(options)),
    )
  withExamples(
    command,
    ['quotekeeper compare 1012', 'the recommended award, and how the offers compare'],
    ['quotekeeper compare 1012 --volume 8000', 'if at least 8,000 t are to be awarded'],
    ['quotekeeper compare 1012 --set awardTolerance=0', 'with other settings'],
    ['quotekeeper compare 1012 --as-of yesterday', 'as it was at the end of yesterday'],
    ['quotekeeper compare 1012 --questions', 'what to ask the developers, to copy'],
    ['quotekeeper compare 1012 --csv > offers.csv', 'the offers, for a spreadsheet'],
  )
}

async function compare(cli: Cli, context: { store: Store; app: App }, name: string, options: Options): Promise<void> {
  const { io } = cli
  const { questions, json, csv, wide = false } = options
  const filter = await parseReadFilter(cli, context, options, 'rfqs')
  const { view } = await (await context.app.views()).comparison({ ...filter, name, now: io.now() })
  if (questions) return printQuestions(io, view.decision.questions)
  if (json) return printJson(io, comparisonJson(view))
  if (csv) return io.out(printCsv(OFFER_COLUMNS, view.offers).replace(io.width === null ? '' : BYTE_ORDER_MARK, ''))
  const hidden = printComparison(io, view, wide)
  const channels = [view.channel]
  const freshness =
    filter.asOf === undefined
      ? await describeFreshness(cli, context.store, { channels, kind: 'rfqs' })
      : await describePast(context.store, view.channel, filter.asOf)
  const rest = hidden.length === 0 ? [] : [`${formatCount(hidden.length, 'more column')} with --wide`]
  printNotes(io, [freshness, ...describeReads(view, io.now()), ...rest])
}

/**
 * Prints what to do and to check, the awards to choose from, the offers with what each does not meet, then why.
 * @returns the headers of the columns that are hidden for lack of room
 */
function printComparison(io: Cli['io'], view: RfqView, wide: boolean): string[] {
  const { decision, offers, award, rfq, channel } = view
  const texts = [awardLines(award), decisionLines(decision)].filter((lines) => lines.length > 0)
  const shown = texts.map((lines) => formatRecommendation(lines, tableWidth(io)))
  io.out(`${truncate(`${channel}: RFQ ${rfqLabel(rfq)}`, tableWidth(io))}\n\n${shown.join('\n')}\n`)
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
  return hidden
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
