import { describe, expect, it } from 'vitest'
import type { AwardRecord } from '../../../src/core/decision/award-record.js'
import type { Store } from '../../../src/store/contract.js'
import { newAward } from '../../helpers/store/new-award.js'
import { noonStore } from '../../helpers/store/recording-store.js'

const withdrawal = {
  at: '2026-11-22T08:00:00.000Z',
  by: 'ben',
  because: 'the offer was withdrawn',
  programVersion: '0.1.0',
}

async function record(store: Store, changes: Parameters<typeof newAward>[0] = {}): Promise<AwardRecord> {
  const result = await store.recordAward(newAward(changes))
  if ('standing' in result) throw new Error('an award stands')
  return result.recorded
}

describe('award log', () => {
  it('stores all fields of an award with its workbook', async () => {
    const store = await noonStore()
    const { workbook, settings: _settings, ...facts } = newAward({ by: 'O', because: null })
    const recorded = await record(store, { ...facts, workbook })
    expect(recorded).toMatchObject({ ...facts, id: 1, withdrawn: null })
    expect(await store.awards({ channel: 'acme/forest', rfqId: facts.rfqId })).toEqual([recorded])
    expect(await store.awardFile(recorded.id)).toEqual(workbook)
    expect(await store.awardFile(2)).toBeNull()
  })

  it('refuses a second award of an RFQ until the first is withdrawn', async () => {
    const store = await noonStore()
    const first = await record(store)
    expect(await store.recordAward(newAward({ by: 'ben' }))).toEqual({ standing: first })
    await record(store, { rfqId: 'rfq-2' })
    await record(store, { channel: 'acme/other' })
    const withdrawn = await store.withdrawAward({ ...withdrawal, award: first.id })
    expect(withdrawn?.withdrawn).toEqual({ id: 4, at: withdrawal.at, by: 'ben', because: withdrawal.because })
    expect(await store.withdrawAward({ ...withdrawal, award: first.id })).toBeNull()
    expect(await store.withdrawAward({ ...withdrawal, award: 99 })).toBeNull()
    const second = await record(store, { at: '2026-11-23T08:00:00.000Z' })
    expect((await store.awards({ rfqId: 'rfq-1', channel: 'acme/forest' })).map(({ id }) => id)).toEqual([5, 1])
    expect(await store.awards({ rfqId: 'rfq-1', channel: 'acme/forest', standing: true })).toEqual([second])
  })

  it('returns awards as of a past moment', async () => {
    const store = await noonStore()
    const { id } = await record(store)
    await store.withdrawAward({ ...withdrawal, award: id })
    const standing = async (asOf: string) => store.awards({ standing: true, asOf: new Date(asOf) })
    expect(await standing('2026-11-21T07:59:59.999Z')).toEqual([])
    expect(await standing('2026-11-21T08:00:00.000Z')).toMatchObject([{ id, withdrawn: null }])
    expect(await standing('2026-11-22T08:00:00.000Z')).toEqual([])
  })

  it('records one of two concurrent awards of an RFQ', async () => {
    const store = await noonStore()
    const results = await Promise.all(['ana', 'ben', 'cleo'].map((by) => store.recordAward(newAward({ by }))))
    expect(results.filter((result) => 'recorded' in result)).toHaveLength(1)
    expect(await store.awards({})).toHaveLength(1)
    expect(await store.verifyDecisions()).toMatchObject({ decisions: 1, brokenAt: null })
  })
})
