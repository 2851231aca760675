import type { ResponsePollState, RfqPollState } from '../../../src/store/contract.js'
import type { PollPlanning } from '../../../src/sync/contract.js'
import {
  chooseResponses,
  needsRead,
  type PlannableRfq,
  planRequests,
  type StoredState,
} from '../../../src/sync/plan.js'

const INTERVAL_MS = 5 * 60_000
const HOUR_MS = 3_600_000

type PlanRules = Pick<PollPlanning, 'offersMaxAgeMinutes' | 'urgentHours'> & { recheckClosedHours: number }

interface WorldRfq {
  id: string
  state: 'open' | 'closed'
  dueAt: Date | null
  offers: { id: string; summary: number }[]
}

/** A marketplace and what is known of it, polled every five minutes by plan: no HTTP, no database. */
export class RequestWorld {
  readonly #rules: PlanRules
  readonly #rfqs: WorldRfq[] = []
  readonly #states = new Map<string, StoredState>()
  /** Documents that cannot be read: `rfq-0`, `rfq-0 offer-1`. */
  readonly #failing = new Set<string>()
  #now = Date.parse('2026-11-21T12:00:00.000Z')

  constructor(rules: PlanRules, { rfqs, offers }: { rfqs: number; offers: number }) {
    this.#rules = rules
    for (let rfq = 0; rfq < rfqs; rfq++) {
      this.addRfq()
      for (let offer = 0; offer < offers; offer++) this.addOffer(rfq)
    }
  }

  addRfq(): void {
    this.#rfqs.push({ id: `rfq-${this.#rfqs.length}`, state: 'open', dueAt: null, offers: [] })
  }
  addOffer(rfq: number): void {
    const { offers } = this.#at(rfq)
    offers.push({ id: `offer-${offers.length}`, summary: 0 })
    this.changeEntry(rfq)
  }
  changeEntry(rfq: number): void {
    Object.assign(this.#states.get(this.#at(rfq).id)?.rfq ?? {}, { isEntryRead: 0 })
  }
  changeSummary(rfq: number, offer: number): void {
    const { offers } = this.#at(rfq)
    const changed = offers[offer % Math.max(1, offers.length)]
    if (changed) changed.summary++
  }
  /** Sets the due date to some hours from now. */
  setDue(rfq: number, hours: number): void {
    this.#at(rfq).dueAt = new Date(this.#now + hours * HOUR_MS)
  }
  /** Lets every request for some documents fail: `rfq-0`, `rfq-0 offer-1`. */
  fail(...documents: string[]): void {
    for (const document of documents) this.#failing.add(document)
  }
  recover(): void {
    this.#failing.clear()
  }
  close(rfq: number): void {
    this.#at(rfq).state = 'closed'
    this.changeEntry(rfq)
  }

  /** Requests per poll that are enough whatever the distribution of ages: everything once within the maximum age, twice over. */
  sufficientBudget(): number {
    const open = this.#rfqs.filter(({ state }) => state === 'open')
    const urgent = open.filter(({ dueAt }) => dueAt !== null).reduce((sum, { offers }) => sum + 1 + offers.length, 0)
    const polls = Math.max(1, Math.floor((this.#rules.offersMaxAgeMinutes * 60_000) / INTERVAL_MS) - 1)
    return 25 + Math.ceil(2 * (open.length + urgent + this.#documents().length / polls))
  }

  /** Within how many polls everything is read once, if half of the requests is for what has waited longest, an RFQ with an offer at least. */
  pollsForAll(budget: number): number {
    return Math.ceil(this.#documents().length / Math.max(1, Math.floor(budget / 2) - 1))
  }

  /** Polls with a number of requests; the list takes none of them. Afterwards, the next poll is due. */
  async poll(budget: number) {
    const now = new Date(this.#now)
    this.#markIncomplete()
    const { recheckClosedHours, ...rules } = this.#rules
    const listed = this.#rfqs.map(({ id, state, dueAt, offers }): PlannableRfq => {
      return { id, state, dueAt, responseIds: offers.map((offer) => offer.id) }
    })
    const needed = listed.filter((rfq) => needsRead(rfq, this.#states.get(rfq.id)?.rfq, recheckClosedHours, now))
    const plan = planRequests(needed, {
      ...{ states: this.#states, now, recheckClosedHours },
      planning: {
        ...rules,
        ...{ budget: budget + 1, perSecond: ((budget + 1) * 1_000) / INTERVAL_MS },
        ...{ nextPollAt: new Date(this.#now + INTERVAL_MS), intervalMs: INTERVAL_MS },
      },
    })
    let [sent, postponed] = [0, 0]
    /** Offers that were read. */
    const read: string[] = []
    /** Documents whose request failed. */
    const failed: string[] = []
    for (const rfqId of plan.reads.keys()) {
      const rfq = this.#rfqs.find(({ id }) => id === rfqId) as WorldRfq
      if (this.#failing.has(rfq.id)) {
        sent++
        failed.push(rfq.id)
        const before = this.#states.get(rfq.id)?.rfq
        this.#put(rfq.id, { ...(before ?? rfqState(rfq, now, null)), requestedAt: now.toISOString() })
        continue
      }
      const summaries = rfq.offers.map(({ id, summary }) => ({ id, summaryHash: String(summary) }))
      const choice = chooseResponses(plan, rfqId, summaries, this.#states.get(rfq.id))
      sent += 1 + choice.request.size
      postponed += choice.postponed
      this.#record(rfq, choice.request, now)
      for (const id of choice.request) {
        const document = `${rfq.id} ${id}`
        ;(this.#failing.has(document) ? failed : read).push(document)
      }
    }
    for (const { id } of needed) {
      if (plan.reads.has(id)) continue
      postponed += 1 + (plan.postponed.get(id)?.size ?? 0)
      const rfq = this.#rfqs.find((each) => each.id === id) as WorldRfq
      if (!this.#states.has(id)) this.#put(id, rfqState(rfq, now, null))
    }
    this.#now += INTERVAL_MS
    return { sent, postponed, order: [...plan.reads.keys()], read, failed, rates: plan.rates }
  }

  /** Polls so many times. Returns the requests of each poll. */
  async polls(times: number, budget: number): Promise<number[]> {
    const sent: number[] = []
    for (let poll = 0; poll < times; poll++) sent.push((await this.poll(budget)).sent)
    return sent
  }

  /** The age of the document of an open RFQ that was read longest ago, when the next poll begins. */
  oldestMinutes(): number {
    const times = this.#documents().flatMap(({ state, readAt }) =>
      state === 'open' && readAt !== null ? Date.parse(readAt) : [],
    )
    return times.length === 0 ? 0 : (this.#now - Math.min(...times)) / 60_000
  }

  /** Documents that were never read. */
  unread(): string[] {
    return this.#documents().flatMap(({ id, readAt }) => (readAt === null ? id : []))
  }

  /** The RFQs, each with its offers: `rfq-0`, `rfq-0 offer-0`. */
  #documents() {
    return this.#rfqs.flatMap(({ id, state, offers }) => {
      const known = this.#states.get(id)
      const readAts = offers.map((offer) => [`${id} ${offer.id}`, known?.responses.get(offer.id)?.readAt] as const)
      const all = [[id, known?.rfq.readAt] as const, ...readAts]
      return all.map(([document, readAt]) => ({ id: document, state, readAt: readAt ?? null }))
    })
  }

  /** As the store does: some offer is known only by its summary. */
  #markIncomplete(): void {
    for (const { rfq, responses } of this.#states.values())
      rfq.incomplete = [...responses.values()].some(({ readAt }) => readAt === null) ? 1 : 0
  }

  #put(id: string, rfq: RfqPollState): Map<string, ResponsePollState> {
    const responses = this.#states.get(id)?.responses ?? new Map<string, ResponsePollState>()
    this.#states.set(id, { rfq, responses })
    return responses
  }

  #at(rfq: number): WorldRfq {
    return this.#rfqs[rfq % this.#rfqs.length] as WorldRfq
  }

  #record(rfq: WorldRfq, requested: ReadonlySet<string>, now: Date): void {
    const states = this.#put(rfq.id, rfqState(rfq, now, now))
    // They are recorded after they were requested.
    const recordedAt = new Date(now.getTime() + 1_000).toISOString()
    for (const { id, summary } of rfq.offers) {
      const before = states.get(id)
      const isRequested = requested.has(id)
      const isRead = isRequested && !this.#failing.has(`${rfq.id} ${id}`)
      states.set(id, {
        ...{ rfqId: rfq.id, id, missingSince: null, textHash: null },
        firstObservedAt: before?.firstObservedAt ?? recordedAt,
        readAt: isRead ? now.toISOString() : (before?.readAt ?? null),
        requestedAt: isRequested ? now.toISOString() : (before?.requestedAt ?? null),
        summaryHash: isRequested || before?.summaryHash === String(summary) ? String(summary) : null,
      })
    }
  }
}

const rfqState = ({ id, state }: WorldRfq, now: Date, readAt: Date | null): RfqPollState => ({
  ...{ id, state, incomplete: 0, contradicted: false, missingSince: null, textHash: null },
  isEntryRead: readAt === null ? 0 : 1,
  readAt: readAt?.toISOString() ?? null,
  requestedAt: readAt?.toISOString() ?? null,
  firstObservedAt: now.toISOString(),
})
