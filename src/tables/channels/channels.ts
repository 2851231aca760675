import { z } from 'zod'
import { sum } from '../../core/numbers.js'
import { channelDates } from '../rfqs/rfq-list.js'
import { channelKey, count, text, timestamp } from '../schema.js'
import type { ViewSource } from '../source.js'
import type { ChannelRules } from './channel-rules.js'

export const channelItem = z
  .strictObject({
    channel: channelKey,
    autoClose: z.enum(['on', 'dry-run', 'off']),
    timeZone: text,
    graceHours: z.number(),
    polls: z.array(
      z.strictObject({
        kind: z.enum(['listings', 'rfqs']),
        completeAt: timestamp.nullable(),
        ok: z.boolean().describe('Whether one completed within three intervals of the schedule.'),
        message: text,
        lostEntriesAt: timestamp
          .nullable()
          .describe('When the newest poll found that the list may not be whole; null otherwise.'),
      }),
    ),
    rfqs: z
      .strictObject({ open: count, closed: count, other: count, overdue: count })
      .describe('Without missing ones.'),
  })
  .meta({ id: 'Channel' })
export type ChannelItem = z.infer<typeof channelItem>

/** The configured channels. */
export const channelViews = (source: ViewSource) => ({
  async channels(now: Date): Promise<ChannelItem[]> {
    const checks = await source.pollChecks(now)
    return Promise.all(
      source.channels.map(async (rules) => {
        const { key: channel, autoClose, timeZone, graceHours } = rules
        return {
          ...{ channel, autoClose, timeZone, graceHours },
          polls: checks.filter((each) => each.channel === channel).map(({ channel: _channel, ...check }) => check),
          rfqs: await countPresent(source, rules, now),
        }
      }),
    )
  },
})

/** Counts the RFQs of a channel that are not missing, and of those the overdue ones by the channel's calendar. */
async function countPresent({ store, rulesOf }: ViewSource, { key }: ChannelRules, now: Date) {
  const { isOverdue } = channelDates(rulesOf(key), now)
  const counts = await store.rfqCounts(key)
  const count = (isCounted: (rfqs: (typeof counts)[number]) => boolean) =>
    sum(counts.map((rfqs) => (isCounted(rfqs) ? rfqs.count : 0)))
  const [all, open] = [count(() => true), count(({ state }) => state === 'open')]
  const closed = count(({ state }) => state === 'closed')
  const overdue = count(({ state, dueDate }) => state === 'open' && isOverdue(dueDate))
  return { open, closed, other: all - open - closed, overdue }
}
