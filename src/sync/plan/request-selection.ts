import type { TimeSlice } from '../../core/time/time-slice.js'
import type { PollPlanning } from '../contract.js'
import {
  PRIORITY,
  pollsUntilStale,
  type ReadCandidate,
  RFQS_SHARE,
  type RfqCandidate,
  reservedRequests,
} from './request-load.js'
import type { ReadReason } from './request-plan-model.js'

const MINUTE_MS = 60_000

const NEVER_READ = new Set<ReadReason>(['never read'])
const CHANGED = new Set<ReadReason>(['changed', 'summary changed'])
const NEW_OR_CHANGED = new Set<ReadReason>(['never read', 'changed'])

interface SelectionRules {
  /** Requests for RFQs and responses. */
  usable: number
  now: Date
  planning: PollPlanning
  /** The maximum age of documents that the request rates predict, once each has been read (`RequestRates`). */
  ageMinutes: number
}

/**
 * Selects the RFQs and responses to read. If not all can be read, those with the highest priority come first (docs/POLLING.md). While a
 * document is older than its maximum age, a share of the requests is reserved for those that have waited longest.
 * @param candidates highest priority first
 * @returns the RFQs to read, with the responses to read of each
 */
export async function selectRequests(
  candidates: readonly RfqCandidate[],
  { usable, now, planning, ageMinutes }: SelectionRules,
  slice: TimeSlice,
): Promise<Map<RfqCandidate, Set<string>>> {
  if (candidates.reduce((sum, { responses }) => sum + 1 + responses.length, 0) <= usable)
    return new Map(candidates.map((candidate) => [candidate, new Set(candidate.responses.map(({ id }) => id))]))
  for (const { responses } of candidates) {
    responses.sort((a, b) => rank(a) - rank(b) || a.waitingSince - b.waitingSince)
    if (slice.isOver) await slice.next()
  }
  const isOld = (time: number) => pollsUntilStale(time, planning) <= 0
  const exceedsPredictedAge = (time: number) => time < now.getTime() - ageMinutes * MINUTE_MS
  const open = candidates.filter(({ closed }) => !closed)
  const reserveIf = (isLate: (time: number) => boolean) =>
    open.some(({ waitingSince }) => isLate(waitingSince)) ? reservedRequests(usable) : 0
  const reserve = reserveIf(isOld)
  const urgent = open.filter((candidate) => candidate.urgent)
  const urgentOldestFirst = urgent.toSorted(byWaitingSince)
  const others = candidates.filter((candidate) => !candidate.urgent)
  const newOrChanged = others.filter(({ reason }) => NEW_OR_CHANGED.has(reason))
  const changed = others.filter(({ reason }) => reason === 'summary changed')
  const rest = others.filter(({ reason }) => !NEW_OR_CHANGED.has(reason) && reason !== 'summary changed')

  const selection = new Selection(usable, slice)
  await selection.take(urgent, reserveIf(exceedsPredictedAge), ({ reason }) => NEVER_READ.has(reason))
  await selection.take(urgent, reserve, ({ reason }) => CHANGED.has(reason))
  await selection.take(urgentOldestFirst, reserve, ({ waitingSince }) => isOld(waitingSince))
  selection.takeRfqs(urgent, reserve)
  await selection.take(newOrChanged, reserve)
  await selection.take(urgentOldestFirst, reserve)
  await selection.take(changed, reserve)
  selection.takeRfqs(rest, reserve)
  await selection.take(rest, reserve)
  await selection.take(candidates.toSorted(byWaitingSince), 0)
  await selection.take(candidates, 0, () => true)
  return selection.taken
}

const byWaitingSince = (a: RfqCandidate, b: RfqCandidate) => a.waitingSince - b.waitingSince

/** Among the responses of an RFQ, those never read come first. */
const rank = ({ reason }: ReadCandidate) => (NEVER_READ.has(reason) ? 0 : 1)

const isReadable = ({ reason }: ReadCandidate) => reason !== 'failed'

/** Spends a number of requests on RFQs and responses. */
class Selection {
  /** The RFQs taken so far, with the responses of each. */
  readonly taken = new Map<RfqCandidate, Set<string>>()
  readonly #slice: TimeSlice
  #left: number

  constructor(usable: number, slice: TimeSlice) {
    this.#left = usable
    this.#slice = slice
  }

  /**
   * Takes as many documents of each RFQ as the budget allows.
   * @param reserve requests to leave
   * @param wants whether a document is to be taken
   */
  async take(
    ordered: readonly RfqCandidate[],
    reserve: number,
    wants: (item: ReadCandidate) => boolean = isReadable,
  ): Promise<void> {
    for (const candidate of ordered) {
      if (this.#left <= reserve) return
      if (this.#slice.isOver) await this.#slice.next()
      const before = this.taken.get(candidate)
      // If the last request for the RFQ failed, its responses may be unreadable too, so only the RFQ is requested.
      const wanted = candidate.rfq.failed
        ? []
        : candidate.responses.filter((item) => wants(item) && !before?.has(item.id))
      if (
        before === undefined &&
        !isWorthReading(candidate, { wanted, wantsRfq: wants(candidate.rfq), left: this.#left - reserve })
      )
        continue
      const responses = before ?? this.#takeRfq(candidate)
      for (const { id } of wanted) {
        if (this.#left <= reserve) break
        responses.add(id)
        this.#left--
      }
    }
  }

  /**
   * Spends half of the remaining requests on RFQs without their responses, those read longest ago first: reading an RFQ also returns
   * the summaries of all its responses.
   */
  takeRfqs(candidates: readonly RfqCandidate[], reserve: number): void {
    const rfqs = Math.floor(Math.max(0, this.#left - reserve) * RFQS_SHARE)
    const untaken = candidates.filter((candidate) => !this.taken.has(candidate) && isReadable(candidate.rfq))
    untaken.sort((a, b) => a.rfq.waitingSince - b.rfq.waitingSince)
    for (const candidate of untaken.slice(0, rfqs)) this.#takeRfq(candidate)
  }

  #takeRfq(candidate: RfqCandidate): Set<string> {
    const responses = new Set<string>()
    this.taken.set(candidate, responses)
    this.#left--
    return responses
  }
}

/** Reading an RFQ only for its responses costs a request for the RFQ itself, which pays only if a response can be read too. */
function isWorthReading(
  { rfq }: RfqCandidate,
  { wanted, wantsRfq, left }: { wanted: readonly ReadCandidate[]; wantsRfq: boolean; left: number },
): boolean {
  const isForResponses = !wantsRfq || wanted.some(({ reason }) => PRIORITY[reason] < PRIORITY[rfq.reason])
  return isForResponses ? wanted.length > 0 && left > 1 : true
}
