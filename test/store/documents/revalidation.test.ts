import { describe, expect, it } from 'vitest'
import { anRfq, aResponse } from '../../helpers/data/sample-documents.js'
import { at, begin, CHANNEL, noonStore, rfqSnapshot } from '../../helpers/store/recording-store.js'
import { executeIn, rowsOf } from '../../helpers/store/store-engine.js'

describe('revalidation', () => {
  it('updates validity and problems without changing bodies', async () => {
    const db = await noonStore()
    const run = await begin(db)
    await db.recordRfq(
      run,
      rfqSnapshot(anRfq('rfq-1', { extra: 1 }), [aResponse('r', { offer: 5 })], at('08:00:00')),
      at('08:00:01'),
    )
    // As an older program with other schemas would have stored it.
    await executeIn(db, `update versions set valid = 1 - valid`)
    await executeIn(db, `delete from problems where kind = 'rfq'`)
    await executeIn(
      db,
      `insert into problems values ('${CHANNEL}', 'response', 'r', 'offer.gone', 'missing', '', '', '', 1),
      ('${CHANNEL}', 'response', 'r', '', 'unavailable', '', '', '', 1)`,
    )
    const bodies = await rowsOf(db, 'select body from versions order by id')
    expect(await db.revalidate(at('09:00:00'))).toEqual({
      documents: 2,
      nowValid: 1,
      nowInvalid: 1,
      problemsGone: 1,
      problemsNew: 1,
    })
    expect(await rowsOf(db, 'select kind, path, code from problems order by 1, 2, 3')).toEqual([
      { kind: 'response', path: '', code: 'unavailable' },
      { kind: 'response', path: 'offer', code: 'type' },
      { kind: 'rfq', path: 'extra', code: 'unknown-field' },
    ])
    expect(await rowsOf(db, 'select body from versions order by id')).toEqual(bodies)
    expect(await db.revalidate(at('09:00:00'))).toMatchObject({
      nowValid: 0,
      nowInvalid: 0,
      problemsGone: 0,
      problemsNew: 0,
    })
  })
})
