import type { EventFilter } from '../core/events/events.js'
import type { Store } from '../store/contract.js'
import { type AwardOrder, prepareAward } from './awards/awards.js'
import { rfqClosing } from './closings/closing-outlook.js'
import type { RfqAddress } from './find-rfq.js'
import { type ListPage, type ListRequest, readChoices, readList } from './list.js'
import { type ListName, listNamed } from './lists/lists.js'
import { type OfferAddress, readOffer } from './offer/offer.js'
import { pollViews } from './polls.js'
import { rfqViews } from './rfq/rfq.js'
import { createViewSource, type ViewConfig } from './source.js'
import { countWaiting, type TodayOptions, today } from './today/today.js'

/** Everything that pages, the API, assistants and commands show. Arguments and results are plain data, and can be sent to a thread. */
export type Views = ReturnType<typeof createViews>

/** What is shown, read from an open store. Keeps what it read of RFQs in memory. */
export function createViews(store: Store, config: ViewConfig) {
  const source = createViewSource(store, config)
  return {
    /** A page of a list. @throws FilterError */
    list: (name: ListName, request: ListRequest): Promise<ListPage<unknown>> =>
      readList(listNamed(name), source, request),
    /** What the filters of a list offer to choose from. */
    choices: (name: ListName) => readChoices(listNamed(name), source),
    ...pollViews(source),
    findRfq: source.findRfq,
    ...rfqViews(source),
    offer: (address: OfferAddress) => readOffer(source, address),
    rfqClosing: (address: RfqAddress) => rfqClosing(source, address),
    /** All awards of an RFQ, newest first. */
    rfqAwards: (rfq: { channel: string; rfqId: string }) => store.awards(rfq),
    /** The workbook of an award; null if there is no such award. */
    awardFile: (id: number) => store.awardFile(id),
    prepareAward: (order: AwardOrder) => prepareAward(source, order),
    events: (filter: EventFilter) => store.events(filter),
    today: (options: TodayOptions) => today(source, options),
    waiting: (now: Date) => countWaiting(source, now),
  }
}
