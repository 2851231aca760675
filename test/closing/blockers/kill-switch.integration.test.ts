import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { closingKillSwitch, stopFileOf } from '../../../src/closing/kill-switch.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { databaseOf, openAgain } from '../../helpers/store/store-engine.js'
import { testFolder } from '../../helpers/test-folder.js'

async function openSwitch() {
  const store = await openNewStore()
  const folder = testFolder()
  const closing = { enabled: true }
  const locations = { database: join(folder, 'quotekeeper.db'), file: '/nowhere/quotekeeper.yaml' }
  return {
    ...{ store, folder, closing, stopFile: stopFileOf(locations) },
    reason: closingKillSwitch({ closing, ...locations }, store),
  }
}

describe('the kill switch of closing', () => {
  it.each([
    [true, [], null],
    [true, ['closing.stop.txt', 'sub/closing.stop'], null],
    [true, ['closing.stop'], 'stop file closing.stop exists; delete it to close again'],
    [false, [], expect.stringContaining('closing.enabled')],
    [false, ['closing.stop'], expect.any(String)],
  ])('with closing.enabled %j and the files %j stops closing: %j', async (enabled, files, expected) => {
    const { folder, closing, reason } = await openSwitch()
    mkdirSync(join(folder, 'sub'))
    closing.enabled = enabled
    for (const file of files) writeFileSync(join(folder, file), '')
    expect(await reason()).toEqual(expected)
    // Until they are removed.
    for (const file of files) rmSync(join(folder, file))
    expect((await reason()) === null).toBe(enabled)
  })

  it('is also the stop file beside the file that a link of the database leads to, and one that is a link to nothing', async () => {
    const { store, folder, closing } = await openSwitch()
    const real = testFolder()
    writeFileSync(join(real, 'quotekeeper.db'), '')
    symlinkSync(join(real, 'quotekeeper.db'), join(folder, 'quotekeeper.db'))
    const locations = { database: join(folder, 'quotekeeper.db'), file: '/nowhere/quotekeeper.yaml' }
    const reason = closingKillSwitch({ closing, ...locations }, store)
    expect(await reason()).toBeNull()
    writeFileSync(join(real, 'closing.stop'), '')
    expect(await reason()).toContain('closing.stop')
    rmSync(join(real, 'closing.stop'))
    symlinkSync('/nowhere/at/all', join(folder, 'closing.stop'))
    expect(await reason()).toContain('closing.stop')
  })

  it('stops a process whose database was replaced: an order would be written to the new one', async () => {
    const { store, folder, closing } = await openSwitch()
    const database = join(folder, 'quotekeeper.db')
    writeFileSync(database, '')
    const reason = closingKillSwitch({ closing, database, file: '/nowhere/quotekeeper.yaml' }, store)
    expect(await reason()).toBeNull()
    renameSync(database, `${database}.old`)
    expect(await reason()).toMatch(/replaced/)
    writeFileSync(database, '')
    expect(await reason()).toMatch(/replaced/)
  })

  it('is beside the configuration if the database is on a server', () => {
    const folder = testFolder()
    const locations = { database: 'postgres://me@host/desk', file: join(folder, 'quotekeeper.yaml') }
    expect(stopFileOf(locations)).toBe(join(folder, 'closing.stop'))
  })

  it('stops every process on the database from each order on, over restarts, until a person ends all of them', async () => {
    const { store, stopFile, reason } = await openSwitch()
    let other = await openAgain(store.name)
    const elsewhere = () => {
      const locations = { database: databaseOf(other), file: join(testFolder(), 'q.yaml') }
      return closingKillSwitch({ closing: { enabled: true }, ...locations }, other)()
    }
    const events: unknown[] = []
    for (let round = 0; round < 6; round++) {
      let stop = { by: '', reason: '', since: '' }
      for (const [number, by] of ['anna', 'ben', 'carla'].entries()) {
        const now = new Date(Date.UTC(2026, 10, 22, 12, round, number))
        await (number === 1 ? store : other).stopClosing({ by, reason: 'prices "are" wrong', now })
        const earlier = number === 0 ? '' : `; already stopped by ${stop.by} at ${stop.since}: ${stop.reason}`
        stop = { by, reason: `prices "are" wrong${earlier}`, since: now.toISOString() }
        const expected = expect.stringContaining(`stopped by ${by} at ${stop.since} (${stop.reason}); `)
        expect([await reason(), await elsewhere()]).toEqual([expected, expected])
        // Neither ends the other.
        writeFileSync(stopFile, '')
        rmSync(stopFile)
        await other.close()
        other = await openAgain(store.name)
        expect([await reason(), await elsewhere()]).toEqual([expected, expected])
        expect(await store.closingStop()).toEqual(stop)
        events.push({ kind: 'close.stopped', at: now.toISOString(), channel: null, data: { stop } })
      }
      const end = { by: 'dora', now: new Date(Date.UTC(2026, 10, 22, 12, round, 3)) }
      expect(await other.resumeClosing(end)).toEqual(stop)
      expect([await reason(), await elsewhere(), await store.resumeClosing(end)]).toEqual([null, null, null])
      const data = { stop: { ...stop, endedBy: 'dora' } }
      events.push({ kind: 'close.resumed', at: end.now.toISOString(), channel: null, data })
    }
    // Who stopped closing, and who ended that, is kept however old it is.
    expect((await store.prune({ before: new Date('2030-01-01') })).events).toBe(0)
    expect((await store.events({ after: 0, limit: 1000 })).items).toMatchObject(events)
  })

  it('rejects, so that nothing is closed, if the database cannot be read', async () => {
    const { store, reason } = await openSwitch()
    await store.close()
    await expect(reason()).rejects.toThrow()
  })
})
