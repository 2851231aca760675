import type { DecisionRecord } from '../../core/records.js'
import { factsOf } from '../../recommendations/rfq-facts.js'
import type { ChannelRules } from '../channels/channel-rules.js'
import { type Lookup, type RfqAddress, type RfqRef, withRfq } from '../find-rfq.js'
import type { ViewSource } from '../source.js'
import { type ChannelStop, closingOutlook, outlookText, type RfqOutlook } from './closing-outlook.js'

/** The closings of one RFQ, and whether the next closing round closes it. */
export interface RfqClosing extends RfqRef, Omit<ChannelRules, 'key'> {
  title: string | null
  state: string | null
  dueDate: string | null
  stop: ChannelStop | null
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
    /** A round that qualifies more than `maxPerRun` RFQs is blocked, so it may read every due RFQ of the channel. */
    rfqClosing: (address: RfqAddress): Promise<Lookup<RfqClosing>> =>
      withRfq(store, { ...address, withoutResponses: true }, async ({ rfq }, ref) => {
        const { channel, id } = ref
        const { title, state, responseDueDate: dueDate } = factsOf(rfq)
        const { timeZone, graceHours, autoClose } = rulesOf(channel)
        const found = await closingOutlook(source, { channel, ids: [id] }, address.now)
        const outlook = found.rfqs.get(id) as RfqOutlook
        const decisions = await store.decisions({ channel, rfqId: id, limit: MAX_CLOSINGS })
        return {
          ...{ ...ref, title, state, dueDate, timeZone, graceHours, autoClose },
          ...{ stop: found.stop, outlook, message: outlookText(found, id), decisions },
        }
      }),
    /** Whether the next closing round closes an RFQ, and else why not, in a sentence. */
    async closingOutlook({ channel, id, now }: { channel: string; id: string; now: Date }) {
      const found = await closingOutlook(source, { channel, ids: [id] }, now)
      const rfq = found.rfqs.get(id)
      return {
        message: outlookText(found, id),
        isClosable: found.stop === null && rfq?.why === null,
        /** Whether a person can ask for its close again. */
        isRetryable: rfq?.command != null,
      }
    },
  }
}
