import { hash } from 'node:crypto'
import type { SentKind } from '../../../src/core/documents/documents.js'
import { observe, type ReadDocument } from '../../../src/core/documents/observation.js'

const observer =
  <K extends SentKind>(kind: K) =>
  (text: string) =>
    observe(kind, { text, textHash: hash('sha256', text), body: JSON.parse(text) })

/** Documents as the client observes their text. */
export const observeRfq = observer('rfq')
export const observeEntry = observer('rfq-entry')

/** A response that was read. */
export const observeResponse = (text: string, more: Partial<ReadDocument> = {}): ReadDocument => ({
  ...observer('response')(text),
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
