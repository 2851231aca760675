import { z } from 'zod'
import { formatCount } from '../../core/text/number-format.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { nameById } from '../../core/text/rfq-name.js'
import { closingOutlook, sentence } from '../closings/closing-outlook.js'
import { closingPath, closingsPath, systemPath } from '../page-paths.js'
import { pollProblem } from '../polls.js'
import { channelKey, nullableText, text } from '../schema.js'
import type { ViewSource } from '../source.js'

/** Something besides an RFQ that a person has to do or look at. */
export const matterSchema = z.strictObject({
  channel: channelKey,
  rfqId: nullableText,
  rfq: nullableText.describe('What the RFQ is called; null if it is about the channel.'),
  isUrgent: z.boolean(),
  message: text.describe('One or two sentences.'),
  since: nullableText,
  command: nullableText.describe('The command that does or shows it.'),
  path: text.describe('The page that does or shows it.'),
})
export type Matter = z.infer<typeof matterSchema>

/** What a matter is about; those of no channel are about the targets of notifications. */
export const matterSubject = ({ channel, rfq }: Matter): string =>
  rfq === null ? channel || 'Notifications' : `RFQ ${rfq} of ${channel}`

interface MatterContext {
  now: Date
  channel?: string
}

const onChannel = (channel: string) => `--channel ${quoteForShell(channel)}`

/** What keeps overdue RFQs open, by channel: what keeps the channel from closing once, then each RFQ that a round would keep. */
export async function closingMatters(source: ViewSource, { now, channel }: MatterContext): Promise<Matter[]> {
  const matters: Matter[] = []
  for (const key of channel === undefined ? await source.store.storedChannels() : [channel]) {
    const { stop, rfqs } = await closingOutlook(source, { channel: key }, now)
    const base = { channel: key, rfqId: null, rfq: null, since: null }
    if (stop !== null && rfqs.size > 0)
      matters.push({
        ...base,
        isUrgent: stop.code !== 'off' && stop.code !== 'dry-run',
        message: `${formatCount(rfqs.size, 'overdue RFQ')}. ${stop.message}`,
        command: stop.command ?? `quotekeeper close-expired ${onChannel(key)} --dry-run`,
        path: closingsPath(key),
      })
    for (const [id, { why, remedy, command, close }] of rfqs) {
      if (why === null && close === null) continue
      matters.push({
        ...base,
        rfqId: id,
        rfq: String(close?.rfqNumber ?? nameById(id)),
        isUrgent: close !== null && !close.inProgress,
        message: [why ?? sentence(close?.reason ?? ''), remedy].filter(Boolean).join(' '),
        since: close?.since ?? null,
        command: command ?? `quotekeeper closings --rfq ${quoteForShell(nameById(id))} ${onChannel(key)}`,
        path: closingPath(key, nameById(id)),
      })
    }
  }
  return matters
}

/** Polls that are behind or whose list may not be whole, and events that targets of notifications never got. */
export async function systemMatters(source: ViewSource, { now, channel }: MatterContext): Promise<Matter[]> {
  const polls = (await source.pollChecks(now)).filter((check) => channel === undefined || check.channel === channel)
  const targets = await source.store.targetStates()
  const base = { rfqId: null, rfq: null, isUrgent: true }
  return [
    ...polls.flatMap((check): Matter[] => {
      const { channel: key, kind, completeAt, lostEntriesAt } = check
      const message = pollProblem(check)
      const command = `quotekeeper sync ${onChannel(key)} --only ${kind}${lostEntriesAt === null ? '' : ' --accept-loss'}`
      const path = systemPath('channels')
      return message === null
        ? []
        : [{ ...base, channel: key, message, since: lostEntriesAt ?? completeAt, command, path }]
    }),
    ...targets.flatMap(({ target, passedOver }): Matter[] => {
      if (passedOver === null) return []
      const { events, from, at, error } = passedOver
      return [
        {
          ...base,
          channel: '',
          message: `${formatCount(events, 'event')} could not be sent to ${target}, and ${events === 1 ? 'is' : 'are'} not sent again: ${error}.`,
          since: at,
          command: `quotekeeper notify --target ${target} --from ${from}`,
          path: systemPath('targets'),
        },
      ]
    }),
  ]
}
