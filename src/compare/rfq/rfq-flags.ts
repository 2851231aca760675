import { describeListDiff } from '../../core/sources/source-text.js'
import { isDecisive, type ListDiff } from '../../core/sources/sources.js'
import { formatCount } from '../../core/text/number-format.js'
import { type Flag, type FlagValue, flagValue, type RfqFlagCode, type Severity, sortBySeverity } from '../flag.js'
import type { ComparisonContext } from '../input/comparison-context.js'
import type { RfqTerms } from './rfq-terms.js'

type Terms = Omit<RfqTerms, 'flags'>
type FlagBody = (Pick<Flag, 'message' | 'compared'> & { severity?: Severity }) | null

const SEVERITY: Record<RfqFlagCode, Severity> = {
  'rfq-invalid': 'medium',
  'rfq-missing': 'high',
  'rfq-list-differs': 'high',
  'rfq-overdue': 'high',
  'rfq-state-conflict': 'medium',
  'rfq-no-due-date': 'medium',
  'rfq-no-offers': 'medium',
  'rfq-offers-unread': 'medium',
  'rfq-no-volume': 'medium',
  'rfq-no-price-limit': 'low',
  'rfq-limits-crossed': 'high',
}

/** Flags on the RFQ itself, most severe first. */
export function rfqFlags(rfq: Terms, offers: number, { asOfDate, report: { listed } }: ComparisonContext): Flag[] {
  const raised: Record<RfqFlagCode, FlagBody> = {
    'rfq-invalid': notValid(rfq),
    'rfq-missing':
      rfq.missingSince === null
        ? null
        : flagBody(
            `The RFQ has been missing from the channel since ${rfq.missingSince}.`,
            flagValue('missing since', rfq.missingSince),
          ),
    'rfq-list-differs': listDiffers(listed),
    'rfq-overdue': pastDue(rfq, asOfDate),
    'rfq-state-conflict':
      rfq.state === 'open' && rfq.closedAt !== null
        ? flagBody(
            `The RFQ is open, although it states a closing time, ${rfq.closedAt}: ask whether it still takes offers.`,
            flagValue('state', rfq.state),
            flagValue('closed at', rfq.closedAt),
          )
        : null,
    'rfq-no-due-date':
      rfq.responseDueDate === null
        ? flagBody(
            'The RFQ states no response due date: lateness cannot be determined, and the RFQ is never closed automatically.',
          )
        : null,
    'rfq-no-offers':
      offers === 0 && rfq.unreadOffers === 0 ? flagBody('The RFQ has no offers.', flagValue('offers', 0)) : null,
    'rfq-offers-unread':
      rfq.unreadOffers === 0
        ? null
        : flagBody(
            `The RFQ has ${unreadText(rfq.unreadOffers)}: only its entry in the list is known.`,
            flagValue('offers in the list', rfq.unreadOffers),
          ),
    'rfq-no-volume':
      rfq.window.lower === null
        ? flagBody(
            rfq.window.message,
            flagValue('minimum volume', rfq.minVolume, 't'),
            flagValue('maximum volume', rfq.maxVolume, 't'),
          )
        : null,
    'rfq-no-price-limit':
      rfq.maxUnitPrice === null
        ? flagBody('The RFQ states no maximum price: savings against a budget cannot be calculated.')
        : null,
    'rfq-limits-crossed': limitsCrossed(rfq),
  }
  const flags = (Object.entries(raised) as [RfqFlagCode, FlagBody][]).flatMap(([code, body]) =>
    body === null ? [] : [{ code, severity: SEVERITY[code], ...body }],
  )
  return sortBySeverity(flags)
}

/** `1 offer, not read yet`. */
export const unreadText = (offers: number): string => `${formatCount(offers, 'offer')}, not read yet`

const flagBody = (message: string, ...compared: FlagValue[]) => ({ message, compared })

const notValid = ({ source }: Terms): FlagBody =>
  source.valid ? null : flagBody('The RFQ document does not match the documented format; its readable values are used.')

function listDiffers(listed: ListDiff | null): FlagBody {
  if (listed === null) return null
  return { ...flagBody(describeListDiff(listed)), severity: isDecisive(listed) ? 'high' : 'medium' }
}

function pastDue(rfq: Terms, asOfDate: string): FlagBody {
  if (rfq.state !== 'open' || rfq.daysToDue === null || rfq.daysToDue >= 0) return null
  const message = `The RFQ is still open ${formatCount(-rfq.daysToDue, 'day')} after its response due date, ${rfq.responseDueDate}.`
  return flagBody(message, flagValue('as of', asOfDate), flagValue('response due date', rfq.responseDueDate))
}

/** Pairs of limits whose minimum is above their maximum. */
export function crossedLimits(rfq: Terms): { what: string; min: number; max: number }[] {
  const pairs = [
    { what: 'volume', min: rfq.minVolume, max: rfq.maxVolume },
    { what: 'vintage year', min: rfq.minVintageYear, max: rfq.maxVintageYear },
    { what: 'unit price', min: rfq.minUnitPrice, max: rfq.maxUnitPrice },
  ]
  return pairs.flatMap(({ what, min, max }) => (min !== null && max !== null && min > max ? [{ what, min, max }] : []))
}

function limitsCrossed(rfq: Terms): FlagBody {
  const [pair] = crossedLimits(rfq)
  if (pair === undefined) return null
  const message = `The minimum ${pair.what} of the RFQ, ${pair.min}, is above its maximum, ${pair.max}: no offer can meet both limits.`
  return flagBody(message, flagValue(`minimum ${pair.what}`, pair.min), flagValue(`maximum ${pair.what}`, pair.max))
}
