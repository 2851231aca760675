import { existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { claimOf, LATE_MS, NO_STARTS, startInterval } from '../../../src/core/requests/request-ledger.js'
import { openStore } from '../../../src/store/sqlite/store.js'
import { testFolder } from '../../helpers/test-folder.js'

const ORIGIN = 'https://marketplace.example.com'
/** One start in ten seconds. */
const CLAIM = claimOf(startInterval(0.1), 1, 0)

/** Opens a store as another process would, with a clock that the test moves. */
async function open(path: string, time = { now: Date.UTC(2026, 0) }) {
  const store = await openStore({ path, clock: () => new Date(time.now) })
  onTestFinished(() => store.close().catch(() => undefined))
  return store
}

describe('the file of the request ledger', () => {
  it('is shared by all stores of one database, also under another name, and separate for each marketplace', async () => {
    const folder = testFolder()
    const [path, link] = [join(folder, 'quotekeeper.db'), join(folder, 'link.db')]
    const one = await open(path)
    symlinkSync(path, link)
    const other = await open(link)
    expect(await one.requestLedger(ORIGIN).claim(CLAIM)).toEqual({ startsIn: 0, pausedFor: 0 })
    expect(await other.requestLedger(ORIGIN).claim(CLAIM)).toEqual({ startsIn: CLAIM.cost, pausedFor: 0 })
    expect(await other.requestLedger('https://another.example.com').claim(CLAIM)).toMatchObject({ startsIn: 0 })
    expect(statSync(`${path}-requests`).mode & 0o777).toBe(0o600)
    expect(existsSync(`${link}-requests`)).toBe(false)
  })

  it('keeps starts and pauses when the store is closed and opened again', async () => {
    const [path, time] = [join(testFolder(), 'quotekeeper.db'), { now: Date.UTC(2026, 0) }]
    for (let round = 0; round < 6; round++) {
      const store = await open(path, time)
      const ledger = store.requestLedger(ORIGIN)
      if (round === 0) await ledger.claim({ ...NO_STARTS, pausedFor: 3_600_000 })
      expect((await ledger.claim(CLAIM)).pausedFor).toBe(3_600_000 - round * 600_000)
      await store.close()
      time.now += 600_000
    }
    for (let round = 0; round < 6; round++) {
      const store = await open(path, time)
      const grant = await store.requestLedger(ORIGIN).claim(CLAIM)
      expect(grant).toEqual({ startsIn: Math.max(0, round * CLAIM.cost - LATE_MS), pausedFor: 0 })
      await store.close()
    }
  })

  it.each([
    ['emptied', (file: string) => writeFileSync(file, '')],
    ['overwritten', (file: string) => writeFileSync(file, 'no database '.repeat(1000))],
    ['emptied of its table', (file: string) => new Database(file).exec('drop table request_limits').close()],
  ])('grants no start for a second after it was %s, to a store that had it open', async (_, harm) => {
    const [path, time] = [join(testFolder(), 'quotekeeper.db'), { now: Date.UTC(2026, 0) }]
    const ledger = (await open(path, time)).requestLedger(ORIGIN)
    const other = (await open(path, time)).requestLedger(ORIGIN)
    const one = claimOf(startInterval(20), 1, 0)
    for (let round = 0; round < 6; round++) {
      expect((await ledger.claim(one)).startsIn).toBeLessThan(1)
      await other.claim(one)
      harm(`${path}-requests`)
      expect((await ledger.claim(one)).pausedFor).toBeGreaterThanOrEqual(1000)
      expect((await other.claim(one)).pausedFor).toBeGreaterThanOrEqual(1000)
      time.now += 2000
    }
  })

  it('rejects with the path and a remedy if it cannot be opened', async () => {
    const path = join(testFolder(), 'quotekeeper.db')
    const store = await open(path)
    mkdirSync(`${path}-requests`)
    const claim = store.requestLedger(ORIGIN).claim(CLAIM)
    await expect(claim).rejects.toMatchObject({ name: 'StoreError' })
    await expect(claim).rejects.toThrow(`${path}-requests`)
    rmSync(`${path}-requests`, { recursive: true })
    expect((await store.requestLedger(ORIGIN).claim(CLAIM)).pausedFor).toBe(0)
  })
})
