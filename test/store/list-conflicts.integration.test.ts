import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseRfq } from '../../src/core/observation.js'
import type { ListConflict } from '../../src/core/records.js'
import type { Store } from '../../src/store/contract.js'
import { shareOf } from '../helpers/long-tests.js'
import { openNewStore } from '../helpers/new-store.js'
import { CHANNEL, NEWEST } from '../helpers/recording-store.js'

const START = Date.parse('2026-11-21T08:00:00.000Z')

const conflict = fc.constantFrom<ListConflict | null>(
  null,
  null,
  { state: { listed: 'closed', own: 'open' } },
  { responseDueDate: { listed: '2026-12-24', own: '2026-11-20' } },
  { ambiguous: true },
)
/** What each read of an RFQ finds, and how long after the one before it; a fingerprint makes unchanged bytes a case of their own. */
const read = fc.record({
  id: fc.constantFrom('rfq-1', 'rfq-1', 'a\\u0000b', 'ä'.repeat(1000)),
  title: fc.constantFrom('A', 'A', 'B'),
  minVolume: fc.constantFrom(5, 5, 'five'),
  conflict,
  withFingerprint: fc.boolean(),
  /** A poll that reads the RFQ, one that reads only the list, and a closing round, which reads no list. */
  by: fc.constantFrom('read', 'read', 'list', 'close'),
  seconds: fc.constantFrom(0, 1, 60),
})

/** What is known of each RFQ, now or at a moment. */
async function known(store: Store, asOf?: Date) {
  const moment = asOf && { asOf }
  const rfqs = await store.rfqs({ channel: CHANNEL, ...moment })
  const entries = await store.rfqEntries({ channel: CHANNEL, ...moment })
  expect(entries.map(({ id, valid, conflictSince }) => ({ id, valid, conflictSince }))).toEqual(
    rfqs.map(({ rfq }) => ({ id: rfq.id, valid: rfq.valid, conflictSince: rfq.listConflict?.since ?? null })),
  )
  const problems = (await store.problems({ channel: CHANNEL, ...moment })).map(
    ({ lastSeenAt: _, times: _times, ...each }) => JSON.stringify(each),
  )
  return {
    rfqs: rfqs.map(({ rfq: { id, version, valid, listConflict } }) => ({ id, version, valid, listConflict })),
    problems: problems.sort(),
  }
}

it('whether a list contradicted an RFQ at a moment, and what its problems said, never changes, whatever is read later', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(read, { minLength: 2, maxLength: 12 }), async (reads) => {
      const store = await openNewStore({ clock: () => new Date(START) })
      const run = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(START) })
      const close = await store.beginRun({ channel: CHANNEL, kind: 'close', now: new Date(START) })
      const moments = new Map<number, Awaited<ReturnType<typeof known>>>()
      let now = START
      for (const { id, title, minVolume, conflict: listConflict, withFingerprint, by, seconds } of reads) {
        now += seconds * 1000
        const before = (await known(store)).rfqs.find((each) => each.id === id)
        const body = { id, state: 'open', title, minVolume }
        const parsed = parseRfq(body, { text: JSON.stringify(body), exact: body, losses: [], hasInvalidUtf8: false })
        const message = JSON.stringify(listConflict)
        const problem = { path: 'state', code: 'conflict', message } as const
        const rfq = {
          ...parsed,
          problems: listConflict === null ? parsed.problems : [...parsed.problems, problem],
          ...{ listConflict, ...(withFingerprint && { fingerprint: `1 ${title} ${minVolume}` }) },
        }
        const readAt = new Date(now)
        const snapshot = {
          rfq,
          shape: 'full',
          listHash: 'hash',
          responses: [],
          responsesComplete: true,
          readAt,
        } as const
        const listed = { rfqId: id, conflict: listConflict, rfqReadAt: '2026-11-20T00:00:00.000Z' }
        if (by === 'list') await store.recordListConflicts(run, [listed], NEWEST, readAt)
        else await store.recordRfq(by === 'close' ? close : run, snapshot, readAt)
        const state = await known(store)
        const own = state.rfqs.find((each) => each.id === id)
        if (by === 'list') expect(own?.version).toBe(before?.version)
        if (by === 'close') expect(own?.listConflict ?? null).toEqual(before?.listConflict ?? null)
        else if (own !== undefined) {
          expect(own.listConflict).toEqual(
            listConflict && { ...listConflict, since: expect.any(String), rfqReadAt: own.listConflict?.rfqReadAt },
          )
        }
        if (by === 'read') expect(own?.valid).toBe(minVolume === 5 && listConflict === null)
        if (own !== undefined && own.listConflict !== null) expect(own.valid).toBe(false)
        moments.set(now, state)
        for (const [at, then] of moments) expect(await known(store, new Date(at))).toEqual(then)
      }
      expect(await known(store, new Date(START - 1))).toEqual({ rfqs: [], problems: [] })
      await store.close()
    }),
    { numRuns: shareOf(60) },
  )
})
