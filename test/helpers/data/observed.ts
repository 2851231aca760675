import { hash } from 'node:crypto'
import {
  type DocumentParser,
  type Observation,
  observe,
  parseResponse,
  parseRfq,
  parseRfqListItem,
  type ReadDocument,
} from '../../../src/core/documents/observation.js'

const observer =
  <T>(kind: 'rfq' | 'response', parse: DocumentParser<T>) =>
  (text: string): Observation<T> =>
    observe({ text, textHash: hash('sha256', text), body: JSON.parse(text) }, kind, parse)

/** Documents as the client observes their text. */
export const observeRfq = observer('rfq', parseRfq)
export const observeEntry = observer('rfq', parseRfqListItem)

/** A response that was read. */
export const observeResponse = (text: string, more: Partial<ReadDocument> = {}): ReadDocument => ({
  ...observer('response', parseResponse)(text),
  ...{ summaryHash: 'summary', shape: 'full', requested: true },
  ...more,
})

/** A document with these members, which has no problems although most are absent. */
export const observed = (body: object, more: Partial<ReadDocument> = {}): ReadDocument => ({
  ...observeRfq(JSON.stringify(body)),
  ...{ shape: 'full', valid: true, problems: [] },
  ...more,
})

/** A response with these members, which has no problems although most are absent. */
export const observedResponse = (body: object, more: Partial<ReadDocument> = {}): ReadDocument =>
  observeResponse(JSON.stringify(body), { valid: true, problems: [], ...more })
