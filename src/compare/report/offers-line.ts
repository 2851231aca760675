import { formatCount } from '../../core/text/number-format.js'
import { unreadText } from '../rfq/rfq-flags.js'
import { isChange } from './document-changes.js'
import type { RfqReport } from './rfq-report-model.js'

/** What was received, in one line. */
export function offersLine({ summary, changes, rfq }: RfqReport): string {
  const high = summary.flags.high
  return `Offers: ${[
    ...(rfq.unreadOffers > 0 ? [unreadText(rfq.unreadOffers)] : [`${formatCount(summary.offers, 'offer')} received`]),
    `${summary.ranked} ranked`,
    ...(summary.late > 0 ? [`${summary.late} late`] : []),
    ...(high > 0 ? [formatCount(high, 'high flag')] : []),
    formatCount(changes.filter(isChange).length, 'change observed', 'changes observed'),
  ].join(' · ')}`
}
