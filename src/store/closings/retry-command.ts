import { nameById } from '../../core/rfq-name.js'
import { quoteForShell } from '../../quote-for-shell.js'

/** The command that sends a close again. By its id, because another RFQ may have got its number since. */
export const retryCommand = (channel: string, rfqId: string) =>
  `quotekeeper close-expired --channel ${quoteForShell(channel)} --retry ${quoteForShell(nameById(rfqId))}`
