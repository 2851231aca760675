import type { TimeSlice } from '../../core/time/time-slice.js'
import type { PollPlanning } from '../contract.js'
import { type Item, pollsUntilDue, RFQS_SHARE, reservedOf, type Unit, VALUE } from './request-load.js'
import type { ReadReason } from './request-plan-model.js'

const MINUTE_MS = 60_000

const NEVER_READ = new Set<ReadReason>(['never read'])
const CHANGED = new Set<ReadReason>(['changed', 'summary changed'])
const LISTED_NEW = new Set<ReadReason>(['never read', 'changed'])

interface SelectionRules {
  /** Requests for RFQs and responses. */
  usable: number
  now: Date
  planning: PollPlanning
  /** How old documents become at most, once each was read. */
  ageMinutes: number
}

/**
 * Chooses what is read. If not everything can be: the most valuable first (docs/POLLING.md). While something is older than its
 * maximum age, a share of the requests is for what has waited longest.
 * @param units the most valuable first
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
  const isOlderThanSaid = (time: number) => time < now.getTime() - ageMinutes * MINUTE_MS
  const open = units.filter(({ closed }) => !closed)
  const keepIf = (isLate: (time: number) => boolean) =>
    open.some(({ longestWait }) => isLate(longestWait)) ? reservedOf(usable) : 0
  const keep = keepIf(isOld)
  const urgent = open.filter((unit) => unit.urgent)
  const urgentInTurn = urgent.toSorted(byLongestWait)
  const others = units.filter((unit) => !unit.urgent)
  const listedNew = others.filter(({ reason }) => LISTED_NEW.has(reason))
  const changed = others.filter(({ reason }) => reason === 'summary changed')
  const inTurn = others.filter(({ reason }) => !LISTED_NEW.has(reason) && reason !== 'summary changed')

  const selection = new Selection(usable, slice)
  await selection.take(urgent, keepIf(isOlderThanSaid), ({ reason }) => NEVER_READ.has(reason))
  await selection.take(urgent, keep, ({ reason }) => CHANGED.has(reason))
  await selection.take(urgentInTurn, keep, ({ waitingSince }) => isOld(waitingSince))
  selection.takeRfqs(urgent, keep)
  await selection.take(listedNew, keep)
  await selection.take(urgentInTurn, keep)
  await selection.take(changed, keep)
  selection.takeRfqs(inTurn, keep)
  await selection.take(inTurn, keep)
  await selection.take(units.toSorted(byLongestWait), 0)
  await selection.take(units, 0, () => true)
  return selection.taken
}

const byLongestWait = (a: Unit, b: Unit) => a.longestWait - b.longestWait

/** Of the responses of an RFQ, those that were never read come first. */
const rank = ({ reason }: Item) => (NEVER_READ.has(reason) ? 0 : 1)

const isReadable = ({ reason }: Item) => reason !== 'failed'

/** What is taken of a number of requests. */
class Selection {
  /** The RFQs, with the responses of each. */
  readonly taken = new Map<Unit, Set<string>>()
  readonly #slice: TimeSlice
  #left: number

  constructor(usable: number, slice: TimeSlice) {
    this.#left = usable
    this.#slice = slice
  }

  /**
   * Takes as much of each RFQ as requests suffice for.
   * @param keep requests to leave
   * @param wants whether a document is to be taken
   */
  async take(ordered: readonly Unit[], keep: number, wants: (item: Item) => boolean = isReadable): Promise<void> {
    for (const unit of ordered) {
      if (this.#left <= keep) return
      if (this.#slice.isOver) await this.#slice.next()
      const before = this.taken.get(unit)
      // Whether responses can be read is not known before their RFQ can.
      const wanted = unit.rfq.failed ? [] : unit.responses.filter((item) => wants(item) && !before?.has(item.id))
      if (before === undefined && !isWorthReading(unit, { wanted, wantsRfq: wants(unit.rfq), left: this.#left - keep }))
        continue
      const responses = before ?? this.#takeRfq(unit)
      for (const { id } of wanted) {
        if (this.#left <= keep) break
        responses.add(id)
        this.#left--
      }
    }
  }

  /** Takes RFQs alone with half of what is left, those read longest ago first: one request shows the summaries of all responses. */
  takeRfqs(units: readonly Unit[], keep: number): void {
    const rfqs = Math.floor(Math.max(0, this.#left - keep) * RFQS_SHARE)
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

/** An RFQ that is read for the sake of its responses takes a request more. */
function isWorthReading(
  { rfq }: Unit,
  { wanted, wantsRfq, left }: { wanted: readonly Item[]; wantsRfq: boolean; left: number },
): boolean {
  const isForResponses = !wantsRfq || wanted.some(({ reason }) => VALUE[reason] < VALUE[rfq.reason])
  return isForResponses ? wanted.length > 0 && left > 1 : true
}
