import { describe, expect, it } from 'vitest'
import { newDecision } from '../../helpers/store/new-decision.js'
import { at, begin, CHANNEL, noonStore } from '../../helpers/store/recording-store.js'
import { executeIn, isPostgres } from '../../helpers/store/store-engine.js'

const DROP_GUARDS = ['decisions_immutable', 'decisions_no_delete']
  .map((name) => `drop trigger if exists ${name} ${isPostgres ? 'on close_decisions' : ''}`)
  .join('; ')

describe('closing log', () => {
  const decision = (rfqId: string, runId: number) => newDecision(runId, { rfqId, evidence: { b: 2, a: [1, null] } })

  it('detects changed, removed and truncated decisions', async () => {
    const db = await noonStore()
    const run = await begin(db)
    for (const id of ['a', 'b', 'c']) await db.appendDecision(decision(id, run.id))
    expect(await db.verifyDecisions()).toMatchObject({ decisions: 3, brokenAt: null })
    const tamper = async (change: string) => {
      await executeIn(db, `${DROP_GUARDS}; ${change}`)
      return (await db.verifyDecisions()).brokenAt
    }
    expect(await tamper(`update close_decisions set reason = 'other' where id = 2`)).toBe(2)
    expect(await tamper(`update close_decisions set reason = 'its due date has not ended' where id = 2`)).toBeNull()
    expect(await tamper(`update close_decisions set evidence = ' ' || evidence where id = 2`)).toBe(2)
    expect(await tamper('update close_decisions set evidence = trim(evidence) where id = 2')).toBeNull()
    const forged = 'run_id, channel, rfq_id, time_zone, decided_at, decision, reason, evidence, previous_hash, hash'
    const forge = (id: number) =>
      tamper(`insert into close_decisions (id, ${forged}) select ${id}, ${forged} from close_decisions where id = 2`)
    for (const id of [0, -7]) {
      expect(await forge(id)).not.toBeNull()
      expect(await tamper(`delete from close_decisions where id = ${id}`)).toBeNull()
    }
    expect(await tamper('delete from close_decisions where id = 3')).toBe(3)
    expect(await tamper('delete from close_decisions where id = 1')).toBe(1)
  })

  it('has hashes that cover all previous decisions', async () => {
    const hashes = async (reasons: string[]) => {
      const db = await noonStore()
      const run = await begin(db)
      for (const [index, reason] of reasons.entries())
        await db.appendDecision({ ...decision(`${index}`, run.id), reason })
      return (await db.decisions({})).map(({ hash }) => hash).reverse()
    }
    const [first, other] = [await hashes(['one', 'two', 'three']), await hashes(['other', 'two', 'three'])]
    expect(await hashes(['one', 'two', 'three'])).toEqual(first)
    for (const [index, hash] of first.entries()) expect(other[index]).not.toBe(hash)
  })

  it('returns the newest close of each RFQ since a moment', async () => {
    const db = await noonStore()
    const run = await begin(db)
    const close = (rfqId: string, decidedAt: Date, outcome: 'closed' | 'already-closed' | 'refused' = 'closed') =>
      db.appendDecision({ ...decision(rfqId, run.id), decidedAt: decidedAt.toISOString(), outcome })
    await close('a', at('06:00:00'))
    await close('b', at('08:00:00'), 'refused')
    for (let index = 0; index < 600; index++) await close(`rfq-${index}`, at('08:00:00'))
    await close('rfq-0', at('09:00:00'), 'already-closed')
    const found = await db.closedSince({ channel: CHANNEL, since: at('08:00:00') })
    const since = await db.closedSince({ channel: CHANNEL, since: at('08:00:01') })
    expect([found.length, found.at(-1)?.rfqId]).toEqual([600, 'rfq-0'])
    expect(since.map(({ rfqId, outcome }) => [rfqId, outcome])).toEqual([['rfq-0', 'already-closed']])
    expect(await db.closedSince({ channel: 'acme/other', since: at('00:00:00') })).toEqual([])
  })
})
