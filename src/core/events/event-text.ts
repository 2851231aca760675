import type { RecommendationFigures } from '../decision/recommendation.js'
import { cleanLine } from '../text/clean-text.js'
import { formatCount, formatMoney, formatPricePerTonne, formatTonnes, formatTotal } from '../text/number-format.js'
import type { AwardTerms, EventData, EventKind, EventOffer, EventRfq } from './events.js'

const MAX_LINE = 400
const MAX_NAMED_CHANGES = 3

/** The sentence of an event, in one line. Text of the marketplace is not escaped. */
export const eventSentence = (kind: EventKind, data: EventData): string => cleanLine(SENTENCES[kind](data), MAX_LINE)

type Sentence = (data: EventData) => string

const SENTENCES: Record<EventKind, Sentence> = {
  'channel.first-poll': ({ found }) =>
    `first poll: ${formatCount(found?.rfqs ?? 0, 'RFQ')}, ${formatCount(found?.offers ?? 0, 'offer')}`,
  'offer.new': ({ rfq, offer }) => `new offer for ${rfqName(rfq)}: ${offerText(offer)}`,
  'offer.late': ({ rfq, offer, reason }) => `late offer for ${rfqName(rfq)}, ${reason ?? ''}: ${offerText(offer)}`,
  'offer.changed': ({ rfq, offer, messages }) =>
    `offer for ${rfqName(rfq)} changed: ${offerName(offer)}${changeText(messages)}`,
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
  'close.stopped': ({ stop }) => `${stop?.by ?? 'somebody'} stopped all closing: ${stop?.reason ?? ''}`,
  'close.resumed': ({ stop }) =>
    `closing goes on: ${stop?.endedBy ?? 'somebody'} ended the stop of ${stop?.by ?? 'somebody'} (${stop?.reason ?? ''})`,
  'channel.behind': ({ poll, reason }) =>
    `no complete poll of ${poll?.kind ?? 'the channel'} for three intervals: ${reason ?? ''}`,
  'channel.key-refused': ({ reason }) => `the API key is not accepted: ${reason ?? ''}`,
  'recommendation.changed': ({ rfq, messages }) => `${rfqName(rfq)}${changeText(messages)}`,
  'award.recorded': ({ rfq, messages }) => `${rfqName(rfq)}${changeText(messages)}`,
  'award.withdrawn': ({ rfq, messages }) => `${rfqName(rfq)}${changeText(messages)}`,
  'report.made': ({ rfq, report }) =>
    `report ${rfq ? `on ${rfqName(rfq)} ` : ''}written${report?.by ? `, made by ${report.by}` : ''}: ${fileName(report?.name ?? '')}`,
  'problems.found': ({ problem }) => `new deviation from the API description (${problem?.message ?? ''})`,
  'notify.test': () => 'this is a test of quotekeeper notify --test',
}

/** Without the folder, which is meaningless on another machine. */
const fileName = (path: string) => path.split(/[\\/]/).at(-1) ?? ''

const rfqName = (rfq: EventRfq | undefined): string => (rfq ? `RFQ ${rfq.number ?? rfq.id}` : 'an RFQ')

function rfqText(rfq: EventRfq | undefined): string {
  const title = rfq?.title ? ` “${rfq.title}”` : ''
  const due = rfq?.responseDueDate ? `, responses due ${rfq.responseDueDate}` : ''
  return rfqName(rfq) + title + due
}

function offerName(offer: EventOffer | undefined): string {
  if (!offer) return 'details are in the database'
  const { projectDeveloperName, projectName, id } = offer
  return [projectDeveloperName, projectName].filter((name) => name !== null).join(', ') || id
}

function offerText(offer: EventOffer | undefined): string {
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

// --- awards ---------------------------------------------------------------------------------------------------------

/** What an award amounts to; null if it has no offers. */
export function awardTerms(award: Omit<RecommendationFigures, 'status'>): AwardTerms | null {
  const { offers, tonnes, cost, pricePerTonne, currency } = award
  if (offers.length === 0) return null
  return {
    offers: offers.map(({ name }) => name),
    ...{ tonnes: tonnes ?? 0, total: cost ?? 0, pricePerTonne: pricePerTonne ?? 0, currency: currency ?? '' },
  }
}

/** What an RFQ was to be awarded by and is from then on, in a sentence: none if that is the same. */
export function describeMove({ before, after }: NonNullable<EventData['moved']>): string[] {
  const [old, now] = [describeTerms(before), describeTerms(after)]
  if (old === now) return []
  return [before === null ? `Now ${now}.` : `${old} → ${now}.`]
}

/** `8,670 t at 28.80 USD/t, 249,696 USD`. */
const describeTerms = (terms: AwardTerms | null): string =>
  terms === null
    ? 'nothing'
    : `${formatTonnes(terms.tonnes)} at ${formatPricePerTonne(terms.pricePerTonne, terms.currency)}, ${formatTotal(terms.total, terms.currency)}`
