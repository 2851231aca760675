import type { EventData, EventKind, EventRecord, OfferFacts, RfqFacts } from '../core/events/events.js'
import { INVISIBLE, truncate } from '../core/text/clean-text.js'
import { formatCount, formatMoney, formatTonnes } from '../core/text/number-format.js'

/** The text of an event: plain text in one line each. Text of the marketplace is not escaped. */
export interface EventText {
  title: string
  /** What to do about it, and the hash to keep of a close; null if nothing. */
  remedy: string | null
}

const MAX_LINE = 400
/** Longer, because a command of `close-expired --approve` and a head hash must be whole. */
const MAX_REMEDY = 600
const MAX_NAMED_CHANGES = 3
const UNSAFE = new RegExp(`[${INVISIBLE}\\s]+`, 'gu')

/** Converts text to one line, without characters that control, hide or reorder text. */
export const oneLine = (text: string, max = MAX_LINE): string => truncate(text.replace(UNSAFE, ' ').trim(), max)

/** Describes an event in a sentence that starts with the channel. */
export function describeEvent({ kind, channel, data }: EventRecord): EventText {
  const sentence = SENTENCES[kind](data)
  const title = oneLine(channel === null ? sentence : `${channel}: ${sentence}`)
  const head = data.head === undefined ? [] : [`head hash of the closing log: ${data.head}`]
  const line = [...(data.remedy === undefined ? [] : [data.remedy]), ...head].join('; ')
  return { title, remedy: line === '' ? null : oneLine(line, MAX_REMEDY) }
}

type Sentence = (data: EventData) => string

const stopOrders = (orders: readonly { by: string; reason: string }[]): string =>
  orders.map(({ by, reason }) => `${by} (${reason})`).join(' and of ')

const SENTENCES: Record<EventKind, Sentence> = {
  'channel.first-poll': ({ found }) => firstPollSentence(found),
  'offer.new': ({ rfq, offer }) => `new offer for ${rfqName(rfq)}: ${offerText(offer)}`,
  'offer.late': ({ rfq, offer, reason }) => `late offer for ${rfqName(rfq)}, ${reason ?? ''}: ${offerText(offer)}`,
  'offer.changed': ({ rfq, offer, messages }) =>
    messages === undefined
      ? `offer for ${rfqName(rfq)} changed: ${offerText(offer)}`
      : `offer for ${rfqName(rfq)} changed: ${offerName(offer)}${changeText(messages)}`,
  'offer.withdrawn': ({ rfq, offer }) => `offer for ${rfqName(rfq)} is no longer listed: ${offerText(offer)}`,
  'rfq.new': ({ rfq }) => `new ${rfqText(rfq)}`,
  'rfq.changed': ({ rfq, messages }) => `${rfqName(rfq)} changed${changeText(messages)}`,
  'rfq.due-soon': ({ rfq }) => `due soon: ${rfqText(rfq)}`,
  'rfq.overdue': ({ rfq }) => `overdue and still open: ${rfqText(rfq)}`,
  'rfq.closed': ({ rfq, reason }) => `${rfqName(rfq)} was ${reason ?? 'closed'}`,
  'close.refused': ({ rfq, reason }) => `the close of ${rfqName(rfq)} was refused or had no effect: ${reason ?? ''}`,
  'close.unknown': ({ rfq, reason }) => `it is uncertain whether ${rfqName(rfq)} was closed: ${reason ?? ''}`,
  'close.blocked': ({ rfq, reason }) =>
    rfq ? `closing ${rfqName(rfq)} is blocked: ${reason ?? ''}` : `closing is ${reason ?? 'blocked'}`,
  'close.stopped': ({ stop }) =>
    `${stop?.by ?? 'somebody'} stopped all closing: ${stop?.reason ?? ''}${
      stop?.replaces ? `; stopped already by ${stopOrders(stop.replaces)}` : ''
    }`,
  'close.resumed': ({ stop }) =>
    `closing goes on: ${stop?.endedBy ?? 'somebody'} ended the stop of ${stopOrders([...(stop?.replaces ?? []), { by: stop?.by ?? 'somebody', reason: stop?.reason ?? '' }])}`,
  'channel.behind': ({ poll, reason }) =>
    `no complete poll of ${poll?.kind ?? 'the channel'} for three intervals: ${reason ?? ''}`,
  'channel.key-refused': ({ reason }) => `the API key is not accepted: ${reason ?? ''}`,
  'recommendation.changed': ({ rfq, reason }) => `${rfqName(rfq)}: ${reason ?? 'another award is recommended'}`,
  'report.made': ({ rfq, report }) =>
    `report ${rfq ? `on ${rfqName(rfq)} ` : ''}written${report?.by ? `, made by ${report.by}` : ''}: ${fileName(report?.name ?? '')}`,
  'problems.found': ({ problem }) => `new deviation from the API description (${problem?.message ?? ''})`,
  'notify.test': () => 'this is a test of quotekeeper notify --test',
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

function firstPollSentence(found: EventData['found']): string {
  if (!found) return 'first poll'
  return `first poll: ${formatCount(found.rfqs, 'RFQ')}, ${formatCount(found.offers, 'offer')}`
}

/** Without the folder, which is meaningless on another machine. */
const fileName = (path: string) => path.split(/[\\/]/).at(-1) ?? ''

const rfqName = (rfq: RfqFacts | undefined): string => (rfq ? `RFQ ${rfq.number ?? rfq.id}` : 'an RFQ')

function rfqText(rfq: RfqFacts | undefined): string {
  const title = rfq?.title ? ` “${rfq.title}”` : ''
  const due = rfq?.responseDueDate ? `, responses due ${rfq.responseDueDate}` : ''
  return rfqName(rfq) + title + due
}

function offerName(offer: OfferFacts | undefined): string {
  if (!offer) return 'details are in the database'
  const { projectDeveloperName, projectName, id } = offer
  return [projectDeveloperName, projectName].filter((name) => name !== null).join(', ') || id
}

function offerText(offer: OfferFacts | undefined): string {
  if (!offer) return offerName(offer)
  const { totalVolume, totalPrice, currency } = offer
  const volume = totalVolume === null ? null : formatTonnes(totalVolume)
  const price = totalPrice === null ? null : formatMoney(totalPrice, currency)
  return [offerName(offer), [volume, price].filter((part) => part !== null).join(' for ')].filter(Boolean).join(', ')
}

/** The first sentences about what changed. */
function changeText(messages: readonly string[] | undefined): string {
  if (!messages || messages.length === 0) return ''
  return `: ${messages.slice(0, MAX_NAMED_CHANGES).join(' ')}${messages.length > MAX_NAMED_CHANGES ? ' …' : ''}`
}
