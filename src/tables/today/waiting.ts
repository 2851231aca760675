import { sum } from '../../core/numbers.js'
import { addDays } from '../../core/time/calendar-days.js'
import type { ViewSource, ViewStore } from '../source.js'
import { DUE_WITHIN_DAYS } from './today-view.js'

/** How much waits for a person, for the navigation of every page. */
export interface Waiting {
  /**
   * RFQs that are due within `DUE_WITHIN_DAYS` or overdue, or need attention because of an award, the list or an invalid document: those of
   * Today without news, because the news of a long time take too long to read for every page.
   */
  rfqs: number
  /** Closes that went wrong or are not settled, except those in progress, and blocked closing rounds. */
  closings: number
  /** Notifications that were given up. */
  notifications: number
}

interface WaitingSource extends Pick<ViewSource, 'rulesOf'> {
  store: Pick<ViewStore, 'storedChannels' | 'countAttention' | 'unsettledCloses' | 'pendingPlans' | 'deadLetters'>
}

/** Counts what waits. Reads no document of an RFQ, except of those whose close is not settled. */
export async function countWaiting({ store, rulesOf }: WaitingSource, now: Date): Promise<Waiting> {
  const channels = await store.storedChannels()
  const dueBy = (channel: string) => addDays(rulesOf(channel).calendar.dateAt(now), DUE_WITHIN_DAYS)
  const [rfqs, unsettled, plans, letters] = await Promise.all([
    Promise.all(channels.map((channel) => store.countAttention({ channel, dueBy: dueBy(channel) }))),
    store.unsettledCloses({ now }),
    store.pendingPlans({ now }),
    store.deadLetters(),
  ])
  return {
    rfqs: sum(rfqs),
    closings: unsettled.filter(({ inProgress }) => !inProgress).length + plans.length,
    notifications: sum(letters.map(({ count }) => count)),
  }
}
