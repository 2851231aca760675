import { formatCount } from '../../core/text/number-format.js'
import type { Flag } from '../flag.js'
import type { RfqTerms } from './rfq-terms.js'

/** Flags on the RFQ itself: what neither the headline nor a banner says. */
export function rfqFlags({ responseDueDate, maxUnitPrice }: Omit<RfqTerms, 'flags'>): Flag[] {
  const flags: Flag[] = []
  if (responseDueDate === null) {
    const message =
      'The RFQ states no response due date: lateness cannot be determined, and the RFQ is never closed automatically.'
    flags.push({ code: 'rfq-no-due-date', severity: 'medium', message, compared: [] })
  }
  if (maxUnitPrice === null) {
    const message = 'The RFQ states no maximum price: savings against a budget cannot be calculated.'
    flags.push({ code: 'rfq-no-price-limit', severity: 'low', message, compared: [] })
  }
  return flags
}

/** `1 offer, not read yet`. */
export const unreadText = (offers: number): string => `${formatCount(offers, 'offer')}, not read yet`
