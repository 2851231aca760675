import { hash } from 'node:crypto'
import {
  type DocumentParser,
  type Observation,
  type ObservedResponse,
  observe,
  parseResponse,
  parseRfq,
  parseRfqListItem,
} from '../../../src/core/documents/observation.js'
import type { ListedDocument } from '../../../src/store/contract.js'

const observer =
  <T>(kind: 'rfq' | 'response', parse: DocumentParser<T>) =>
  (text: string): Observation<T> =>
    observe({ text, textHash: hash('sha256', text), body: JSON.parse(text) }, kind, parse)

/** Documents as the client observes their text. */
export const observeRfq = observer('rfq', parseRfq)
export const observeEntry = observer('rfq', parseRfqListItem)
const observeFull = observer('response', parseResponse)

/** A response that was read. */
export const observeResponse = (text: string, more: Partial<ObservedResponse> = {}): ObservedResponse => ({
  ...observeFull(text),
  ...{ summaryHash: 'summary', shape: 'full', requested: true },
  ...more,
})

/** A document with these members, which has no problems although most are absent. */
export const observed = (body: object, more: Partial<ListedDocument> = {}): ListedDocument => ({
  ...observeRfq(JSON.stringify(body)),
  ...{ valid: true, problems: [] },
  ...more,
})

/** A response with these members, which has no problems although most are absent. */
export const observedResponse = (body: object, more: Partial<ObservedResponse> = {}): ObservedResponse =>
  observeResponse(JSON.stringify(body), { valid: true, problems: [], ...more })
