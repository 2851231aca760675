import { formatCount } from '../domain/comparison/number-format.js'
import { channelPath, listPath } from './page-paths.js'
import { filterOf, NO_RFQ, onChannel, type TodayContext, type TodayItem } from './today-model.js'

/** Polls that are behind their schedule. */
export async function behindItems({ source, now, channel }: TodayContext): Promise<TodayItem[]> {
  const behind = (await source.pollChecks(now)).filter(
    (check) => !check.ok && (channel === undefined || check.channel === channel),
  )
  return behind.map((check) => ({
    kind: 'behind',
    severity: 'high',
    ...NO_RFQ,
    channel: check.channel,
    words: `The ${check.kind === 'rfqs' ? 'RFQs' : 'listings'} are behind: ${check.message}.`,
    since: check.completeAt,
    action: {
      words: 'Poll now',
      command: `quotekeeper sync ${onChannel(check.channel)} --only ${check.kind}`,
      path: channelPath(check.channel),
    },
  }))
}

/** Notifications that were given up: one item per channel. */
export async function undeliveredItems({ source, channel }: TodayContext): Promise<TodayItem[]> {
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
      words: `${formatCount(total, 'notification')} could not be sent and will not be tried again: ${targets}.`,
      since: own.map(({ since }) => since).sort()[0] ?? null,
      action: { words: 'See why, and send again', command: 'quotekeeper notify', path: '/notifications?state=dead' },
    }
  })
}

/** One item per channel. */
export async function problemItems(context: TodayContext): Promise<TodayItem[]> {
  const { source, rows, since } = context
  const counts = await source.store.problemCounts({ ...filterOf(context), since })
  return counts.map(({ channel, problems, documents, fresh, newestAt }) => {
    const neverClosed = rows.filter((row) => row.channel === channel && row.state === 'open' && !row.valid)
    const names = neverClosed.slice(0, MAX_NAMED).map(({ name }) => name)
    return {
      kind: 'problems',
      severity: neverClosed.length > 0 ? 'medium' : 'low',
      ...NO_RFQ,
      channel,
      words: [
        `${formatCount(problems, 'deviation')} from the API description in ${formatCount(documents, 'document')}, ${fresh} new.`,
        neverClosed.length === 0
          ? ''
          : `Open RFQs that are not valid, so never closed: ${names.join(', ')}${neverClosed.length > MAX_NAMED ? ', …' : ''}.`,
      ]
        .join(' ')
        .trim(),
      since: newestAt,
      action: {
        words: 'List the problems',
        command: `quotekeeper problems ${onChannel(channel)}`,
        path: listPath('problems', channel),
      },
    }
  })
}

const MAX_NAMED = 5
