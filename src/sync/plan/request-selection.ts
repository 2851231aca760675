import type { TimeSlice } from '../../core/time/time-slice.js'
import type { PollPlanning } from '../contract.js'
import { type Item, PRIORITY, pollsUntilDue, RFQS_SHARE, reservedRequests, type Unit } from './request-load.js'
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
  /** The maximum age of documents, once each has been read. */
  ageMinutes: number
}

/**
 * Selects the RFQs and responses to read. If not all can be read, those with the highest priority come first (docs/POLLING.md). While a
 * document is older than its maximum age, a share of the requests is reserved for those that have waited longest.
 * @param units highest priority first
 * @returns the RFQs to read, with the responses to read of each
 */
export async function selectRequests(
  units: readonly Unit[],
  { usable, now, planning, ageMinutes }: SelectionRules,
  slice: TimeSlice,
): Promise<Map<Unit, Set<string>>> {
  if (units.reduce((sum, { responses }) => sum + 1 + responses.length, 0) <= usable)
    return new Map(units.map((unit) => [unit, new Set(unit.responses.map(({ id }) => id))]))
  for (const { responses } of units) {
    responses.sort((a, b) => rank(a) - rank(b) || a.waitingSince - b.waitingSince)
    if (slice.isOver) await slice.next()
  }
  const isOld = (time: number) => pollsUntilDue(time, planning) <= 0
  const exceedsPredictedAge = (time: number) => time < now.getTime() - ageMinutes * MINUTE_MS
  const open = units.filter(({ closed }) => !closed)
  const reserveIf = (isLate: (time: number) => boolean) =>
    open.some(({ waitingSince }) => isLate(waitingSince)) ? reservedRequests(usable) : 0
  const reserve = reserveIf(isOld)
  const urgent = open.filter((unit) => unit.urgent)
  const urgentOldestFirst = urgent.toSorted(byWaitingSince)
  const others = units.filter((unit) => !unit.urgent)
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
  await selection.take(units.toSorted(byWaitingSince), 0)
  await selection.take(units, 0, () => true)
  return selection.taken
}

const byWaitingSince = (a: Unit, b: Unit) => a.waitingSince - b.waitingSince

/** Among the responses of an RFQ, those never read come first. */
const rank = ({ reason }: Item) => (NEVER_READ.has(reason) ? 0 : 1)

const isReadable = ({ reason }: Item) => reason !== 'failed'

/** Spends a number of requests on RFQs and responses. */
class Selection {
  /** The RFQs taken so far, with the responses of each. */
  readonly taken = new Map<Unit, Set<string>>()
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
  async take(ordered: readonly Unit[], reserve: number, wants: (item: Item) => boolean = isReadable): Promise<void> {
    for (const unit of ordered) {
      if (this.#left <= reserve) return
      if (this.#slice.isOver) await this.#slice.next()
      const before = this.taken.get(unit)
      // While an RFQ cannot be read, it is unknown whether its responses can.
      const wanted = unit.rfq.failed ? [] : unit.responses.filter((item) => wants(item) && !before?.has(item.id))
      if (
        before === undefined &&
        !isWorthReading(unit, { wanted, wantsRfq: wants(unit.rfq), left: this.#left - reserve })
      )
        continue
      const responses = before ?? this.#takeRfq(unit)
      for (const { id } of wanted) {
        if (this.#left <= reserve) break
        responses.add(id)
        this.#left--
      }
    }
  }

  /**
   * Takes RFQs without their responses with half of the remaining requests, those read longest ago first: one request shows the
   * summaries of all responses.
   */
  takeRfqs(units: readonly Unit[], reserve: number): void {
    const rfqs = Math.floor(Math.max(0, this.#left - reserve) * RFQS_SHARE)
    const untaken = units.filter((unit) => !this.taken.has(unit) && isReadable(unit.rfq))
    untaken.sort((a, b) => a.rfq.waitingSince - b.rfq.waitingSince)
    for (const unit of untaken.slice(0, rfqs)) this.#takeRfq(unit)
  }

  #takeRfq(unit: Unit): Set<string> {
    const responses = new Set<string>()
    this.taken.set(unit, responses)
    this.#left--
    return responses
  }
}

/** An RFQ that is read only for its responses takes one more request. */
function isWorthReading(
  { rfq }: Unit,
  { wanted, wantsRfq, left }: { wanted: readonly Item[]; wantsRfq: boolean; left: number },
): boolean {
  const isForResponses = !wantsRfq || wanted.some(({ reason }) => PRIORITY[reason] < PRIORITY[rfq.reason])
  return isForResponses ? wanted.length > 0 && left > 1 : true
}
