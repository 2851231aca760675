import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { listPath, rfqPath } from '../page-paths.js'
import { filterOf, keyOf, NO_RFQ, onChannel, rfqFields, type TodayContext, type TodayItem } from './today-view.js'

/** RFQs that are named; the others are counted. */
const MAX_RFQS = 20
/** Changes that are looked at: more come from other settings or rates, which concern every RFQ. */
const MAX_CHANGES = 1_000

/** Open RFQs for which another award is recommended than before, newest first. */
export async function recommendationItems({
  source,
  since,
  now,
  rowsOf,
  awarded,
  ...context
}: TodayContext): Promise<TodayItem[]> {
  const changes = await source.store.recommendationChanges({
    ...filterOf(context),
    ...{ after: since, asOf: now, limit: MAX_CHANGES },
  })
  const rows = await rowsOf(changes)
  const named = new Map<string, TodayItem>()
  let others = 0
  for (const { channel, rfqId, at, reason } of changes) {
    const row = rows.get(keyOf({ channel, id: rfqId }))
    const key = keyOf({ channel, id: rfqId })
    // An RFQ that is closed or awarded has been decided; of several changes, the newest counts.
    if (row?.state !== 'open' || row.missingSince !== null || named.has(key) || awarded.has(key)) continue
    if (named.size === MAX_RFQS) {
      others++
      continue
    }
    named.set(key, {
      kind: 'recommendation',
      severity: 'medium',
      ...rfqFields(channel, rfqId, row),
      message: `Recommendation changed: ${reason}.`,
      since: at,
      action: {
        message: 'Compare the offers',
        command: `quotekeeper compare ${quoteForShell(row.name)} ${onChannel(channel)}`,
        path: rfqPath(channel, row.name),
      },
    })
  }
  return others === 0 ? [...named.values()] : [...named.values(), moreItem(others, changes[0]?.channel ?? '')]
}

const moreItem = (count: number, channel: string): TodayItem => ({
  kind: 'recommendation',
  severity: 'low',
  ...NO_RFQ,
  channel,
  message: `The recommendation of ${count} more ${count === 1 ? 'RFQ' : 'RFQs'} changed.`,
  since: null,
  action: { message: 'List the changes', command: 'quotekeeper changes', path: listPath('changes', channel) },
})
