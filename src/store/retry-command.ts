import { quoteForShell } from '../quote-for-shell.js'

/** The command that sends a close again. The id of an RFQ is text of the marketplace, so it is quoted. */
export const retryCommand = (channel: string, { rfqNumber, rfqId }: { rfqNumber: number | null; rfqId: string }) =>
  `quotekeeper close-expired --channel ${channel} --retry ${rfqNumber ?? quoteForShell(rfqId)}`
