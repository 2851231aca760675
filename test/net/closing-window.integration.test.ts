import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Desk, longIt, type Running } from './desk.js'
import { day, response, rfq } from './documents.js'
import { Marketplace, type Request } from './marketplace.js'
import { expectProvenCloses } from './proven-closes.js'

/** A reading that is older must not lead to a close (docs/CLOSING.md, rule 6). */
const MAX_AGE_MS = 5000
const READS = [1, 2, 3] as const

interface Round {
  market: Marketplace
  desk: Desk
  /** The process that closes. */
  closing: Running
}

/**
 * Closes an RFQ that is past due; `act` happens at one of its reads, after the marketplace has made its reply and before the reply is sent.
 * @param nth which read of the RFQ it is
 * @returns what the marketplace received afterwards
 */
async function roundWith(
  nth: number,
  act: (round: Round) => unknown,
): Promise<{ market: Marketplace; after: Request[] }> {
  const market = await Marketplace.open()
  market.add(rfq(101, { responseDueDate: day(-2) }), [response(1011)])
  const desk = await Desk.open(market)
  let acted = Number.POSITIVE_INFINITY
  let reads = 0
  market.on('GET rfq 101', async (_, answer) => {
    const reply = answer()
    if (++reads === nth) {
      await act({ market, desk, closing })
      acted = market.requests.length
    }
    return reply
  })
  const closing = desk.start('close-expired')
  await closing.ended
  expect(reads).toBeGreaterThanOrEqual(nth)
  expectProvenCloses(market)
  return { market, after: market.requests.slice(acted) }
}

const isClose = ({ name }: Request) => name === 'POST close 101'
const passed = (ms: number) => new Promise((done) => setTimeout(done, ms))

function suspend({ desk, closing }: Round, clockError: number): void {
  closing.signal('SIGSTOP')
  setTimeout(() => {
    desk.setClockError(clockError)
    closing.signal('SIGCONT')
  }, MAX_AGE_MS + 500)
}

/** What makes a reading too old. */
const DELAYS: Record<string, (round: Round) => unknown> = {
  'a suspension': (round) => suspend(round, 0),
  'a suspension that a clock which is set back hides': (round) => suspend(round, -MAX_AGE_MS - 500),
  'a slow reply': () => passed(MAX_AGE_MS + 500),
}

describe('between reading an RFQ and closing it', () => {
  it('a stop file that appears at the last read prevents the close', async () => {
    const { after } = await roundWith(3, ({ desk }) => writeFileSync(join(desk.folder, 'data', 'closing.stop'), ''))
    expect(after.filter(isClose)).toEqual([])
  })

  for (const nth of READS) {
    longIt(`an order to stop at read ${nth} prevents the close, whoever gives it`, async () => {
      const { market, after } = await roundWith(nth, async ({ desk }) => {
        expect((await desk.run('close-expired', '--stop', 'audit', '--by', 'Ada')).status).toBe(0)
      })
      expect(after.filter(isClose)).toEqual([])
      expect(market.rfq(101).state).toBe('open')
    })

    longIt(`a due date that is extended after read ${nth} prevents the close, unless this read led to it`, async () => {
      const { after } = await roundWith(nth, ({ market }) =>
        Object.assign(market.rfq(101), { responseDueDate: day(14) }),
      )
      expect(after.slice(1).filter(isClose)).toEqual([])
    })

    for (const [name, delay] of Object.entries(DELAYS))
      longIt(`${name} at read ${nth} leads to another read before the close, of which there is one`, async () => {
        const { market, after } = await roundWith(nth, delay)
        expect(after[0]).not.toSatisfy(isClose)
        expect(market.posts()).toBe(1)
      })
  }
})
