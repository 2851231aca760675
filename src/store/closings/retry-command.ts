import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { nameById } from '../../core/text/rfq-name.js'

/** The command that sends a close again. By its id, because another RFQ may have got its number since. */
export const retryCommand = (channel: string, rfqId: string) =>
  `quotekeeper close-expired --channel ${quoteForShell(channel)} --retry ${quoteForShell(nameById(rfqId))}`
