import { oneLine } from '../core/events/event-text.js'
import type { EventKind, EventRecord } from '../core/events/events.js'
import { formatCount } from '../core/text/number-format.js'

/** The text of an event: plain text in one line each. Text of the marketplace is not escaped. */
export interface EventText {
  title: string
  /** What to do about it, and the hash to keep of a close; null if nothing. */
  remedy: string | null
}

/** Longer than other lines, because a command of `close-expired --approve` and a head hash must be whole. */
const MAX_REMEDY = 600

/** The sentence of an event, which starts with the channel, and what to do. */
export function describeEvent({ channel, text, data }: EventRecord): EventText {
  const head = data.head === undefined ? [] : [`head hash of the closing log: ${data.head}`]
  const line = [...(data.remedy === undefined ? [] : [data.remedy]), ...head].join('; ')
  return {
    title: channel === null ? text : `${channel}: ${text}`,
    remedy: line === '' ? null : oneLine(line, MAX_REMEDY),
  }
}

const NOUNS: Record<EventKind, [singular: string, plural: string]> = {
  'channel.first-poll': ['first poll of a channel', 'first polls of channels'],
  'offer.new': ['new offer', 'new offers'],
  'offer.late': ['late offer', 'late offers'],
  'offer.changed': ['changed offer', 'changed offers'],
  'offer.withdrawn': ['offer no longer listed', 'offers no longer listed'],
  'rfq.new': ['new RFQ', 'new RFQs'],
  'rfq.changed': ['changed RFQ', 'changed RFQs'],
  'rfq.due-soon': ['RFQ due soon', 'RFQs due soon'],
  'rfq.overdue': ['RFQ overdue and still open', 'RFQs overdue and still open'],
  'rfq.closed': ['closed RFQ', 'closed RFQs'],
  'close.refused': ['close that was refused or had no effect', 'closes that were refused or had no effect'],
  'close.unknown': ['close with an uncertain effect', 'closes with an uncertain effect'],
  'close.blocked': ['close blocked', 'closes blocked'],
  'close.stopped': ['stop of all closing', 'stops of all closing'],
  'close.resumed': ['end of a stop of all closing', 'ends of stops of all closing'],
  'award.recorded': ['recorded award', 'recorded awards'],
  'award.withdrawn': ['withdrawn award', 'withdrawn awards'],
  'recommendation.changed': ['changed recommendation', 'changed recommendations'],
  'channel.behind': ['late poll', 'late polls'],
  'channel.key-refused': ['refused API key', 'refused API keys'],
  'report.made': ['report', 'reports'],
  'notify.test': ['test', 'tests'],
  'problems.found': ['new deviation from the API description', 'new deviations from the API description'],
}

/** The number of events of a kind, such as `3 new offers`. */
function countedKind(kind: EventKind, count: number): string {
  const [singular, plural] = NOUNS[kind]
  return formatCount(count, singular, plural)
}

/** `3 new offers, 1 closed RFQ`. */
export function countedEvents(events: readonly EventRecord[]): string {
  const counts = new Map<EventKind, number>()
  for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  return [...counts].map(([kind, count]) => countedKind(kind, count)).join(', ')
}
