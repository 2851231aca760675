import { describe, expect } from 'vitest'
import { Desk, ENGINES, LONG, netIt } from './desk.js'
import { type Document, response, rfq, vintage } from './documents.js'
import { ACME, Marketplace } from './marketplace.js'
import { random } from './random.js'

const HOUR = 3_600_000
/** Polls, one an hour. The short run has enough for each kind of change. */
const POLLS = LONG ? 16 : 4
/** After which polls the past is looked at. */
const LOOKED_AT = LONG ? [0, 4, 8, 11, 14] : [0, 2]

interface Stored {
  kind: string
  rfqId?: string
  id: string
  body: Document
  missingSince: string | null
}

/** What the marketplace showed at a poll. */
interface Snapshot {
  at: string
  rfqs: Document[]
  responses: Document[]
}

/** Changes some documents, lets some go and come back. */
class Changes {
  readonly #chance = random(7)
  readonly #gone: (() => void)[] = []
  #next = 5000

  constructor(readonly market: Marketplace) {}

  make(): void {
    const { rfqs } = this.market.channel(ACME)
    const any = <T>(list: T[]): T => list[Math.floor(this.#chance() * list.length)] as T
    const responses = this.market.channel(ACME).responses.get(any(rfqs).id) ?? []
    const offer = any(responses)?.offer as Record<string, unknown> | undefined
    if (offer !== undefined) offer.totalPrice = Math.round(this.#chance() * 1e6) / 100
    Object.assign(any(rfqs), { title: `Title ${this.#next++}`, updatedAt: new Date(this.market.now()).toISOString() })
    if (this.#chance() < 0.5) responses.push(response(this.#next++, [vintage(2023, 500, 9 + this.#chance())]))
    else if (responses.length > 1) responses.splice(0, 1)
    if (this.#chance() < 0.3) Object.assign(any(rfqs), { state: 'closed', closedAt: '2026-11-01T00:00:00.000Z' })
    for (const putBack of this.#gone.splice(0)) putBack()
    if (this.#chance() < 0.5) this.#gone.push(this.market.withdraw(Number(any(rfqs).number)))
  }
}

describe.each(ENGINES)('history on %s', (engine) => {
  netIt('is what the marketplace showed at each poll of a day', async () => {
    const market = await Marketplace.open()
    for (let number = 101; number <= 106; number++)
      market.add(rfq(number), [response(number * 10), response(number * 10 + 1)])
    const desk = await Desk.open(market, { engine, config: { history: { recheckClosedHours: 0 } } })
    const changes = new Changes(market)
    const snapshots: Snapshot[] = []
    const changedAt: number[] = []
    for (let poll = 0; poll < POLLS; poll++) {
      expect((await desk.run('sync', '--only', 'rfqs')).status).toBe(0)
      const { rfqs, responses } = market.channel(ACME)
      const listed = rfqs.flatMap((each) => responses.get(each.id) ?? [])
      desk.travel(HOUR / 4)
      snapshots.push(structuredClone({ at: new Date(market.now()).toISOString(), rfqs, responses: listed }))
      desk.travel(HOUR / 4)
      changes.make()
      changedAt.push(market.now())
      desk.travel(HOUR / 2)
    }
    for (const poll of LOOKED_AT) {
      const { at, rfqs, responses } = snapshots[poll] as Snapshot
      const stored = await exported(desk, at)
      const present = (kind: string) => stored.filter((each) => each.kind === kind && each.missingSince === null)
      expect(withoutResponses(present('rfq')), `RFQs as of poll ${poll}`).toEqual(byId(rfqs))
      // Offers of an RFQ that is missing are not missing themselves.
      const listed = present('response').filter(({ rfqId }) => rfqs.some((rfq) => rfq.id === rfqId))
      expect(bodies(listed), `responses as of poll ${poll}`).toEqual(byId(responses))
    }

    const versions = await desk.sql(
      'select kind, id, version, not_before, observed_at from versions order by kind, id, version',
    )
    expect(versions.length).toBeGreaterThan(POLLS)
    for (const { kind, id, version, not_before: notBefore, observed_at: observedAt } of versions) {
      if (version === 1) continue
      const [from, to] = [Date.parse(String(notBefore)), Date.parse(String(observedAt))]
      const inside = changedAt.some((moment) => from <= moment && moment <= to)
      expect(inside, `${kind} ${id} changed between ${notBefore} and ${observedAt}`).toBe(true)
    }
  })
})

async function exported(desk: Desk, at: string): Promise<Stored[]> {
  const { out, status } = await desk.run('export', '--as-of', at)
  expect(status).toBe(0)
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Stored)
}

const byId = (documents: Document[]) => documents.toSorted((one, other) => one.id.localeCompare(other.id))
const bodies = (stored: Stored[]) => byId(stored.map(({ body }) => body))

/** An RFQ shows the summaries of its responses, which are compared as documents of their own. */
const withoutResponses = (stored: Stored[]) => bodies(stored).map(({ responses, ...rfq }) => rfq)
