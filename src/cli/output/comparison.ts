import { extraText } from '../../compare/decision/choices.js'
import type { Choice, DeveloperQuestions } from '../../compare/decision/decision-model.js'
import { countFlags } from '../../compare/report/rfq-statistics.js'
import { unreadText } from '../../compare/rfq/rfq-terms.js'
import type { KnownDocument, RfqWithResponses } from '../../core/records.js'
import { formatPercent, formatPrice, formatTotal } from '../../core/text/number-format.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { Store } from '../../store/contract.js'
import { awardLines } from '../../tables/awards/award-schema.js'
import { NOT_MET_TITLE, notMetText, type OfferView } from '../../tables/offer/offer-view.js'
import { formatNumber, sanitize } from '../../tables/print/terminal-text.js'
import type { Column } from '../../tables/print/text-table.js'
import { decisionLines, type RfqView, rateLines, reasonLines } from '../../tables/rfq/rfq-view.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { UsageError } from '../cli-error.js'
import type { SinceOption } from '../input/options.js'
import { databaseNow } from '../input/read-filter.js'
import { rfqLabel } from '../input/require-rfq.js'
import { keepSince } from '../input/since.js'
import { openViews } from '../open-views.js'
import { type ListColumn, type ListColumns, type ListOptions, printFitted, printFreshness, printList } from './list.js'
import { bold, formatMinute, formatRecommendation, printJson, tableWidth } from './output.js'

export interface ComparisonContext {
  store: Store
  app: App
  /** Default now. */
  asOf?: Date | undefined
  /** How recent the data is; default: not shown. */
  freshness?: string
}

export interface QuestionsOption {
  questions?: boolean
}

/** Prints what to do and to check, the awards to choose from, the offers with what each does not meet, then why. */
export async function printComparison(
  cli: Pick<Cli, 'io'>,
  { store, app, asOf, freshness }: ComparisonContext,
  found: RfqWithResponses,
  options: ListOptions & SinceOption & QuestionsOption = {},
): Promise<void> {
  const { io } = cli
  const view = await readComparison(cli, { store, app }, found.rfq, asOf)
  const { decision, channel } = view
  if (options.questions) return printQuestions(io, decision.questions)
  const offers = await keepSince(cli, store, view.offers, options, ({ observedAt }) => observedAt)
  if (options.json) return printJson(io, { ...view, offers: offers.slice(0, options.limit) })
  if (!options.csv) {
    const shown = [awardLines(view.award), decisionLines(decision)].filter((lines) => lines.length > 0)
    const texts = shown.map((lines) => formatRecommendation(lines, tableWidth(io)))
    io.out(`RFQ ${rfqLabel(found)} in ${channel}\n\n${texts.join('\n')}\n`)
    if (decision.choices.some(({ isRecommended }) => !isRecommended)) {
      io.out(`${bold(io, 'Choices')}\n`)
      printFitted(io, { columns: CHOICE_COLUMNS, rows: decision.choices, wide: false })
      io.out(`\n${bold(io, 'Offers')}\n`)
    }
  }
  const emptyText = emptyTextOf(view)
  printList(cli, { columns: COMPARISON_COLUMNS, rows: offers, emptyText }, options)
  if (options.csv) return
  const rates = rateLines(view)
  const explained = [...reasonLines(decision), ...(rates.length === 0 ? [] : [`Exchange rates: ${rates.join(' ')}`])]
  if (explained.length > 0) io.out(`\n${formatRecommendation(explained, tableWidth(io))}`)
  if (freshness !== undefined) printFreshness(io, freshness)
}

const MAX_LETTER_WIDTH = 100

/** The letters to developers, each below the name of its developer; lines are broken on a terminal only. */
function printQuestions(io: Cli['io'], questions: readonly DeveloperQuestions[]): void {
  const width = io.width === null ? null : Math.min(MAX_LETTER_WIDTH, io.width)
  const paragraphs = questions.flatMap(({ developer, text }) => [
    `${bold(io, `To ${sanitize(developer)}`)}\n`,
    ...text.split('\n\n').map((paragraph) => formatRecommendation(paragraph.split('\n'), width)),
  ])
  if (questions.length === 0) io.err('There is nothing to ask.\n')
  else io.out(paragraphs.join('\n'))
}

function emptyTextOf({ offers, rfq: { unreadOffers } }: RfqView): string {
  if (offers.length > 0) return `None of the ${offers.length} offers match.`
  return unreadOffers === 0 ? 'There are no offers.' : `${unreadText(unreadOffers)}.`
}

/** The comparison of the offers for an RFQ as of a moment, default now, with the settings of the configuration. */
async function readComparison(
  { io }: Pick<Cli, 'io'>,
  { store, app }: { store: Store; app: App },
  { channel, id }: KnownDocument,
  asOf: Date | undefined,
): Promise<RfqView> {
  const now = await databaseNow(store, io.now())
  const views = await openViews(app, store)
  const lookup = await views.comparison({ channel, name: nameById(id), now, ...(asOf && { asOf }) })
  if ('problem' in lookup) throw new UsageError(lookup.problem.message)
  return lookup.found.view
}

const CHOICE_COLUMNS: readonly Column<Choice>[] = [
  {
    header: 'Award',
    cell: ({ title, isRecommended }) => (isRecommended ? `${title} (recommended)` : title),
    min: 24,
  },
  { header: 'Tonnes', cell: ({ award }) => formatNumber(award.tonnes), align: 'right' },
  { header: 'Total', cell: ({ award }) => formatTotal(award.total, award.currency), align: 'right' },
  {
    header: 'Per tonne',
    cell: ({ award }) => `${formatPrice(award.pricePerTonne)} ${award.currency}`,
    align: 'right',
  },
  { header: 'Extra tonnes', cell: extraText, align: 'right' },
]

const flagMessages = ({ flags }: OfferView) => flags.map(({ message }) => message).join(' ')

function flagCounts({ flags }: OfferView): string {
  const { loud, quiet } = countFlags(flags)
  return [loud > 0 ? `${loud} loud` : '', quiet > 0 ? `${quiet} quiet` : ''].filter((text) => text !== '').join(', ')
}

const priceText = ({ pricePerTonne, currency }: OfferView['own'] | OfferView['compared']): string =>
  pricePerTonne === null ? '' : `${formatPrice(pricePerTonne)} ${currency ?? ''}`.trim()

const totalText = ({ total, currency }: OfferView['own'] | OfferView['compared']): string =>
  total === null ? '' : `${formatTotal(total, null)} ${currency ?? ''}`.trim()

/** The money of an offer: in the currency in which offers are compared, and its own. */
const MONEY_COLUMNS: readonly ListColumn<OfferView>[] = [
  {
    header: 'Per tonne',
    cell: ({ compared }) => priceText(compared),
    value: ({ compared }) => compared.pricePerTonne,
    align: 'right',
  },
  {
    header: 'Total',
    cell: ({ compared }) => totalText(compared),
    value: ({ compared }) => compared.total,
    align: 'right',
    isExtra: true,
    inCsv: true,
  },
  { header: 'Currency', cell: ({ compared }) => compared.currency, isExtra: true, inCsv: true },
  {
    header: 'Own per tonne',
    // Where it is the same, it need not be said twice.
    cell: ({ own, compared }) => (own.currency === compared.currency ? '' : priceText(own)),
    value: ({ own }) => own.pricePerTonne,
    align: 'right',
    hideIfEmpty: true,
  },
  {
    header: 'Own total',
    cell: ({ own }) => totalText(own),
    value: ({ own }) => own.total,
    align: 'right',
    isExtra: true,
    inCsv: true,
  },
  { header: 'Own currency', cell: ({ own }) => own.currency, isExtra: true, inCsv: true },
  {
    header: 'Cost per tonne',
    cell: ({ compared }) => priceText({ ...compared, pricePerTonne: compared.costPerTonne }),
    value: ({ compared }) => compared.costPerTonne,
    align: 'right',
    isExtra: true,
    inCsv: true,
  },
]

/** `–` for an offer without a rank. */
const rankText = ({ rank }: OfferView): string => (rank === null ? '–' : formatNumber(rank))

const labelText = ({ label, missingSince }: OfferView): string => (missingSince === null ? label : `${label} (missing)`)

export const COMPARISON_COLUMNS: ListColumns<OfferView> = [
  { header: 'Rank', cell: rankText, value: ({ rank }) => rank, align: 'right' },
  { header: 'No.', cell: ({ number }) => formatNumber(number), value: ({ number }) => number, align: 'right' },
  { header: 'Offer', cell: labelText, value: ({ label }) => label, min: 18 },
  ...MONEY_COLUMNS,
  {
    header: 'Tonnes',
    cell: ({ tonnes }) => formatNumber(tonnes),
    value: ({ tonnes }) => tonnes,
    align: 'right',
  },
  {
    header: 'Covers',
    cell: ({ coverage }) => (coverage === null ? '' : formatPercent(coverage)),
    value: ({ coverage }) => coverage,
    align: 'right',
    drop: 2,
  },
  {
    header: 'Award',
    cell: ({ awardedTonnes }) => (awardedTonnes === 0 ? '' : formatNumber(awardedTonnes)),
    value: ({ awardedTonnes }) => awardedTonnes || null,
    align: 'right',
    hideIfEmpty: true,
  },
  { header: 'Status', cell: ({ status }) => status, isExtra: true },
  { header: 'Standing', cell: ({ standing }) => standing, isExtra: true, inCsv: true },
  { header: 'Not ranked because', key: 'why', cell: ({ why }) => why, min: 18, isExtra: true, inCsv: true },
  { header: 'Missing since', cell: ({ missingSince }) => missingSince, isExtra: true },
  { header: 'Expires', cell: ({ expiryDate }) => expiryDate, isExtra: true },
  {
    header: NOT_MET_TITLE,
    key: 'failed',
    cell: ({ notMet }) => notMetText(notMet),
    below: true,
    hideIfEmpty: true,
  },
  { header: 'Flags', cell: flagCounts, drop: 1 },
  { header: 'Flag details', cell: flagMessages, min: 40, isExtra: true },
  { header: 'Notes', cell: ({ notes }) => notes, min: 40, isExtra: true },
  { header: 'Developer', cell: ({ developer }) => developer, isExtra: true },
  { header: 'Project', cell: ({ project }) => project, isExtra: true },
  { header: 'Contract', cell: ({ contractType }) => contractType, isExtra: true },
  { header: 'Basis', cell: ({ own }) => own.basis, isExtra: true },
  {
    header: 'Submitted (UTC)',
    cell: ({ submittedAt, late }) => `${formatMinute(submittedAt)}${late ? ' late' : ''}`,
    value: ({ submittedAt }) => submittedAt,
    isExtra: true,
  },
  {
    header: 'Changed (UTC)',
    cell: ({ observedAt }) => formatMinute(observedAt),
    value: ({ observedAt }) => observedAt,
    isExtra: true,
  },
  { header: 'Id', cell: ({ id }) => id, isExtra: true },
]
