import type { RunKind, RunRecord } from '../../core/records.js'
import { cleanLine } from '../../core/text/clean-text.js'
import { formatMinute } from '../../core/time/clock.js'
import { formatAge } from '../../core/time/read-times.js'
import { errorOf } from '../../readiness/poll-freshness.js'
import type { Store } from '../../store/contract.js'
import type { Cli } from '../cli-context.js'

/**
 * How recent what a command shows is: `as of 15:07 UTC, 26 min ago`, when the newest complete poll finished, or one that missed
 * only a few RFQs; of several channels, the one polled longest ago counts. For decisions, the newest closing round, and why it is not
 * complete.
 * @param of.channels whose data is shown
 * @param of.kind the runs that the data comes from
 */
export async function describeFreshness(
  cli: Pick<Cli, 'io'>,
  store: Pick<Store, 'newestRun'>,
  { channels, kind }: { channels: readonly string[]; kind: RunKind },
): Promise<string> {
  const now = cli.io.now()
  // A closing round that decided little, or nothing, is no less the last one: what became of it is described.
  const isComplete = kind !== 'close'
  const runs = await Promise.all(
    channels.map(async (channel) => ({ channel, run: await store.newestRun({ channel, kind, isComplete }) })),
  )
  const never = runs.filter(({ run }) => run === null).map(({ channel }) => channel)
  const times = runs.flatMap(({ channel, run }) => (run?.finishedAt ? [{ channel, at: run.finishedAt }] : []))
  const [oldest] = times.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  const what = kind === 'close' ? 'last closing round' : 'as of'
  const none = kind === 'close' ? 'no closing round yet' : 'no complete poll yet'
  if (oldest === undefined) return never.length === 0 ? 'no channels' : none
  const today = formatMinute(now.toISOString()).slice(0, 10)
  const shown = formatMinute(oldest.at)
  const time = shown.startsWith(today) ? shown.slice(11) : shown
  const differ = new Set(times.map(({ at }) => formatMinute(at))).size > 1
  const which = differ ? ` (${oldest.channel}; the others are newer)` : ''
  const missing = never.length === 0 ? '' : `; ${none} of ${never.join(', ')}`
  const causes = kind === 'close' ? describeEnds(runs) : []
  return [`${what} ${time} UTC, ${formatAge(oldest.at, now)} ago${which}${missing}`, ...causes].join('; ')
}

/** `partial: No RFQ was closed: …`, with the channels if several are shown; nothing for rounds that are complete. */
function describeEnds(rounds: readonly { channel: string; run: RunRecord | null }[]): string[] {
  const ends = new Map<string, { run: RunRecord; channels: string[] }>()
  for (const { channel, run } of rounds) {
    if (run === null || run.outcome === 'complete') continue
    const end = `${run.outcome}: ${run.error}`
    ends.set(end, { run, channels: [...(ends.get(end)?.channels ?? []), channel] })
  }
  return [...ends.values()].map(({ run, channels }) => {
    const where = rounds.length > 1 ? ` on ${channels.join(', ')}` : ''
    const cause = run.error === null ? '' : `: ${cleanLine(errorOf(run)).replace(/\.$/, '')}`
    return `${run.outcome}${where}${cause}`
  })
}

/** A past moment of the RFQs of a channel, and whether its first poll had not read everything by then. */
export async function describePast(store: Pick<Store, 'newestRun'>, channel: string, asOf: Date): Promise<string> {
  const complete = await store.newestRun({ channel, kind: 'rfqs', isComplete: true, asOf })
  const moment = `as of ${formatMinute(asOf.toISOString())} UTC, with the settings of now`
  return complete === null ? `${moment}; no complete poll yet` : moment
}
