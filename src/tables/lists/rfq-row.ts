import { READ_STATE_TEXT } from '../../compare/input/stored-documents.js'
import type { RfqFacts } from '../../compare/rfq/rfq-terms.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import type { AwardBrief, RfqFigures, Stake } from '../../figures/rfq-figures.js'
import type { dueOf } from '../channels/channel-rules.js'
import { awardPath, closingPath, rfqPath, systemPath } from '../page-paths.js'

/** What is known of an RFQ without its figures. */
export interface KnownRfq extends RfqFacts, ReturnType<typeof dueOf> {
  channel: string
  id: string
  /** What leads to it in commands and addresses: its number, or its id if others have that number too. */
  name: string
}

/** An RFQ in a list: the newest recorded figures, beside what its document and its entry say now. */
export interface RfqRow extends KnownRfq {
  /** Offers that are not missing. */
  offers: number
  version: number
  changedAt: string
  readAt: string | null
  missingSince: string | null
  valid: boolean
  figures: RfqFigures
  /** What is accepted, and what else is awarded on record, or recommended. */
  stakes: Stake[]
  /** When the figures were recorded; null if they were not yet. */
  figuresAt: string | null
  /** The figures are of an earlier day. */
  isOutdated: boolean
  /** What the marketplace shows of the desk's award on record; null if none stands. */
  standing: AwardBrief | null
  /** 2: a person has to act now; 1: soon; 0: not. */
  urgency: 0 | 1 | 2
  /** Its offers and those for other RFQs claim more credits than a listing has. */
  isBeyondAvailability: boolean
}

/** What a reader has to know of its state beside the due date. */
export function marksOf(row: RfqRow): string[] {
  const { state, overdue, daysToDue, missingSince, readState, valid, figures, figuresAt, isOutdated } = row
  const isOpen = state === 'open' && missingSince === null
  const day = daysToDue === 0 ? 'due today' : daysToDue === 1 ? 'due tomorrow' : null
  return [
    ...(state === 'open' ? [] : [state ?? 'state unknown']),
    ...(overdue ? ['overdue'] : isOpen && day !== null ? [day] : []),
    ...(figures.undecided ? ['undecided'] : []),
    ...(missingSince === null ? [] : ['missing']),
    ...(READ_STATE_TEXT[readState] === null ? [] : [READ_STATE_TEXT[readState] ?? '']),
    ...(valid ? [] : ['not valid']),
    ...(figuresAt === null ? ['no figures yet'] : isOutdated ? [`figures of ${figuresAt.slice(0, 10)}`] : []),
  ]
}

const STANDING_WORDS = {
  waiting: 'awarded',
  accepted: 'awarded and accepted',
  differs: 'differs',
  'no-award': 'no award',
}

export function basisOf({ figures, standing, unreadOffers, offers }: RfqRow): string | null {
  const { decision } = figures
  if (standing !== null) return decision === null ? 'no award' : STANDING_WORDS[standing.status]
  if (decision !== null) return decision.isPartial ? 'partial' : decision.basis
  return unreadOffers > 0 ? 'offers not read' : offers === 0 ? 'no offers' : 'none possible'
}

/** What is unsure about an award that the marketplace does not show as accepted yet. */
export function doubtsOf({ figures, standing, unreadOffers, state, isBeyondAvailability }: RfqRow): string[] {
  const isUndecided = standing === null && (state === 'open' || figures.undecided)
  const isWaiting = standing?.status === 'waiting' || standing?.status === 'differs'
  return [
    ...((isUndecided || isWaiting) && figures.loud > 0 ? ['loud doubts'] : []),
    ...(isBeyondAvailability ? ['beyond listing'] : []),
    ...(isUndecided && figures.withoutRate > 0 ? ['no exchange rate'] : []),
    ...(unreadOffers > 0 || figures.summaryOnly > 0 ? ['offers not read'] : []),
  ]
}

/** What to do: a command, and the page that does or shows the same. */
const step = (message: string, command: string, path: string) => ({ message, command: `quotekeeper ${command}`, path })

/** The one step that decides most about an RFQ; null if it waits for nobody. Its command is about this RFQ alone. */
export function stepOf({ channel, name, state, standing, figures, stakes, overdue, valid, offers, urgency }: RfqRow) {
  if (urgency === 0) return null
  const about = `${quoteForShell(name)} --channel ${quoteForShell(channel)}`
  const path = rfqPath(channel, name)
  if (standing?.status === 'differs') return step('Decide again', `award ${about} --withdraw`, awardPath(channel, name))
  if (figures.undecided || (state === 'open' && stakes.some(({ kind }) => kind === 'recommended')))
    return step('Decide', `compare ${about}`, path)
  if (standing !== null && (!overdue || standing.findings.some(({ loud }) => loud)))
    return step('See the award', `award ${about}`, awardPath(channel, name))
  if (overdue) return step('Why open', `closings --rfq ${about}`, closingPath(channel, name))
  if (!valid) return step('See problems', `problems --channel ${quoteForShell(channel)}`, systemPath('problems'))
  return offers > 0 && figures.ranked === 0
    ? step('Ask developers', `compare ${about} --questions`, `${path}#questions`)
    : step('See the RFQ', `compare ${about}`, path)
}
