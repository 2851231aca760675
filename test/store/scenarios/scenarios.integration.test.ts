import { describe, expect, it } from 'vitest'
import { MAX_SCENARIOS, type Scenario } from '../../../src/core/decision/scenario.js'
import { noonStore } from '../../helpers/store/recording-store.js'
import { openReaderOf } from '../../helpers/store/store-engine.js'

const RFQ = { channel: 'acme/forest', rfqId: 'rfq-1' }
const scenario = (changes: Partial<Scenario> = {}): Scenario => ({
  ...RFQ,
  name: 'Cheaper risk',
  settings: { awardRule: 'lowest-cost', volume: '8000' },
  by: 'ana',
  at: '2026-11-21T08:00:00.000Z',
  ...changes,
})

describe('scenarios', () => {
  it('are kept by RFQ, with all their fields, and listed by name, also by readers', async () => {
    const store = await noonStore()
    const odd = scenario({
      rfqId: 'a\0b',
      name: 'Été \u0000',
      by: 'O\ud800',
      settings: { 'weights.price': '6\u00000' },
    })
    const [late, early] = [scenario({ name: 'zebra' }), scenario({ name: 'Apple', settings: {} })]
    for (const each of [odd, late, early, scenario({ channel: 'acme/other' })])
      expect(await store.saveScenario(each)).toEqual({ saved: each })
    expect(await store.scenarios(RFQ)).toEqual([early, late])
    const reader = await openReaderOf(store)
    expect(await reader.scenarios({ ...RFQ, rfqId: 'a\0b' })).toEqual([odd])
    await reader.close()
  })

  it('replace one of the same name, in whatever case, only if asked to', async () => {
    const store = await noonStore()
    const [first, second] = [scenario(), scenario({ name: 'CHEAPER RISK', by: 'ben', settings: { volume: '1' } })]
    await store.saveScenario(first)
    expect(await store.saveScenario(second)).toEqual({ existing: first })
    expect(await store.scenarios(RFQ)).toEqual([first])
    expect(await store.saveScenario(second, { replace: true })).toEqual({ saved: second })
    expect(await store.scenarios(RFQ)).toEqual([second])
  })

  it('are deleted by name, and one that is missing is null', async () => {
    const store = await noonStore()
    await store.saveScenario(scenario())
    expect(await store.deleteScenario(RFQ, 'other')).toBeNull()
    expect(await store.deleteScenario({ ...RFQ, rfqId: 'rfq-2' }, 'Cheaper risk')).toBeNull()
    expect(await store.deleteScenario(RFQ, 'cheaper RISK')).toEqual(scenario())
    expect(await store.scenarios(RFQ)).toEqual([])
  })

  it('are limited for each RFQ, also when several are saved at once', async () => {
    const store = await noonStore()
    const names = Array.from({ length: MAX_SCENARIOS + 3 }, (_, at) => `number ${at}`)
    const results = await Promise.all(names.map((name) => store.saveScenario(scenario({ name }))))
    expect(results.filter((result) => 'full' in result)).toHaveLength(3)
    const [kept] = await store.scenarios(RFQ)
    expect(await store.saveScenario(scenario({ name: kept?.name ?? '', by: 'ben' }), { replace: true })).toHaveProperty(
      'saved.by',
      'ben',
    )
    expect(await store.saveScenario(scenario({ rfqId: 'rfq-2' }))).toHaveProperty('saved')
  })
})
