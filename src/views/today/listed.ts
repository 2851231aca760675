import { describeListDiff } from '../../core/sources/source-text.js'
import { isDecisive } from '../../core/sources/sources.js'
import { formatCount } from '../../core/text/number-format.js'
import { quoteForShell } from '../../core/text/quote-for-shell.js'
import { channelPath, rfqPath } from '../page-paths.js'
import type { RfqListRow } from '../rfqs/rfq-list.js'
import { keyOf, NO_RFQ, onChannel, rfqFields, type TodayContext, type TodayItem } from './today-view.js'

/** RFQs of one channel that are named; the others are counted. */
const MAX_RFQS = 20

/** What the list says otherwise of an RFQ, to follow other sentences about it; empty if nothing. */
export const listedText = ({ listed }: RfqListRow): string => (listed === null ? '' : describeListDiff(listed))

/**
 * RFQs of which the list says something else than was read of them.
 * @param named items about RFQs that say so themselves
 */
export function listedItems({ rows, asOf }: TodayContext, named: readonly TodayItem[]): TodayItem[] {
  const known = new Set(named.flatMap(({ channel, rfqId: id }) => (id === null ? [] : [keyOf({ channel, id })])))
  const differing = rows.filter((row) => row.listed !== null && !known.has(keyOf(row)))
  const items: TodayItem[] = []
  for (const channel of new Set(differing.map((row) => row.channel))) {
    const own = differing.filter((row) => row.channel === channel)
    // The sort is stable: the most urgent ones come first among equals.
    own.sort((a, b) => Number(isDecisiveOf(b)) - Number(isDecisiveOf(a)))
    items.push(...own.slice(0, MAX_RFQS).map((row) => toItem(row, asOf)))
    if (own.length > MAX_RFQS) items.push(moreItem(channel, own.slice(MAX_RFQS), asOf))
  }
  return items
}

const isDecisiveOf = ({ listed }: RfqListRow): boolean => listed !== null && isDecisive(listed)

const toItem = (row: RfqListRow, asOf: Date | undefined): TodayItem => ({
  kind: 'listed',
  severity: isDecisiveOf(row) ? 'medium' : 'low',
  ...rfqFields(row.channel, row.id, row),
  message: listedText(row),
  since: row.listed?.at ?? null,
  action: {
    // To read it again tells nothing of a past moment.
    ...(asOf === undefined
      ? {
          message: 'Read it again',
          command: `quotekeeper report ${quoteForShell(row.name)} ${onChannel(row.channel)} --fresh`,
        }
      : {
          message: 'See what changed',
          command: `quotekeeper changes --rfq ${quoteForShell(row.name)} ${onChannel(row.channel)}`,
        }),
    path: rfqPath(row.channel, row.name),
  },
})

function moreItem(channel: string, rows: readonly RfqListRow[], asOf: Date | undefined): TodayItem {
  return {
    kind: 'listed',
    severity: rows.some(isDecisiveOf) ? 'medium' : 'low',
    ...NO_RFQ,
    channel,
    message: `The list says something else than was read of ${formatCount(rows.length, 'more RFQ')}.`,
    since:
      rows
        .flatMap(({ listed }) => listed?.at ?? [])
        .sort()
        .at(-1) ?? null,
    action: {
      message: 'List the RFQs',
      command: `quotekeeper rfqs ${onChannel(channel)}${asOf === undefined ? '' : ` --as-of ${asOf.toISOString()}`}`,
      path: channelPath(channel),
    },
  }
}
