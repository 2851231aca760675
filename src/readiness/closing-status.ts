import type { RunRecord } from '../core/records.js'
import { formatAge } from '../core/sources/source-text.js'
import type { Store } from '../store/contract.js'
import type { ReadinessCheck } from './contract.js'
import { oneLine } from './poll-freshness.js'

type ClosingStore = Pick<Store, 'newestRun' | 'lastClose' | 'unsettledCloses' | 'pendingPlans'>

/** This many RFQs are named; the rest are counted. */
const MAX_NAMED = 5

/** What stops all closing; the text of a person's order begins with "stopped" itself. */
export const stopText = (blocker: string): string => (blocker.startsWith('stopped ') ? blocker : `stopped: ${blocker}`)

/**
 * The state of closing on a channel, in one line: what stops it (`blocker`), the last round and why it is not complete, the last
 * close, and what waits for a person. It never makes the service unready, because no restart or other machine would change it; `quotekeeper check` fails on it.
 */
export async function describeClosing(
  store: ClosingStore,
  channel: string,
  { now, blocker }: { now: Date; blocker: string | null },
): Promise<ReadinessCheck> {
  const [round, close, closes, plans] = await Promise.all([
    store.newestRun({ channel, kind: 'close' }),
    store.lastClose(channel),
    store.unsettledCloses({ channel, now }),
    store.pendingPlans({ channel, now }),
  ])
  const unsettled = closes.filter(({ inProgress }) => !inProgress)
  const named = unsettled
    .slice(0, MAX_NAMED)
    .map(({ outcome, rfqNumber, rfqId }) => `RFQ ${rfqNumber ?? rfqId} ${outcome === 'open' ? 'unsettled' : outcome}`)
  const more = unsettled.length - named.length
  const standing = [
    ...named,
    ...(more > 0 ? [`${more} more`] : []),
    ...plans.map(({ plan, rfqIds }) => `plan ${plan} (${rfqIds.length} RFQs) blocked until approved`),
  ]
  const parts = [
    blocker === null ? null : stopText(blocker),
    round?.finishedAt
      ? `last round ${formatAge(round.finishedAt, now)} ago: ${round.outcome}${causeOf(round, blocker)}`
      : 'no round yet',
    close
      ? `last close ${formatAge(close.decidedAt, now)} ago: RFQ ${close.rfqNumber ?? close.rfqId} ${close.outcome}`
      : null,
    standing.length > 0 ? `needs attention: ${standing.join(', ')}; see \`quotekeeper closings\`` : null,
  ]
  return { name: `closing of ${channel}`, ok: true, message: parts.filter((part) => part !== null).join('; ') }
}

/** Why a round is not complete, without what the line says anyway: what stops closing, and which RFQs need a person. */
function causeOf(round: RunRecord, blocker: string | null): string {
  const { cause, stop } = round
  if (
    cause === null ||
    (blocker !== null && ['kill-switch', 'mass-loss', 'list-not-recorded'].includes(stop?.code ?? ''))
  )
    return ''
  return `: ${oneLine({ ...round, error: cause }).replace(/\.$/, '')}`
}
