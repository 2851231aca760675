import type { Config } from '../config/contract.js'
import { compileCron } from '../config/cron.js'
import type { RunRecord } from '../core/records.js'
import { allowedPerSecond } from '../core/requests/request-ledger.js'
import type { Store } from '../store/contract.js'
import type { PollPlanning } from './contract.js'

type PlanningConfig = Pick<Config, 'schedule' | 'scheduleTimeZone' | 'requests' | 'polling'> & {
  channels: readonly { key: string }[]
}

/** Share of the request limit for polls of RFQs; the rest is for listings, closing, retries and manual commands. */
const RFQ_POLLS_SHARE = 0.9
/** Minimum budget of a poll: the list and four documents. With a low limit, a poll then takes longer than an interval and ticks are skipped. */
const MIN_REQUESTS = 5
/** A channel may need more than at its last poll: this many times as much, plus some requests. */
const GROWTH = 1.5
const MIN_DEMAND = 100

/**
 * Computes the request budget of a scheduled poll of the RFQs of a channel (docs/POLLING.md): its share of the requests that the limit
 * allows until the next poll. The next poll begins at the next tick of the schedule, or at the first tick by which the limit allows
 * every channel its minimum.
 * @returns undefined if no later poll is scheduled: then everything is read
 */
export async function planPoll(
  config: PlanningConfig,
  store: Pick<Store, 'runs'>,
  { channel, now }: { channel: string; now: Date },
): Promise<PollPlanning | undefined> {
  const { schedule, scheduleTimeZone, requests, polling, channels } = config
  if (schedule.rfqs === null) return undefined
  const cron = compileCron(schedule.rfqs, scheduleTimeZone)
  const tick = cron.nextTick(now)
  if (tick === null) return undefined
  const untilTick = tick.getTime() - now.getTime()
  const tickMs = (cron.nextTick(tick)?.getTime() ?? tick.getTime() + untilTick) - tick.getTime()
  // Ticks during a poll are skipped.
  const wholeTicks = (milliseconds: number) => Math.max(0, Math.ceil(milliseconds / tickMs)) * tickMs
  const minMs = minPollMs(config)
  const untilNext = untilTick + wholeTicks(minMs - untilTick)
  const intervalMs = Math.max(tickMs, wholeTicks(minMs))
  const demands = (await Promise.all(channels.map(({ key }) => newestPlanned(store, key)))).map(demandOf)
  const index = channels.findIndex(({ key }) => key === channel)
  const budgetFor = (milliseconds: number) => {
    const total = Math.floor((allowedPerSecond(requests.perSecond) * milliseconds * RFQ_POLLS_SHARE) / 1_000)
    return Math.max(MIN_REQUESTS, shareRequests(total, demands)[index] ?? total)
  }
  const { offersMaxAgeMinutes, urgentHours } = polling
  return {
    budget: budgetFor(untilNext),
    usualBudget: budgetFor(intervalMs),
    nextPollAt: new Date(now.getTime() + untilNext),
    intervalMs,
    ...{ offersMaxAgeMinutes, urgentHours },
  }
}

/** The minimum time for one poll of the RFQs of every channel within the request limit, in milliseconds. */
export const minPollMs = ({ channels, requests }: Pick<PlanningConfig, 'channels' | 'requests'>): number =>
  (channels.length * MIN_REQUESTS * 1_000) / (allowedPerSecond(requests.perSecond) * RFQ_POLLS_SHARE)

/** Runs searched for one that planned its requests; runs that a person started do not. */
const MAX_RECENT_RUNS = 20

/** The newest poll of the RFQs of a channel that planned its requests; null if there is none recently. */
export async function newestPlanned(store: Pick<Store, 'runs'>, channel: string): Promise<RunRecord | null> {
  const recent = await store.runs({ channel, kind: 'rfqs', limit: MAX_RECENT_RUNS })
  return recent.find(({ requestRates }) => requestRates !== null) ?? null
}

/** The estimated requests of the next poll of a channel; infinite if unknown. */
const demandOf = (run: RunRecord | null): number =>
  run === null ? Number.POSITIVE_INFINITY : GROWTH * (run.requests + run.postponed) + MIN_DEMAND

/**
 * Shares requests fairly (max-min): a channel that needs less than an equal share gets what it needs, and the others share the rest
 * equally.
 */
export function shareRequests(total: number, demands: readonly number[]): number[] {
  const shares = demands.map(() => 0)
  let left = total
  const ascending = [...demands.keys()].sort((a, b) => (demands[a] as number) - (demands[b] as number) || a - b)
  for (const [taken, channel] of ascending.entries()) {
    const share = Math.min(demands[channel] as number, left / (demands.length - taken))
    shares[channel] = Math.floor(share)
    left -= share
  }
  // Requests beyond the estimated demand are shared equally, because a channel may need more than at its last poll.
  return shares.map((share) => share + Math.floor(left / demands.length))
}
