import { parseStoredRfq } from '../../compare/input/stored-documents.js'
import { rfqFacts } from '../../compare/rfq/rfq-terms.js'
import type { DecisionRecord } from '../../core/records.js'
import { formatCount } from '../../core/text/number-format.js'
import type { Fact } from '../column.js'
import { findRfq, type RfqAddress, type RfqRef } from '../find-rfq.js'
import type { ViewSource } from '../source.js'
import { type ClosingOutlook, closingOutlook, outlookText, type RfqOutlook } from './closing-outlook.js'

/** The closings of one RFQ, and whether the next closing round closes it. */
export interface RfqClosing extends RfqRef, Pick<ClosingOutlook, 'stop'> {
  title: string | null
  state: string | null
  facts: Fact[]
  outlook: RfqOutlook
  /** Whether the next closing round closes it, and else why not. */
  message: string
  /** Newest first. */
  decisions: DecisionRecord[]
}

/** Maximum number of closings shown for one RFQ; older ones are left out. */
const MAX_CLOSINGS = 100

/** What closing rounds decided about an RFQ, and what the next one will do. */
export function closingViews(source: ViewSource) {
  const { store, rulesOf } = source
  return {
    /** If more than `maxPerRun` RFQs are due, every one of the channel is read, because such a round is blocked. */
    async rfqClosing(address: RfqAddress): Promise<RfqClosing> {
      const { rfq, channel, id, name } = await findRfq(store, { ...address, withoutResponses: true })
      const { title, state, responseDueDate } = rfqFacts(parseStoredRfq(rfq))
      const { timeZone, graceHours, autoClose } = rulesOf(channel)
      const found = await closingOutlook(source, { channel, ids: [id] }, address.now)
      const facts: Fact[] = [
        { label: 'State', kind: 'state', value: state },
        { label: 'Due', kind: 'date', value: responseDueDate },
        { label: 'Time zone', kind: 'text', value: timeZone },
        { label: 'Grace', kind: 'text', value: graceHours === 0 ? null : formatCount(graceHours, 'hour') },
        { label: 'autoClose', kind: 'text', value: autoClose },
      ]
      return {
        ...{ channel, id, name, title, state, facts, stop: found.stop, message: outlookText(found, id) },
        outlook: found.rfqs.get(id) as RfqOutlook,
        decisions: await store.decisions({ channel, rfqId: id, limit: MAX_CLOSINGS }),
      }
    },
  }
}
