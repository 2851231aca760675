import { chmodSync, existsSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { LedgerReport } from '../../src/core/request-ledger.js'
import { openStore } from '../../src/store/store.js'
import { REPORT as DEFAULTS, UNLIMITED } from '../helpers/ledger-simulation.js'
import { testFolder } from '../helpers/test-folder.js'

const ORIGIN = 'https://marketplace.example.com'
const REPORT: LedgerReport = { ...DEFAULTS, ...UNLIMITED, waiting: 4 }

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
    expect(await one.requestLedger(ORIGIN).claim(REPORT)).toMatchObject({ slots: 4, starts: 4 })
    expect(await other.requestLedger(ORIGIN).claim(REPORT)).toMatchObject({ slots: 0, starts: 0 })
    expect(await other.requestLedger('https://another.example.com').claim(REPORT)).toMatchObject({ slots: 4 })
    expect(existsSync(`${path}-requests`)).toBe(true)
    expect(existsSync(`${link}-requests`)).toBe(false)
  })

  it('has the permissions of the database', async () => {
    const path = join(testFolder(), 'quotekeeper.db')
    const store = await open(path)
    await store.requestLedger(ORIGIN).claim(REPORT)
    expect(statSync(`${path}-requests`).mode & 0o777).toBe(0o600)
    rmSync(`${path}-requests`)
    chmodSync(path, 0o660)
    await store.requestLedger(ORIGIN).claim(REPORT)
    expect(statSync(`${path}-requests`).mode & 0o777).toBe(0o660)
  })

  it('keeps slots and pauses when the store is closed and opened again', async () => {
    const [path, time] = [join(testFolder(), 'quotekeeper.db'), { now: Date.UTC(2026, 0) }]
    for (let round = 0; round < 6; round++) {
      const store = await open(path, time)
      const share = await store.requestLedger(ORIGIN).claim({ ...REPORT, pausedFor: round === 0 ? 3_600_000 : 0 })
      expect(share).toMatchObject({ starts: 0, pausedFor: 3_600_000 - round * 600_000 })
      await store.close()
      time.now += 600_000
    }
    expect((await (await open(path, time)).requestLedger(ORIGIN).claim(REPORT)).starts).toBe(4)
  })

  it('grants no start more because the clock is set, in either direction', async () => {
    const store = await openStore({ path: join(testFolder(), 'quotekeeper.db') })
    onTestFinished(() => store.close())
    // One start in ten seconds: each process is granted one after that of the process before it.
    const claim = () => store.requestLedger(ORIGIN).claim({ ...REPORT, perSecond: 0.1 })
    expect(await claim()).toMatchObject({ starts: 1, startsIn: 0 })
    onTestFinished(() => void vi.useRealTimers())
    let startsIn = 0
    for (const ahead of [3_600_000, -3_600_000, 365 * 24 * 3_600_000]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead })
      const share = await claim()
      expect(share.startsIn).toBeGreaterThan(startsIn + 9_000)
      startsIn = share.startsIn
    }
  })

  it.each([
    ['deleted', (file: string) => rmSync(file)],
    ['emptied', (file: string) => writeFileSync(file, '')],
    ['overwritten', (file: string) => writeFileSync(file, 'no database '.repeat(1000))],
    ['unreadable in its rows', (file: string) => setState(file, '{"at":')],
    ['of another form', (file: string) => setState(file, '{"version":2}')],
  ])('grants no start for a second after it was %s, to a store that had it open', async (_, harm) => {
    const [path, time] = [join(testFolder(), 'quotekeeper.db'), { now: Date.UTC(2026, 0) }]
    const ledger = (await open(path, time)).requestLedger(ORIGIN)
    const other = (await open(path, time)).requestLedger(ORIGIN)
    for (let round = 0; round < 6; round++) {
      expect((await ledger.claim(REPORT)).startsIn).toBe(0)
      await ledger.claim({ ...REPORT, waiting: 0 })
      await other.claim({ ...REPORT, waiting: 0 })
      harm(`${path}-requests`)
      expect((await ledger.claim({ ...REPORT, waiting: 1 })).startsIn).toBeGreaterThanOrEqual(1000)
      expect((await other.claim({ ...REPORT, waiting: 1 })).startsIn).toBeGreaterThanOrEqual(1000)
      await other.claim({ ...REPORT, waiting: 0 })
      time.now += 2000
    }
  })

  it('rejects with the path and a remedy if it cannot be opened', async () => {
    const path = join(testFolder(), 'quotekeeper.db')
    const store = await open(path)
    mkdirSync(`${path}-requests`)
    const claim = store.requestLedger(ORIGIN).claim(REPORT)
    await expect(claim).rejects.toMatchObject({ name: 'UnusableDatabaseError' })
    await expect(claim).rejects.toThrow(`${path}-requests`)
    rmSync(`${path}-requests`, { recursive: true })
    expect((await store.requestLedger(ORIGIN).claim(REPORT)).starts).toBe(4)
  })
})

function setState(file: string, state: string): void {
  const db = new Database(file)
  db.prepare('update ledgers set state = ?').run(state)
  db.close()
}
