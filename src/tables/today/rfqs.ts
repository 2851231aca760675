import { awardText } from '../../compare/decision/award-state.js'
import { unreadText } from '../../compare/rfq/rfq-terms.js'
import { formatCount, formatDueDate, formatPricePerTonne } from '../../core/text/number-format.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { RfqFigures } from '../../recommendations/rfq-figures.js'
import { type StandingAward, standingAwards } from '../awards/standing-awards.js'
import { awardPath, closingPath, rfqPath, systemPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { rfqsBeyondAvailability } from './availability.js'
import type { Candidate } from './candidates.js'
import type { Closings, OverdueOutlook } from './closing.js'
import { eventsOf, type ToldChanges, tellChanges } from './news.js'
import {
  keyOf,
  onChannel,
  rfqFields,
  sentences,
  type TodayContext,
  type TodayDoubt,
  type TodayRfq,
  type TodayRfqKind,
} from './today-view.js'

/** What a row is made from. */
interface Subject {
  candidate: Candidate
  row: RfqListRow
  figures: RfqFigures
  standing: StandingAward | undefined
  /** Whether a listing has fewer credits than its offers and those for other RFQs claim. */
  isBeyondAvailability: boolean
  /** What becomes of it; null unless it is overdue. */
  outlook: OverdueOutlook | null
  told: ToldChanges
  since: Date
  dueWithinDays: number
}

/** The rows of RFQs, in the same order. RFQs that are no longer stored, as after a restore, have none. */
export async function rfqRows(
  context: TodayContext,
  candidates: readonly Candidate[],
  closings: Closings,
): Promise<TodayRfq[]> {
  const { source, now, since, dueWithinDays } = context
  const subjects = new Map<string, Subject>()
  for (const channel of new Set(candidates.map((each) => each.channel))) {
    const own = new Map(candidates.flatMap((each) => (each.channel === channel ? [[each.rfqId, each]] : [])))
    const ids = [...own.keys()]
    const rows = (await source.rfqs.rows({ now, channel, ids })).filter(({ id }) => own.has(id))
    const figures = await source.rfqs.figures(rows, now)
    const awards = await standingAwards(source, { channel, ids, now })
    const beyond = await rfqsBeyondAvailability(source.store, channel, ids)
    const events = await eventsOf(
      context,
      channel,
      ids.filter((id) => own.get(id)?.news !== undefined),
    )
    const outlooks = await closings.outlooks(rows.filter(({ id }) => own.get(id)?.overdue))
    for (const [at, row] of rows.entries()) {
      const [candidate, key] = [own.get(row.id), keyOf(row)]
      const rowFigures = figures[at]
      if (candidate === undefined || rowFigures === undefined) continue
      const standing = awards.get(key)
      const isDecided = standing !== undefined || row.state !== 'open'
      const told =
        candidate.news === undefined
          ? { changes: [], moreChanges: 0 }
          : tellChanges(candidate.news, events.get(row.id) ?? [], isDecided)
      const outlook = outlooks.get(key) ?? null
      subjects.set(key, {
        ...{ candidate, row, figures: rowFigures, standing, outlook, told },
        ...{ since, dueWithinDays, isBeyondAvailability: beyond.has(row.id) },
      })
    }
  }
  return candidates.flatMap(({ channel, rfqId: id }) => {
    const subject = subjects.get(keyOf({ channel, id }))
    return subject === undefined ? [] : toRow(subject)
  })
}

function toRow(subject: Subject): TodayRfq {
  const { candidate, row, figures, standing, told, outlook } = subject
  const kinds = kindsOf(subject)
  const note = noteOf(subject, kinds)
  const award = awardOf(figures, standing)
  const body =
    standing !== undefined
      ? `Awarded: ${awardText(standing.award)}.`
      : row.state === 'open'
        ? offerText(row, figures)
        : ''
  const more = told.moreChanges === 0 ? '' : `And ${formatCount(told.moreChanges, 'more change')}.`
  return {
    ...{ kind: kinds[0] ?? 'rfqs', kinds, severity: candidate.severity },
    ...rfqFields(row.channel, row.id, row, candidate.number),
    ...{ rfqId: row.id, state: row.state, daysToDue: candidate.daysToDue, timeZone: row.timeZone },
    award,
    noAward: award === null && row.state === 'open' ? noAwardText(row, figures) : null,
    ...{ maxPricePerTonne: row.maxUnitPrice, maxPriceCurrency: row.currency },
    coverage: coverageOf(figures, standing),
    doubts: doubtsOf(subject, award),
    note,
    ...told,
    message: sentences(
      dueText(subject, kinds),
      row.readState === 'changed-since-read' ? 'Changed since it was read.' : '',
      note ?? '',
      outlook?.isPrevented ? '' : (outlook?.message ?? ''),
      body,
      ...told.changes.map((each) => `${each}.`),
      more,
    ),
    since: candidate.news?.newestAt ?? null,
    action: nextStep(subject, kinds, award),
  }
}

const isDue = ({ candidate: { daysToDue, overdue }, row, dueWithinDays }: Subject): boolean =>
  row.state === 'open' && row.missingSince === null && !overdue && daysToDue !== null && daysToDue <= dueWithinDays

/** What the marketplace shows of the award; that it is accepted is told once. */
const findingsOf = ({ standing, since }: Subject) =>
  (standing?.state.findings ?? []).filter(
    (finding) => finding.code !== 'accepted' || (finding.since !== null && new Date(finding.since) > since),
  )

function kindsOf(subject: Subject): TodayRfqKind[] {
  const { candidate, row } = subject
  const { news } = candidate
  const offers = news === undefined ? 0 : news.offers.added + news.offers.changed + news.offers.withdrawn
  const reasons: Record<TodayRfqKind, boolean | undefined> = {
    award: findingsOf(subject).length > 0,
    overdue: subject.outlook !== null,
    due: isDue(subject),
    problems: !row.valid && row.state !== 'closed',
    recommendation: news?.isRecommendationChanged && subject.standing === undefined && row.state === 'open',
    offers: offers > 0,
    rfqs: news?.isNew || news?.isChanged,
  }
  return (Object.keys(reasons) as TodayRfqKind[]).filter((kind) => reasons[kind])
}

const dueText = ({ row, candidate }: Subject, kinds: readonly TodayRfqKind[]): string => {
  if (kinds.includes('overdue')) return `Past due since ${row.responseDueDate} and still open.`
  if (!kinds.includes('due') || row.responseDueDate === null) return ''
  return `Due ${formatDueDate(row.responseDueDate, candidate.daysToDue ?? 0, row.timeZone)}.`
}

function noteOf(subject: Subject, kinds: readonly TodayRfqKind[]): string | null {
  const { standing, outlook } = subject
  const findings = findingsOf(subject)
  const note = sentences(
    ...findings.map(({ message }) => message),
    findings.length === 0 ? '' : (standing?.state.next ?? ''),
    kinds.includes('problems') && outlook === null ? 'Its document is not valid, so nothing closes it.' : '',
    outlook?.isPrevented ? outlook.message : '',
  )
  return note === '' ? null : note
}

function awardOf({ award, accepted, currency }: RfqFigures, standing: StandingAward | undefined): TodayRfq['award'] {
  if (standing !== undefined) {
    const { offers, tonnes, pricePerTonne } = standing.award
    const names = offers.map(({ name }) => name)
    return { source: 'recorded', offers: names, tonnes, pricePerTonne, currency: standing.award.currency }
  }
  const [found, source] =
    award !== null && award.offers.length > 0 ? [award, 'recommended' as const] : [accepted, 'accepted' as const]
  if (found === null) return null
  const { offers, tonnes, pricePerTonne } = found
  return { source, offers, tonnes, pricePerTonne, currency }
}

function coverageOf({ award, accepted, wanted }: RfqFigures, standing: StandingAward | undefined): number | null {
  const tonnes = standing?.award.tonnes ?? (award?.offers.length ? null : accepted?.tonnes)
  if (tonnes == null) return award?.coverage ?? null
  return wanted === null || wanted <= 0 ? null : Math.min(1, tonnes / wanted)
}

function doubtsOf(subject: Subject, award: TodayRfq['award']): TodayDoubt[] {
  const { row, figures, standing, candidate } = subject
  const { award: recommended, accepted } = figures
  const isUndecided = standing === undefined && row.state === 'open'
  const found: Record<TodayDoubt, boolean> = {
    awarded: standing !== undefined,
    accepted: accepted !== null,
    partial: isUndecided && recommended?.status === 'partial',
    'no-comparable-offer': isUndecided && award === null && recommended?.status === 'none' && figures.ranked === 0,
    'beyond-availability': subject.isBeyondAvailability,
    loud: isUndecided && (recommended?.loud ?? 0) > 0,
    'no-rate': isUndecided && figures.withoutRate > 0,
    unread: row.unreadOffers > 0 || figures.summaryOnly > 0,
    changed: row.readState === 'changed-since-read',
    invalid: !row.valid && candidate.state !== 'closed',
  }
  return (Object.keys(found) as TodayDoubt[]).filter((doubt) => found[doubt])
}

function noAwardText({ offers, unreadOffers }: RfqListRow, { award, ranked }: RfqFigures): string {
  if (unreadOffers > 0) return `${unreadText(unreadOffers)}.`
  if (offers === 0) return 'No offers yet.'
  return award?.message ?? (ranked > 0 ? `${formatCount(ranked, 'offer')} can be awarded.` : 'No offer can be awarded.')
}

/** How many offers there are, and whom to award. */
export function offerText(
  { offers, unreadOffers }: Pick<RfqListRow, 'offers' | 'unreadOffers'>,
  figures: RfqFigures,
): string {
  if (figures.accepted) return figures.accepted.message
  if (unreadOffers > 0) return `${unreadText(unreadOffers)}.`
  if (offers === 0) return 'No offers yet.'
  const notRead = figures.summaryOnly
  const count =
    formatCount(offers, 'offer') + (notRead === 0 ? '' : ` (of ${notRead} only the summary was read so far)`)
  if (figures.award) return `${count}. ${figures.award.message}`
  if (figures.bestPricePerTonne === null) return `${count}; none can be awarded.`
  const best = formatPricePerTonne(figures.bestPricePerTonne, figures.currency)
  return `${count}, of which ${figures.ranked} can be awarded; the best price is ${best}.`
}

/** The one next step: what decides most. */
function nextStep(
  { candidate, row, standing, outlook, figures }: Subject,
  kinds: readonly TodayRfqKind[],
  award: TodayRfq['award'],
): TodayRfq['action'] {
  const { channel, name } = row
  const rfq = quoteForShell(name)
  const on = onChannel(channel)
  const path = rfqPath(channel, name)
  const [compare, changes] = [`quotekeeper compare ${rfq} ${on}`, `quotekeeper changes --rfq ${rfq} ${on}`]
  if (standing?.state.status === 'differs')
    return {
      message: 'Decide again',
      command: `quotekeeper award ${rfq} ${on} --withdraw`,
      path: awardPath(channel, name),
    }
  if (outlook !== null)
    return {
      message: outlook.isClosable ? 'Close now' : 'See why',
      command: outlook.isClosable ? `quotekeeper close-expired ${on}` : `quotekeeper closings --rfq ${rfq} ${on}`,
      // The page of the RFQ says why, beside what there is to decide.
      path: outlook.isClosable ? closingPath(channel, name) : path,
    }
  if (standing !== undefined)
    return { message: 'See the award', command: `quotekeeper award ${rfq} ${on}`, path: awardPath(channel, name) }
  if (kinds.includes('problems'))
    return { message: 'See problems', command: `quotekeeper problems ${on}`, path: systemPath('problems') }
  if (candidate.severity === 'low') return { message: 'See what changed', command: changes, path }
  if (award !== null) return { message: 'Decide', command: compare, path }
  const hasOffers = row.offers > 0 && figures.ranked === 0
  return hasOffers
    ? { message: 'Ask developers', command: compare, path: `${path}#questions` }
    : { message: 'See the RFQ', command: compare, path }
}
