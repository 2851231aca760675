import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadDocument } from '../../../src/core/documents/observation.js'
import type { RfqSnapshot, Store } from '../../../src/store/contract.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { observeRfq } from '../../helpers/data/observed.js'
import { shareOf } from '../../helpers/long-tests.js'
import { postgresSkipReason, usePostgres } from '../../helpers/servers/private-postgres.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { openNewStore } from '../../helpers/store/new-store.js'

const CHANNEL = 'acme/forest'
const START = Date.parse('2026-11-21T08:00:00.000Z')

const running = usePostgres()

/** Texts that the engines could treat differently. */
const text = fc.constantFrom('a', 'B', 'ä', '\u{1f333}', 'a\0b', 'a\ud800b', 'a\\u0000b', ' ', 'open', 'closed')
const idOf = (prefix: string) => fc.constantFrom(`${prefix}1`, `${prefix}2`, `${prefix}\0`, `${prefix}é`)
const hash = fc.constantFrom('01', '02')
const problem = fc.record({
  path: fc.constantFrom('title', 'list[0]', 'x'.repeat(5000)),
  code: fc.constantFrom('type' as const, 'unknown-field' as const),
  message: text,
})

/** A document whose id has a prefix, written with or without white space. */
const documentOf = (prefix: string): fc.Arbitrary<ReadDocument> =>
  fc
    .record({
      id: idOf(prefix),
      title: text,
      state: fc.constantFrom('open', 'closed', 'a\\u0000b'),
      n: fc.constantFrom(1, 1.5, 1e21, -0, null),
      list: fc.array(text, { maxLength: 2 }),
    })
    .chain((body) => {
      const own = fc.constantFrom(JSON.stringify(body), JSON.stringify(body, null, 1)).map(observeRfq)
      const said = fc.record({ valid: fc.boolean(), problems: fc.array(problem, { maxLength: 2 }) })
      return fc.tuple(own, said).map(([document, says]) => ({ ...document, shape: 'full' as const, ...says }))
    })
const fullOr = <T extends string>(shape: T) => fc.constantFrom('full' as const, 'full' as const, shape)
const byId = { selector: ({ id }: { id: string }) => id }

const responses: fc.Arbitrary<ReadDocument[]> = fc.uniqueArray(
  fc
    .tuple(
      documentOf('o'),
      fc.record({ shape: fullOr('summary' as const), summaryHash: hash, requested: fc.boolean() }),
    )
    .map(([document, read]) => ({ ...document, ...read })),
  { maxLength: 4, ...byId },
)
const rfq: fc.Arbitrary<Omit<RfqSnapshot, 'readAt'>> = fc
  .record({
    rfq: fc.tuple(documentOf('r'), fullOr('list' as const)).map(([document, shape]) => ({ ...document, shape })),
    ...{ responses, responsesComplete: fc.boolean() },
    observed: fc.uniqueArray(fc.record({ id: idOf('o'), summaryHash: hash }), { maxLength: 2, ...byId }),
  })
  .map((read) => ({
    ...read,
    observed: read.observed.filter(({ id }) => !read.responses.some((other) => other.id === id)),
  }))

/** Several differing entries with one id. */
const twins = ({ text }: ReadDocument) => ({
  ...{ bodies: 2, hash: `twins ${text}`, textHash: `twins ${text}`, text: `[${text},{"twin":true}]` },
})
const entriesOf = (prefix: string, shape: 'full' | 'list') =>
  fc.uniqueArray(
    fc
      .tuple(documentOf(prefix), fc.constantFrom({}, {}, { hash: 'h1' }, { hash: 'h2' }), fc.nat(3))
      .map(([entry, own, chance]) => ({ ...entry, shape, ...own, ...(chance === 0 && twins(entry)) })),
    { maxLength: 4, ...byId },
  )

/** RFQs recorded at the same time, each once; or a list. */
const step = fc.oneof(
  fc.record({ rfqs: fc.uniqueArray(rfq, { minLength: 1, maxLength: 4, selector: (each) => each.rfq.id }) }),
  fc.record({ kind: fc.constant('listing' as const), entries: entriesOf('l', 'full'), whole: fc.boolean() }),
  fc.record({ kind: fc.constant('rfq-entry' as const), entries: entriesOf('r', 'list'), whole: fc.boolean() }),
)
/** Runs, each with the clock set back or forward before. */
const run = fc.record({
  kind: fc.constantFrom('rfqs' as const, 'listings' as const, 'close' as const),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  minutes: fc.constantFrom(1, 5, -0.5, -3),
})
type Run = typeof run extends fc.Arbitrary<infer T> ? T : never

/** What each step returned. */
async function replay(store: Store, runs: readonly Run[]) {
  const results: unknown[] = []
  let time = START
  for (const { kind, steps, minutes } of runs) {
    time += minutes * 60_000
    const handle = await holdingRun(store, { channel: CHANNEL, kind, now: new Date(time) })
    for (const each of steps) {
      time += 1000
      const now = new Date(time)
      if ('rfqs' in each)
        results.push(await Promise.all(each.rfqs.map((one) => store.recordRfq(handle, { ...one, readAt: now }, now))))
      else {
        const { entries, whole } = each
        results.push(await store.recordList(handle, each.kind, entries, { whole, readAt: now }, now))
      }
    }
    await handle.finish(runEnd(), new Date(time))
  }
  return results
}

const TABLES: Record<string, string> = {
  documents: `select * from documents order by kind, rfq_id, id`,
  versions: `select channel, kind, rfq_id, id, version, content_hash, not_before, observed_at, superseded_at, run_id, valid, shape,
    bodies, body from versions order by kind, rfq_id, id, version`,
  problems: `select * from problems order by kind, entity_id, path, code`,
  events: `select kind, at, channel, rfq_id, offer_id, version, text, data from events
    order by at, kind, rfq_id, offer_id, data`,
  channels: 'select * from channels',
}

describe.skipIf(postgresSkipReason !== null)('recording on PostgreSQL', () => {
  it('leaves the same rows, and returns the same, as on SQLite', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
        const sqlite = await openNewStore()
        const postgres = await openPostgresStore({ url: running.newUrl(), connections: 3 })
        try {
          expect(await replay(postgres, runs)).toEqual(await replay(sqlite, runs))
          const file = new Database(sqlite.name, { readonly: true })
          for (const [table, query] of Object.entries(TABLES)) {
            const expected = file.prepare(query).all()
            expect(await postgres.database.all(query), table).toEqual(expected)
          }
          const moments = file.prepare('select distinct observed_at from versions').pluck().all() as string[]
          file.close()
          expect(await postgres.rfqs({})).toEqual(await sqlite.rfqs({}))
          expect(await postgres.rfqStates(CHANNEL)).toEqual(await sqlite.rfqStates(CHANNEL))
          for (const asOf of moments.map((moment) => new Date(moment)))
            expect(await postgres.rfqs({ asOf })).toEqual(await sqlite.rfqs({ asOf }))
        } finally {
          await postgres.close()
          await sqlite.close()
        }
      }),
      { numRuns: shareOf(15), endOnFailure: true },
    )
  })
})
