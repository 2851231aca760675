import type { ResponsePollState, RfqPollState } from '../../../src/store/contract.js'
import type { PollPlanning } from '../../../src/sync/contract.js'
import { chooseResponses, type PlannableRfq, planRequests, reasonToRead } from '../../../src/sync/plan.js'

const INTERVAL_MS = 5 * 60_000
const HOUR_MS = 3_600_000

type PlanRules = Pick<PollPlanning, 'offersMaxAgeMinutes' | 'urgentHours'> & { recheckClosedHours: number }

interface WorldOffer {
  id: string
  summary: number
}
interface WorldRfq {
  id: string
  entry: number
  state: 'open' | 'closed'
  dueAt: Date | null
  offers: WorldOffer[]
}

/** A marketplace and what is known of it, polled every five minutes by plan: no HTTP, no database. */
export class RequestWorld {
  readonly #rules: PlanRules
  readonly #rfqs: WorldRfq[] = []
  readonly #known = new Map<string, RfqPollState>()
  readonly #responses = new Map<string, Map<string, ResponsePollState>>()
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
    this.#rfqs.push({ id: `rfq-${this.#rfqs.length}`, entry: 0, state: 'open', dueAt: null, offers: [] })
  }
  addOffer(rfq: number): void {
    const { offers } = this.#at(rfq)
    offers.push({ id: `offer-${offers.length}`, summary: 0 })
    this.changeEntry(rfq)
  }
  changeEntry(rfq: number): void {
    this.#at(rfq).entry++
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
    const documents = this.#rfqs.reduce((sum, { offers }) => sum + 1 + offers.length, 0)
    const urgent = open.filter(({ dueAt }) => dueAt !== null).reduce((sum, { offers }) => sum + 1 + offers.length, 0)
    const polls = Math.max(1, Math.floor((this.#rules.offersMaxAgeMinutes * 60_000) / INTERVAL_MS) - 1)
    return 5 + Math.ceil((2 * (open.length + urgent + documents / polls) + 20) / 0.9)
  }

  /** Within how many polls everything is read once, if a fifth of the requests is for what has waited longest, an RFQ with an offer at least. */
  pollsForAll(budget: number): number {
    const documents = this.#rfqs.reduce((sum, { offers }) => sum + 1 + offers.length, 0)
    return Math.ceil(documents / Math.max(1, Math.floor(budget * 0.2 * 0.9) - 1))
  }

  /** Polls with a number of requests; the list takes none of them. Afterwards, the next poll is due. */
  async poll(budget: number, usualBudget = budget) {
    const now = new Date(this.#now)
    this.#markIncomplete()
    const rules = { ...this.#rules, full: false, now }
    const listed = this.#rfqs.map(({ id, entry, state, dueAt, offers }): PlannableRfq => {
      const rfq = { id, hash: String(entry), state }
      const responseIds = offers.map((offer) => offer.id)
      return { ...rfq, dueAt, responseIds, reasonToRead: reasonToRead(rfq, this.#known.get(id), rules) }
    })
    const { offersMaxAgeMinutes, urgentHours } = this.#rules
    const plan = planRequests({
      ...{ listed, known: this.#known, responses: this.#responses, now },
      planning: {
        ...{ budget: budget + 1, usualBudget: usualBudget + 1, offersMaxAgeMinutes, urgentHours },
        ...{ nextPollAt: new Date(this.#now + INTERVAL_MS), intervalMs: INTERVAL_MS },
      },
    })
    let left = plan.unused
    let sent = 0
    let postponed = plan.postponed.reduce((sum, { documents }) => sum + documents, 0)
    /** Offers that were read. */
    const read: string[] = []
    /** Documents whose request failed. */
    const failed: string[] = []
    for (const [rfqId, planned] of plan.reads) {
      const rfq = this.#rfqs.find(({ id }) => id === rfqId) as WorldRfq
      if (this.#failing.has(rfq.id)) {
        sent++
        failed.push(rfq.id)
        const before = this.#known.get(rfq.id)
        const requestedAt = now.toISOString()
        this.#known.set(rfq.id, { ...(before ?? rfqState(rfq, now, null)), requestedAt })
        continue
      }
      const summaries = rfq.offers.map(({ id, summary }) => ({ id, summaryHash: String(summary) }))
      const choice = chooseResponses(summaries, planned, this.#responses.get(rfq.id), left)
      left = choice.left
      sent += 1 + choice.request.size
      postponed += choice.postponed
      this.#record(rfq, choice.request, now)
      for (const id of choice.request) {
        const document = `${rfq.id} ${id}`
        ;(this.#failing.has(document) ? failed : read).push(document)
      }
    }
    for (const { id } of plan.postponed) {
      const rfq = this.#rfqs.find((each) => each.id === id) as WorldRfq
      if (!this.#known.has(id)) this.#known.set(id, rfqState(rfq, now, null))
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
    const times = this.#rfqs
      .filter(({ state }) => state === 'open')
      .flatMap(({ id, offers }) => [
        this.#known.get(id)?.detailReadAt,
        ...offers.map((offer) => this.#responses.get(id)?.get(offer.id)?.readAt),
      ])
    const known = times.flatMap((time) => (time == null ? [] : [Date.parse(time)]))
    return known.length === 0 ? 0 : (this.#now - Math.min(...known)) / 60_000
  }

  /** Documents that were never read. */
  unread(): string[] {
    return this.#rfqs.flatMap(({ id, offers }) => [
      ...(this.#known.get(id)?.detailReadAt == null ? [id] : []),
      ...offers.flatMap((offer) =>
        this.#responses.get(id)?.get(offer.id)?.readAt == null ? [`${id} ${offer.id}`] : [],
      ),
    ])
  }

  /** As the store does: some offer is known only by its summary. */
  #markIncomplete(): void {
    for (const [id, state] of this.#known) {
      const incomplete = [...(this.#responses.get(id)?.values() ?? [])].some(({ readAt }) => readAt === null)
      this.#known.set(id, { ...state, incomplete })
    }
  }

  #at(rfq: number): WorldRfq {
    return this.#rfqs[rfq % this.#rfqs.length] as WorldRfq
  }

  #record(rfq: WorldRfq, requested: ReadonlySet<string>, now: Date): void {
    this.#known.set(rfq.id, rfqState(rfq, now, now))
    const states = this.#responses.get(rfq.id) ?? new Map<string, ResponsePollState>()
    this.#responses.set(rfq.id, states)
    // They are recorded after they were requested.
    const recordedAt = new Date(now.getTime() + 1_000).toISOString()
    for (const { id, summary } of rfq.offers) {
      const before = states.get(id)
      const isRequested = requested.has(id)
      const isRead = isRequested && !this.#failing.has(`${rfq.id} ${id}`)
      states.set(id, {
        ...{ rfqId: rfq.id, id, missingSince: null, textHash: null, summaryHash: String(summary) },
        firstObservedAt: before?.firstObservedAt ?? recordedAt,
        readAt: isRead ? now.toISOString() : (before?.readAt ?? null),
        requestedAt: isRequested ? now.toISOString() : (before?.requestedAt ?? null),
        readSummaryHash: isRead ? String(summary) : (before?.readSummaryHash ?? null),
      })
    }
  }
}

const rfqState = ({ id, entry, state }: WorldRfq, now: Date, readAt: Date | null): RfqPollState => ({
  ...{ id, state, incomplete: false, contradicted: false, missingSince: null, textHash: null },
  ...{ entryHash: String(entry), isEntryRead: readAt !== null },
  shape: readAt === null ? 'list' : 'full',
  detailReadAt: readAt?.toISOString() ?? null,
  requestedAt: readAt?.toISOString() ?? null,
  firstObservedAt: now.toISOString(),
})
