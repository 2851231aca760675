import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect } from 'vitest'
import { mountSkipReason, mountSmallDisk, type SmallDisk } from '../helpers/servers/small-disk.js'
import { Desk, ENGINES, longIt, type Running } from './desk.js'
import { day, id, response, rfq } from './documents.js'
import { ACME, type Handler, Marketplace, RESET } from './marketplace.js'
import { expectProvenCloses } from './proven-closes.js'

const MINUTE = 60_000
/** To close one RFQ with one offer, its poll included. */
const REQUESTS_OF_A_ROUND = 10

/** Kills a process when a request arrives: before the marketplace has done anything, or after it has. */
const kill =
  (process: () => Running, hasEffect: boolean): Handler =>
  async (_, answer) => {
    process().signal('SIGKILL')
    await process().ended
    if (hasEffect) answer()
    return RESET
  }

const isSound = (file: string) => {
  const database = new Database(file)
  const result = database.pragma('integrity_check', { simple: true })
  database.close()
  return result
}

describe.each(ENGINES)('a process that is killed, on %s', (engine) => {
  /** Closes an RFQ in a round that is killed at a request, and in the next one. */
  async function closeWithKill(
    step: number,
    hasEffect: boolean,
  ): Promise<{ killedAt: string | undefined; market: Marketplace }> {
    const market = await Marketplace.open()
    market.add(rfq(101, { responseDueDate: day(-2) }), [response(1011)])
    const desk = await Desk.open(market, { engine })
    let requests = 0
    market.on(/./, (request, answer) => {
      const isClose = request.name === 'POST close 101'
      const kills = hasEffect ? isClose : ++requests === step
      return kills ? kill(() => first, hasEffect)(request, answer) : answer()
    })
    const first = desk.start('close-expired')
    const { signal } = await first.ended
    const killedAt = signal === 'SIGKILL' ? market.requests.at(-1)?.name : undefined
    market.behave()
    desk.travel(5 * MINUTE)
    expect((await desk.run('close-expired')).status).toBe(0)
    expect(market.rfq(101).state).toBe('closed')
    const outcomes = await desk.sql('select outcome from close_decisions where outcome is not null')
    expect(outcomes).toEqual([{ outcome: expect.stringMatching(/^(already-)?closed$/) }])
    expect(await desk.value(`select max(version) from versions where kind = 'rfq'`)).toBe(2)
    expectProvenCloses(market, 1)
    return { killedAt, market }
  }

  for (let step = 1; step <= REQUESTS_OF_A_ROUND; step++)
    longIt(`at request ${step} of a closing round: the next round settles the close`, async () => {
      const { killedAt, market } = await closeWithKill(step, false)
      expect(market.posts(101)).toBe(killedAt === 'POST close 101' ? 2 : 1)
    })

  longIt('at a close that took effect: the next round finds that, and sends nothing', async () => {
    const { killedAt, market } = await closeWithKill(0, true)
    expect(killedAt).toBe('POST close 101')
    expect(market.posts(101)).toBe(1)
  })

  longIt('never within a round of more requests than are tried here', async () => {
    const { killedAt } = await closeWithKill(REQUESTS_OF_A_ROUND + 1, false)
    expect(killedAt).toBeUndefined()
  })

  longIt('in a poll: what was recorded is whole, and the next poll completes it', async () => {
    const market = await Marketplace.open()
    for (let number = 101; number <= 160; number++)
      market.add(rfq(number), [response(number * 10), response(number * 10 + 1)])
    for (const each of [...market.channel(ACME).responses.values()].flat())
      Object.assign(each.offer as object, { additionalNotesToBuyer: 'N'.repeat(40_000) })
    const desk = await Desk.open(market, { engine })
    for (const step of [2, 60, 170]) {
      let requests = 0
      market.on(/rfq|response/, (request, answer) =>
        ++requests === step ? kill(() => poll, false)(request, answer) : answer(),
      )
      const poll = desk.start('sync')
      expect((await poll.ended).signal).toBe('SIGKILL')
      market.behave()
      if (engine === 'sqlite') expect(isSound(desk.database)).toBe('ok')
      expect(await desk.value(HALF_RECORDED)).toBe(0)
    }
    expect(await desk.value('select count(*) from offers')).toBeGreaterThan(0)
    expect((await desk.run('sync')).status).toBe(0)
    expect(await desk.value('select count(*) from offers')).toBe(120)
    expect(await desk.value('select count(*) from rfqs')).toBe(60)
    expect(await desk.value('select count(*) from versions where version > 1')).toBe(0)
    expect(await desk.value(`select count(*) from runs where outcome = 'interrupted'`)).toBeGreaterThan(0)
  })
})

/** RFQs that were read without all of their offers. */
const HALF_RECORDED = `select count(*) from rfqs where shape = 'full' and offer_count <>
  (select count(*) from offers where offers.rfq_id = rfqs.id and offers.channel = rfqs.channel)`

describe('a full disk', () => {
  longIt(
    'loses nothing that was recorded, closes nothing, and all is recorded once there is room',
    async () => {
      const { folder: disk } = mountSmallDisk('12m') as SmallDisk
      const market = await Marketplace.open()
      market.add(rfq(101, { responseDueDate: day(-2) }), [response(1011)])
      const desk = await Desk.open(market, { database: join(disk, 'q.db') })
      expect((await desk.run('sync')).status).toBe(0)

      fill(join(disk, 'filler'))
      Object.assign(market.rfq(101), { title: 'Changed' })
      for (let number = 102; number <= 140; number++)
        market.add(rfq(number, { additionalRequirements: 'N'.repeat(20_000) }))
      const ended = await desk.run('sync')
      expect(ended).toMatchObject({ status: 1, err: expect.stringMatching(/full|space|disk/i) })
      expect((await desk.run('close-expired')).status).toBe(1)
      expect(market.posts()).toBe(0)

      rmSync(join(disk, 'filler'))
      expect(isSound(desk.database)).toBe('ok')
      expect((await desk.run('sync')).status).toBe(0)
      expect(await desk.value('select count(*) from rfqs')).toBe(40)
      expect(await desk.sql(`select version, title from rfqs where id = '${id(101)}'`)).toEqual([
        { version: 2, title: 'Changed' },
      ])
      expect((await desk.run('close-expired')).status).toBe(0)
      expect(market.posts(101)).toBe(1)
    },
    mountSkipReason() === null,
  )
})

/** Writes a file until the disk is full. */
function fill(file: string): void {
  for (const size of [1 << 16, 1 << 12, 1]) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch {
      // No more of this size.
    }
  }
}
