import { describe, expect, it } from 'vitest'
import { reportRecord as record } from '../../helpers/data/report-record.js'
import { noonStore } from '../../helpers/store/recording-store.js'

describe('report records', () => {
  it('are returned as recorded, the newest of each name first', async () => {
    const db = await noonStore()
    const overview = { rfqId: null, madeBy: null, bytes: 2 ** 33 }
    const hostile = { rfqId: 'a\0b', madeBy: '\ud800' }
    for (let round = 0; round < 6; round++) {
      await db.addReportRecord(record('one.xlsx', { bytes: round }))
      await db.addReportRecord(record('two.xlsx', overview))
      await db.addReportRecord(record('three\0.xlsx', hostile))
    }
    const expected = [record('three\0.xlsx', hostile), record('two.xlsx', overview), record('one.xlsx', { bytes: 5 })]
    const listed = expected.map(({ name, bytes, madeAt, madeBy, sha256 }) => ({ name, bytes, madeAt, madeBy, sha256 }))
    expect(await db.listReports(10)).toEqual(listed)
    expect(await db.listReports(2)).toEqual(listed.slice(0, 2))
  })
})
