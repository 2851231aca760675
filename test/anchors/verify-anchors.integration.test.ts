import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatAnchor } from '../../src/anchors/anchor.js'
import { readAnchors } from '../../src/anchors/anchor-file.js'
import { verifyAnchors } from '../../src/anchors/verify-anchors.js'
import { writeAnchor } from '../../src/anchors/write-anchor.js'
import { openStore } from '../../src/store/sqlite/store.js'
import { newAward } from '../helpers/store/new-award.js'
import { testFolder } from '../helpers/test-folder.js'
import { openDecisionLog, recomputeChain, tamper } from './decision-log.js'

type Log = Awaited<ReturnType<typeof openDecisionLog>>

/** Days with two decisions and an anchor each: 2, 4, … decisions. */
async function anchoredLog(days = 6) {
  const log = await openDecisionLog()
  const file = join(testFolder(), 'anchors.jsonl')
  for (let day = 1; day <= days; day++) {
    await log.decide(`a${day}`)
    await log.decide(`b${day}`)
    await anchor(log, file)
    log.advanceHours(24)
  }
  return { log, file }
}

const anchor = ({ store, now }: Log, path: string) => writeAnchor({ store, target: { kind: 'file', path }, now: now() })

async function verify({ store }: Log, file: string) {
  const chain = await store.verifyDecisions()
  return { chain, ...(await verifyAnchors(store, readAnchors(file), chain, await store.verifyAwards())) }
}

describe('anchors of the award log', () => {
  const change = (path: string, sql: string) =>
    tamper(path, (db) => {
      for (const name of ['awards_immutable', 'awards_no_delete', 'award_files_no_delete'])
        db.exec(`drop trigger ${name}`)
      db.exec(sql)
    })

  it('prove that no award was changed or removed since', async () => {
    const log = await openDecisionLog()
    const file = join(testFolder(), 'anchors.jsonl')
    await log.store.recordAward(newAward())
    await log.store.recordAward(newAward({ rfqId: 'rfq-2' }))
    expect(await anchor(log, file)).toMatchObject({ awards: 2, awardsHash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    await log.store.recordAward(newAward({ rfqId: 'rfq-3' }))
    const intact = await verify(log, file)
    expect(intact).toMatchObject({ ok: true, proven: { awards: 2 } })
    expect(intact.message).toMatch(/as it was when anchored up to row 2 of 3; newer ones are not anchored yet\.$/)
    // The counter too, so that the log itself looks intact.
    change(
      log.path,
      `delete from award_files where award_id > 1; delete from awards where id > 1;
      update counters set value = 1 where name = 'awards'`,
    )
    expect(await log.store.verifyAwards()).toMatchObject({ brokenAt: null })
    expect(await verify(log, file)).toMatchObject({ ok: false, mismatch: { line: 1 } })
    await expect(anchor(log, file)).rejects.toThrow(/award 2 is missing/)
  })
})

describe('anchors of a log without awards', () => {
  it('say so, so that no award can be added later with an earlier date', async () => {
    const log = await openDecisionLog()
    const file = join(testFolder(), 'anchors.jsonl')
    expect(await anchor(log, file)).toMatchObject({ awards: 0, awardsHash: '0'.repeat(64) })
    expect(await verify(log, file)).toMatchObject({ ok: true, proven: { awards: 0 } })
    const made = log.now().getTime()
    const at = (seconds: number) => new Date(made + seconds * 1000).toISOString()
    await log.store.recordAward(newAward({ at: at(-60) }))
    const newer = await verify(log, file)
    expect(newer).toMatchObject({ ok: true, proven: { awards: 0 } })
    expect(newer.message).toMatch(/No row of the award log \(1\) is anchored yet\.$/)
    await log.store.recordAward(newAward({ rfqId: 'rfq-2', at: at(-3600) }))
    await log.store.recordAward(newAward({ rfqId: 'rfq-3', at: at(60) }))
    const message = `award 2 is dated ${at(-3600)}, but was not in the log when the anchor was made`
    expect(await verify(log, file)).toMatchObject({ ok: false, mismatch: { line: 1, message } })
  })

  it('of earlier versions, which say nothing about awards, fit', async () => {
    const log = await openDecisionLog()
    const file = join(testFolder(), 'anchors.jsonl')
    const { awards: _awards, awardsHash: _hash, ...old } = await anchor(log, file)
    writeFileSync(file, `${formatAnchor(old)}\n`)
    await log.store.recordAward(newAward({ at: '2020-01-01T00:00:00.000Z' }))
    expect(await verify(log, file)).toMatchObject({ ok: true, fitting: 1, proven: { awards: null } })
    expect(await anchor(log, file)).toMatchObject({ awards: 1 })
  })
})

describe('anchors of the closing log', () => {
  it('fit after hundreds of repeats, newer decisions and restarts', async () => {
    const { log, file } = await anchoredLog(1)
    const [first] = await log.store.decisions({})
    for (let round = 0; round < 6; round++) {
      for (let repeat = 0; repeat < 34; repeat++) await log.store.recordRepeats([first?.id ?? 0], log.now())
      await log.decide(`new${round}`)
      log.advanceHours(1)
      await log.reopen()
      expect(await verify(log, file)).toMatchObject({
        ok: true,
        chain: { brokenAt: null },
        proven: {
          decisions: 2,
          decidedFrom: '2026-11-01T12:00:00.000Z',
          decidedUntil: '2026-11-01T12:00:00.000Z',
          anchoredFrom: '2026-11-01T12:00:00.000Z',
        },
      })
    }
    expect((await verify(log, file)).message).toContain('6 newer closing decisions are not anchored yet.')
    expect((await log.store.decision(first?.id ?? 0))?.times).toBe(1 + 6 * 34)
    await anchor(log, file)
    expect(await verify(log, file)).toMatchObject({ ok: true, anchors: 2, proven: { decisions: 8 } })
  })

  it('find a chain that was rewritten whole, which the chain itself cannot', async () => {
    const { log, file } = await anchoredLog()
    tamper(log.path, (db) => {
      db.prepare("update close_decisions set reason = 'nothing happened' where id = 7").run()
      recomputeChain(db)
    })
    await log.reopen()
    const { chain, ok, proven, mismatch, message } = await verify(log, file)
    expect({ brokenAt: chain.brokenAt, ok }).toEqual({ brokenAt: null, ok: false })
    expect(proven).toMatchObject({ decisions: 6, anchoredUntil: '2026-11-03T12:00:00.000Z' })
    expect(mismatch).toMatchObject({ line: 4, at: '2026-11-04T12:00:00.000Z' })
    expect(message).toContain('a closing decision from 7 to 8 was rewritten after 2026-11-04T12:00:00.000Z')
    await expect(anchor(log, file)).rejects.toThrow('does not contain the newest anchor')
    expect(readAnchors(file)).toHaveLength(6)
  })

  it('find decisions that were removed from the end with their traces', async () => {
    const { log, file } = await anchoredLog()
    tamper(log.path, (db) => {
      db.exec('delete from close_decisions where id > 8')
      db.exec("update counters set value = 8 where name = 'close_decisions'")
    })
    await log.reopen()
    const { chain, ok, mismatch } = await verify(log, file)
    expect({ brokenAt: chain.brokenAt, ok }).toEqual({ brokenAt: null, ok: false })
    expect(mismatch).toMatchObject({ line: 5, message: expect.stringContaining('decisions 9 to 10 are missing') })
  })

  it('prove nothing about decisions after the one where the chain is broken', async () => {
    const { log, file } = await anchoredLog()
    tamper(log.path, (db) => db.prepare("update close_decisions set reason = 'x' where id = 5").run())
    await log.reopen()
    expect(await verify(log, file)).toMatchObject({
      chain: { brokenAt: 5 },
      ok: false,
      proven: { decisions: 4 },
      mismatch: { line: 3 },
    })
  })

  it('say what is missing after an older backup was restored, also once it was used', async () => {
    const { log, file } = await anchoredLog(3)
    const backup = join(testFolder(), 'backup.db')
    await log.store.backup(backup)
    await log.decide('lost')
    await anchor(log, file)
    const restored = `${backup}.restored`
    copyFileSync(backup, restored)
    await log.reopen(restored)
    expect((await verify(log, file)).mismatch).toMatchObject({
      line: 4,
      message: expect.stringMatching(/decisions 7 to 7 are missing.* later than 2026-11-03.* or an older backup/),
    })
    await log.decide('another')
    expect(await verify(log, file)).toMatchObject({
      ok: false,
      proven: { decisions: 6 },
      mismatch: {
        line: 4,
        message: expect.stringContaining('an older backup was restored and has been written to since'),
      },
    })
  })

  it('are rejected if they belong to another database', async () => {
    const { file } = await anchoredLog(1)
    const path = join(testFolder(), 'other.db')
    await (await openStore({ path })).close()
    const other = await openDecisionLog(path)
    await other.decide('a1')
    expect(await verify(other, file)).toMatchObject({
      ok: false,
      proven: null,
      mismatch: { line: 1, message: expect.stringContaining('another database') },
    })
    await expect(anchor(other, file)).rejects.toThrow('Use another file')
  })

  it('are reported by line if damaged, and a line cut short by a crash does not spoil the next', async () => {
    const { log, file } = await anchoredLog(3)
    const [one, two = '', three] = readFileSync(file, 'utf8').trim().split('\n')
    writeFileSync(file, `${one}\n${two.replace('"decisions":4', '"decisions":"4"')}\n${three}\n`)
    expect(await verify(log, file)).toMatchObject({
      ok: false,
      anchors: 2,
      fitting: 2,
      mismatch: { line: 2, message: expect.stringContaining('damaged') },
      message: expect.stringMatching(/^The anchor in line 2 does not fit: /),
    })
    appendFileSync(file, two.slice(0, 50))
    await anchor(log, file)
    expect(await verify(log, file)).toMatchObject({ anchors: 3, fitting: 3, mismatch: { line: 2 } })
  })

  it('of an empty log fit as long as the database is the same', async () => {
    const log = await openDecisionLog()
    const file = join(testFolder(), 'anchors.jsonl')
    await anchor(log, file)
    expect(await verify(log, file)).toMatchObject({ ok: true, proven: { decisions: 0, decidedFrom: null } })
    await log.decide('first')
    expect(await verify(log, file)).toMatchObject({ ok: true, proven: { decisions: 0 } })
  })
})
