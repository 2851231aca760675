// A day of one channel in memory: what changes on the marketplace, and when a policy of reading finds it. Time is that of the
// sandbox's clock, which each request moves forward by its share of the rate; nothing waits, and nothing is sent.
const dist = new URL('../../dist/src/', import.meta.url)
const { planRequests } = await import(new URL('sync/plan/request-plan.js', dist))
const { reasonToRead } = await import(new URL('sync/plan/read-reasons.js', dist))
const { chooseResponses } = await import(new URL('sync/plan/read-reasons.js', dist))
const { SandboxClock } = await import(new URL('sandbox/world/sandbox-clock.js', dist))
const { SeededRandom } = await import(new URL('sandbox/world/seeded-random.js', dist))

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const INTERVAL = 5 * MINUTE
const START = Date.parse('2026-11-21T00:00:00Z')
/** As src/sync/plan/poll-planning.ts: the rest is for listings, closing, retries and commands by hand. */
const RFQ_POLLS_SHARE = 0.9

/**
 * Changes on a day with 1,000 open RFQs of 10 offers each, and the request that shows them first. An RFQ is open for two weeks on
 * average and gets an offer a day; one offer in twenty is revised a day.
 */
export const KINDS = {
  'new RFQ': { perRfq: 0.07, shownBy: 'list' },
  'RFQ amended or closed': { perRfq: 0.15, shownBy: 'list' },
  'new offer': { perRfq: 1, shownBy: 'list' },
  'price, volume or status of an offer': { perRfq: 0.5, shownBy: 'RFQ' },
  'only the terms of an offer': { perRfq: 0.3, shownBy: 'offer' },
}

/** The marketplace and what was read of it. */
class Desk {
  constructor({ rfqs, offers, seed }) {
    const faker = new SeededRandom(seed).faker('a day')
    this.random = () => faker.number.float({ min: 0, max: 1 })
    this.clock = new SandboxClock(() => new Date(START))
    this.clock.set(new Date(START))
    this.rfqs = []
    this.sent = 0
    this.delays = new Map(Object.keys(KINDS).map((kind) => [kind, []]))
    for (let at = 0; at < rfqs; at++) {
      const rfq = this.addRfq()
      for (let number = 0; number < offers; number++) this.addOffer(rfq)
    }
    this.changes = Object.entries(KINDS).flatMap(([kind, { perRfq }]) =>
      Array.from({ length: Math.round(perRfq * rfqs) }, () => ({ kind, at: START + this.random() * DAY })),
    )
    this.changes.sort((a, b) => b.at - a.at)
  }

  get now() {
    return this.clock.now().getTime()
  }

  addRfq() {
    const id = `rfq-${this.rfqs.length}`
    // Due within the next two to twenty days; what is past due is closed at once.
    const dueAt = new Date(START + (1 + this.random() * 19) * DAY)
    const rfq = { id, entry: 0, readEntry: -1, dueAt, offers: [], pending: [], readAt: null }
    this.rfqs.push(rfq)
    return rfq
  }

  addOffer(rfq) {
    const offer = {
      id: `offer-${rfq.offers.length}`,
      summary: 0,
      readSummary: -1,
      seenSummary: 0,
      pending: [],
      readAt: null,
    }
    rfq.offers.push(offer)
    rfq.entry++
    return offer
  }

  /** Lets everything happen that is due by now. */
  happen() {
    while (this.changes.at(-1)?.at <= this.now) {
      const change = this.changes.pop()
      const rfq = this.rfqs[Math.floor(this.random() * this.rfqs.length)]
      const offer = rfq.offers[Math.floor(this.random() * rfq.offers.length)]
      if (change.kind === 'new RFQ') this.addRfq().pending.push(change)
      else if (change.kind === 'new offer') this.addOffer(rfq).pending.push(change)
      else if (change.kind === 'RFQ amended or closed') rfq.pending.push(change)
      else offer?.pending.push(change)
      if (change.kind === 'RFQ amended or closed') rfq.entry++
      if (change.kind.startsWith('price') && offer) offer.summary++
    }
  }

  /** One request takes its share of the rate. */
  send(perSecond) {
    this.clock.advance(new Date(this.now + 1_000 / perSecond))
    this.sent++
    this.happen()
  }

  readRfq(rfq, perSecond) {
    this.send(perSecond)
    this.find(rfq.pending)
    rfq.readEntry = rfq.entry
    rfq.readAt = this.now
    for (const offer of rfq.offers) {
      offer.seenSummary = offer.summary
      // The RFQ shows these, before the offer itself is read.
      this.find(offer.pending, (kind) => KINDS[kind].shownBy === 'RFQ')
    }
  }

  readOffer(offer, perSecond) {
    const { seenSummary } = offer
    this.send(perSecond)
    this.find(offer.pending)
    offer.readSummary = seenSummary
    offer.readAt = this.now
  }

  find(pending, shows = () => true) {
    for (const change of pending.filter(({ kind }) => shows(kind))) {
      this.delays.get(change.kind).push((this.now - change.at) / 1_000)
      pending.splice(pending.indexOf(change), 1)
    }
  }

  waitUntil(moment) {
    if (moment > this.now) this.clock.advance(new Date(moment))
    this.happen()
  }
}

const nextTick = (now) => (Math.floor((now - START) / INTERVAL) + 1) * INTERVAL + START

/** Reads the list, then every RFQ with all its offers, as often as the schedule and the rate allow. */
function readEverything(desk, { perSecond }) {
  desk.send(perSecond)
  for (const rfq of [...desk.rfqs]) {
    desk.readRfq(rfq, perSecond)
    for (const offer of [...rfq.offers]) desk.readOffer(offer, perSecond)
  }
  return { postponed: 0 }
}

const iso = (time) => (time === null ? null : new Date(time).toISOString())

/** Reads what the plan says, by the same functions as a scheduled poll. */
async function readPlanned(desk, { perSecond, offersMaxAgeMinutes = 60, urgentHours = 24 }) {
  const began = desk.now
  desk.send(perSecond)
  const byId = new Map(desk.rfqs.map((rfq) => [rfq.id, rfq]))
  const stateOf = ({ id, readAt, readEntry }) => ({
    ...{ id, shape: 'full', state: 'open', detailReadAt: iso(readAt), entryHash: String(readEntry), isFollowed: true },
    ...{ incomplete: false, missingSince: null, firstObservedAt: iso(readAt ?? began) },
  })
  const responsesOf = ({ id: rfqId, offers }) =>
    new Map(
      offers
        .filter(({ readAt }) => readAt !== null)
        .map(({ id, readAt, seenSummary, readSummary }) => [
          id,
          {
            ...{ rfqId, id, readAt: iso(readAt), requestedAt: iso(readAt), firstObservedAt: iso(readAt) },
            ...{ summaryHash: String(seenSummary), readSummaryHash: String(readSummary) },
            ...{ missingSince: null },
          },
        ]),
    )
  const known = new Map(desk.rfqs.filter(({ readAt }) => readAt !== null).map((rfq) => [rfq.id, stateOf(rfq)]))
  const responses = new Map(desk.rfqs.map((rfq) => [rfq.id, responsesOf(rfq)]))
  const now = new Date(began)
  const listed = desk.rfqs.map(({ id, entry, dueAt, offers }) => {
    const rfq = { id, hash: String(entry), state: 'open' }
    const cause = reasonToRead(rfq, known.get(id), { full: false, recheckClosedHours: 24, now })
    return { ...rfq, cause, dueAt, responseIds: offers.map((offer) => offer.id) }
  })
  const nextPollAt = new Date(nextTick(began))
  const budgetFor = (milliseconds) => Math.floor((perSecond * milliseconds * RFQ_POLLS_SHARE) / 1_000)
  const budgets = { budget: budgetFor(nextPollAt.getTime() - began), usualBudget: budgetFor(INTERVAL) }
  const planning = { ...budgets, nextPollAt, intervalMs: INTERVAL, offersMaxAgeMinutes, urgentHours }
  const plan = await planRequests({ listed, known, responses, now, planning })
  let { left } = plan
  let postponed = plan.postponed.reduce((sum, rfq) => sum + 1 + rfq.postponed.size, 0)
  for (const planned of plan.reads) {
    const rfq = byId.get(planned.id)
    desk.readRfq(rfq, perSecond)
    const summaries = rfq.offers.map(({ id, seenSummary }) => ({ id, summaryHash: String(seenSummary) }))
    const choice = chooseResponses(summaries, planned, responses.get(rfq.id), left)
    left = choice.left
    postponed += choice.postponed
    for (const offer of [...rfq.offers]) if (choice.request.has(offer.id)) desk.readOffer(offer, perSecond)
  }
  return { postponed, rates: plan.rates }
}

/**
 * Simulates a day, after a first poll of everything.
 * @returns delays in seconds by kind of change, requests, and the age of the oldest terms during the day
 */
export async function simulateDay({ policy, perSecond, rfqs = 1_000, offers = 10, seed = 1 }) {
  const desk = new Desk({ rfqs, offers, seed })
  const poll = policy === 'planned' ? readPlanned : readEverything
  // Everything was read within the hour before.
  for (const rfq of desk.rfqs) {
    rfq.readAt = START - desk.random() * 60 * MINUTE
    rfq.readEntry = rfq.entry
    for (const offer of rfq.offers) Object.assign(offer, { readAt: rfq.readAt, readSummary: 0 })
  }
  const polls = { count: 0, postponed: 0, oldestMinutes: 0, rates: null }
  while (desk.now < START + DAY) {
    const { postponed, rates = null } = await poll(desk, { perSecond })
    const oldest = Math.min(...desk.rfqs.flatMap((rfq) => rfq.offers.flatMap(({ readAt }) => readAt ?? [])))
    polls.count++
    polls.postponed += postponed
    polls.rates = rates
    polls.oldestMinutes = Math.max(polls.oldestMinutes, (desk.now - oldest) / MINUTE)
    desk.waitUntil(nextTick(desk.now - 1))
  }
  return { ...polls, requests: desk.sent, delays: desk.delays }
}
