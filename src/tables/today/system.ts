import { formatCount } from '../../core/text/number-format.js'
import type { PollCheck } from '../../readiness/poll-freshness.js'
import { systemPath } from '../page-paths.js'
import { filterOf, NO_RFQ, onChannel, type TodayContext, type TodayItem } from './today-view.js'

/** Channels that are behind, notifications that were given up, and data problems; most severe first. */
export async function systemItems(context: TodayContext): Promise<TodayItem[]> {
  return [...(await behindItems(context)), ...(await undeliveredItems(context)), ...(await problemItems(context))]
}

/** Polls that are behind their schedule, or of a list that may not be whole. */
async function behindItems({ source, now, channel }: TodayContext): Promise<TodayItem[]> {
  const checks = await source.pollChecks(now)
  return checks
    .filter((check) => channel === undefined || check.channel === channel)
    .flatMap((check) => (check.lostEntriesAt !== null ? lossItem(check) : check.ok ? [] : behindItem(check)))
}

const LISTS = { rfqs: 'RFQs', listings: 'listings' }

function behindItem({ channel, kind, message, completeAt }: PollCheck): TodayItem {
  return {
    ...{ kind: 'behind', severity: 'high', ...NO_RFQ, channel, since: completeAt },
    message: `The ${LISTS[kind]} are behind: ${message}.`,
    action: {
      message: 'Poll now',
      command: `quotekeeper sync ${onChannel(channel)} --only ${kind}`,
      path: systemPath('channels'),
    },
  }
}

function lossItem({ channel, kind, lostEntriesAt }: PollCheck): TodayItem {
  const held = kind === 'rfqs' ? ', and no RFQ is closed' : ''
  return {
    ...{ kind: 'behind', severity: 'high', ...NO_RFQ, channel, since: lostEntriesAt },
    message: `The list of ${LISTS[kind]} may not be whole: none is marked as missing${held}, until a poll reads a whole one or you accept the list.`,
    action: {
      message: 'See the polls',
      command: `quotekeeper runs ${onChannel(channel)}`,
      path: systemPath('runs'),
    },
  }
}

/** Notifications that were given up: one item per channel. */
async function undeliveredItems({ source, channel }: TodayContext): Promise<TodayItem[]> {
  const found = (await source.store.deadLetters()).flatMap((letters) =>
    letters.channel === null || (channel !== undefined && letters.channel !== channel)
      ? []
      : [{ ...letters, channel: letters.channel }],
  )
  return [...new Set(found.map((letters) => letters.channel))].map((key) => {
    const own = found.filter((letters) => letters.channel === key)
    const total = own.reduce((sum, { count }) => sum + count, 0)
    const targets = own.map(({ target, count }) => `${count} for ${target}`).join(', ')
    return {
      kind: 'undelivered',
      severity: 'medium',
      ...NO_RFQ,
      channel: key,
      message: `${formatCount(total, 'notification')} could not be sent and will not be tried again: ${targets}.`,
      since: own.map(({ since }) => since).sort()[0] ?? null,
      action: { message: 'See why', command: 'quotekeeper notify', path: systemPath('notifications') },
    }
  })
}

/** One item per channel. */
async function problemItems(context: TodayContext): Promise<TodayItem[]> {
  const { source, since } = context
  const counts = await source.store.problemCounts({ ...filterOf(context), since })
  return counts.map(({ channel, problems, documents, fresh, newestAt }) => ({
    kind: 'problems',
    severity: 'low',
    ...NO_RFQ,
    channel,
    message: `${formatCount(problems, 'deviation')} from the API description in ${formatCount(documents, 'document')}, ${fresh} new.`,
    since: newestAt,
    action: {
      message: 'List the problems',
      command: `quotekeeper problems ${onChannel(channel)}`,
      path: systemPath('problems'),
    },
  }))
}
