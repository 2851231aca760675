import { observe, type ReadDocument } from '../../../src/core/documents/observation.js'

/** Documents as the client observes their text. */
export const observeRfq = (text: string) => observe('rfq', text)
export const observeEntry = (text: string) => observe('rfq-entry', text)

/** A response that was read. */
export const observeResponse = (text: string, more: Partial<ReadDocument> = {}): ReadDocument => ({
  ...observe('response', text),
  ...{ summaryHash: 'summary', requested: true },
  ...more,
})

/** A document with these members, which has no problems although most are absent. */
export const observed = (body: object, more: Partial<ReadDocument> = {}): ReadDocument => ({
  ...observeRfq(JSON.stringify(body)),
  ...{ valid: true, problems: [] },
  ...more,
})

/** A response with these members, which has no problems although most are absent. */
export const observedResponse = (body: object, more: Partial<ReadDocument> = {}): ReadDocument =>
  observeResponse(JSON.stringify(body), { valid: true, problems: [], ...more })
