import fc from 'fast-check'
import { expect, it } from 'vitest'
import { contradictionOf, entryTermsOf, termsOf } from '../../../src/core/documents/list-contradiction.js'
import type { Store } from '../../../src/store/contract.js'
import { dedupeById, toSnapshot } from '../../../src/sync/list.js'
import { observeEntry, observeRfq } from '../../helpers/data/observed.js'
import { shareOf } from '../../helpers/long-tests.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { CHANNEL } from '../../helpers/store/recording-store.js'
import { rowsOf } from '../../helpers/store/store-engine.js'

const START = Date.parse('2026-11-21T08:00:00.000Z')

/** What one source says of an RFQ, how long after the one before. */
const step = fc.record({
  id: fc.constantFrom('rfq-1', 'rfq-1', 'a\u0000b', 'ä'.repeat(500)),
  title: fc.constantFrom('A', 'A', 'B'),
  state: fc.constantFrom('open', 'open', 'closed'),
  responseDueDate: fc.constantFrom<unknown>('2026-11-20', '2026-11-20', '2026-12-24', null, 7),
  /** A poll that reads the RFQ, its list, and a closing round, which reads no list. */
  by: fc.constantFrom('read', 'list', 'list', 'close'),
  hasTwin: fc.boolean(),
  seconds: fc.constantFrom(0, 1, 60),
})

/** What is known of each RFQ, now or at a moment. */
async function known(store: Store, asOf?: Date) {
  const moment = asOf && { asOf }
  const rfqs = await store.rfqs({ channel: CHANNEL, ...moment })
  const flags = ({ entry }: (typeof rfqs)[number]['rfq']) => ({
    isListed: entry !== null,
  })
  return rfqs.map(({ rfq }) => ({
    ...{ id: rfq.id, version: rfq.version, ...flags(rfq) },
    contradiction: rfq.entry && contradictionOf(entryTermsOf(rfq.entry), termsOf(rfq.body)),
  }))
}

it('list entries › as of a moment do not change when the RFQ is read later, and contradictions are marked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 12 }), async (steps) => {
      const store = await openNewStore({ clock: () => new Date(START) })
      const run = await store.beginRun({ channel: CHANNEL, kind: 'rfqs', now: new Date(START) })
      const close = await store.beginRun({ channel: CHANNEL, kind: 'close', now: new Date(START) })
      const moments = new Map<number, Awaited<ReturnType<typeof known>>>()
      let now = START
      for (const { id, title, state, responseDueDate, by, hasTwin, seconds } of steps) {
        now += seconds * 1000
        const readAt = new Date(now)
        const body = { id, state, title, responseDueDate }
        if (by === 'list') {
          const bodies = hasTwin ? [body, { ...body, title: 'twin' }] : [body]
          const observed = bodies.map((each) => observeEntry(JSON.stringify(each)))
          const entries = [...(await dedupeById(observed)).values()].map(toSnapshot)
          await run.step(() => store.recordList(run, 'rfq-entry', entries, { whole: false, readAt }, readAt))
        } else {
          const read = {
            rfq: observeRfq(JSON.stringify(body)),
            shape: 'full',
            responses: [],
            responsesComplete: true,
            readAt,
          } as const
          const reader = by === 'close' ? close : run
          await reader.step(() => store.recordRfq(reader, read, readAt))
        }
        const present = await known(store)
        const sql = `select contradicted from documents where kind = 'rfq' order by id`
        const stored = (await rowsOf(store, sql)) as { contradicted: unknown }[]
        expect(stored.map(({ contradicted }) => Number(contradicted) === 1)).toEqual(
          present.map(({ contradiction }) => contradiction !== null),
        )
        moments.set(now, present)
        for (const [at, then] of moments) expect(await known(store, new Date(at))).toEqual(then)
      }
      expect(await known(store, new Date(START - 1))).toEqual([])
      await store.close()
    }),
    { numRuns: shareOf(60) },
  )
})
