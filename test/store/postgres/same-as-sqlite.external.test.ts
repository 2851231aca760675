import Database from 'better-sqlite3'
import fc from 'fast-check'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ObservedResponse } from '../../../src/core/documents/observation.js'
import type { ListedDocument, RfqSnapshot, Store } from '../../../src/store/contract.js'
import { VERSION_COLUMNS } from '../../../src/store/documents/document-rows.js'
import { openPostgresStore } from '../../../src/store/postgres/store.js'
import { observeRfq } from '../../helpers/data/observed.js'
import { shareOf } from '../../helpers/long-tests.js'
import { postgresSkipReason, usePostgres } from '../../helpers/servers/private-postgres.js'
import { holdingRun } from '../../helpers/store/holding-run.js'
import { openNewStore } from '../../helpers/store/new-store.js'

const CHANNEL = 'acme/forest'
const START = Date.parse('2026-11-21T08:00:00.000Z')

const running = usePostgres()

/** Texts that the engines could treat differently. */
const text = fc.constantFrom('a', 'B', 'ä', '\u{1f333}', 'a\0b', 'a\ud800b', 'a\\u0000b', ' ', 'open', 'closed')
const id = (prefix: string) => fc.constantFrom(`${prefix}1`, `${prefix}2`, `${prefix}\0`, `${prefix}é`)

const bodyOf = (key: string) =>
  fc.record({
    id: fc.constant(key),
    title: text,
    state: fc.constantFrom('open', 'closed', 'a\\u0000b'),
    n: fc.constantFrom(1, 1.5, 1e21, -0, null),
    list: fc.array(text, { maxLength: 2 }),
  })

const problem = fc.record({
  path: fc.constantFrom('title', 'list[0]', 'x'.repeat(5000)),
  code: fc.constantFrom('type' as const, 'unknown-field' as const),
  message: text,
})

const snapshot = (prefix: string): fc.Arbitrary<ListedDocument> =>
  id(prefix).chain((key) =>
    fc
      .record({
        body: bodyOf(key),
        spaced: fc.boolean(),
        valid: fc.boolean(),
        problems: fc.array(problem, { maxLength: 2 }),
      })
      .map(({ body, spaced, ...rest }) => ({
        ...observeRfq(JSON.stringify(body, null, spaced ? 1 : 0)),
        ...rest,
      })),
  )

const unique = <T extends { id: string }>(items: readonly T[]) => [
  ...new Map(items.map((item) => [item.id, item])).values(),
]

const response: fc.Arbitrary<ObservedResponse> = fc
  .record({
    document: snapshot('o'),
    shape: fc.constantFrom('full' as const, 'full' as const, 'summary' as const),
    summaryHash: fc.constantFrom('01', '02'),
    requested: fc.boolean(),
  })
  .map(({ document, ...rest }) => ({ ...(document as ObservedResponse), ...rest }))

type RfqStep = Omit<RfqSnapshot, 'readAt'>
const rfq: fc.Arbitrary<RfqStep> = fc
  .record({
    rfq: snapshot('r'),
    shape: fc.constantFrom('full' as const, 'full' as const, 'list' as const),
    responses: fc.array(response, { maxLength: 4 }).map(unique),
    observed: fc
      .array(fc.record({ id: id('o'), summaryHash: fc.constantFrom('01', '02') }), { maxLength: 2 })
      .map(unique),
    responsesComplete: fc.boolean(),
  })
  .map((step) => ({
    ...step,
    observed: step.observed.filter((each) => !step.responses.some((other) => other.id === each.id)),
  }))

type Step =
  | { do: 'rfqs'; rfqs: RfqStep[] }
  | { do: 'list'; kind: 'listing' | 'rfq-entry'; entries: ListedDocument[]; whole: boolean }

/** Each RFQ or listing once; sometimes several differing entries of it. */
const list = fc.constantFrom(['listing', 'l'] as const, ['rfq-entry', 'r'] as const).chain(([kind, prefix]) =>
  fc
    .array(fc.tuple(snapshot(prefix), fc.constantFrom(undefined, 'h1', 'h2'), fc.constantFrom(1, 1, 1, 2)), {
      maxLength: 4,
    })
    .map((all) =>
      unique(all.map(([entry, hash, bodies]) => ({ ...entry, ...(hash && { hash }), ...twins(entry, bodies) }))),
    )
    .chain((entries) =>
      fc.record({
        do: fc.constant('list' as const),
        kind: fc.constant(kind),
        entries: fc.constant(entries),
        whole: fc.boolean(),
      }),
    ),
)
const twins = ({ text }: ListedDocument, bodies: number) =>
  bodies === 1 ? {} : { bodies, hash: `twins ${text}`, textHash: `twins ${text}`, text: `[${text},{"twin":true}]` }

/** RFQs recorded at the same time: each once. */
const rfqsAtOnce = fc.uniqueArray(rfq, { minLength: 1, maxLength: 4, selector: (each) => each.rfq.id })
const step: fc.Arbitrary<Step> = fc.oneof(fc.record({ do: fc.constant('rfqs' as const), rfqs: rfqsAtOnce }), list)
/** Runs, each with the clock set back or forward before. */
const run = fc.record({
  kind: fc.constantFrom('rfqs' as const, 'listings' as const, 'close' as const),
  steps: fc.array(step, { minLength: 1, maxLength: 4 }),
  minutes: fc.constantFrom(1, 5, -0.5, -3),
})

/** What each step returned. */
async function replay(
  store: Store,
  runs: readonly { kind: 'rfqs' | 'listings' | 'close'; steps: Step[]; minutes: number }[],
) {
  const results: unknown[] = []
  let time = START
  for (const { kind, steps, minutes } of runs) {
    time += minutes * 60_000
    const handle = await holdingRun(store, { channel: CHANNEL, kind, now: new Date(time) })
    for (const each of steps) {
      time += 1000
      const now = new Date(time)
      const read = { readAt: now }
      if (each.do === 'rfqs')
        results.push(await Promise.all(each.rfqs.map((one) => store.recordRfq(handle, { ...one, ...read }, now))))
      else
        results.push(await store.recordList(handle, each.kind, each.entries, { whole: each.whole, readAt: now }, now))
    }
    const counts = { requests: 1, seen: 1, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }
    await handle.finish({ ...counts, outcome: 'complete', error: null }, new Date(time))
  }
  return results
}

const TABLES: Record<string, string> = {
  documents: `select * from documents order by kind, rfq_id, id`,
  versions: `select ${VERSION_COLUMNS.join(', ')} from versions order by kind, rfq_id, id, version`,
  problems: `select * from problems order by kind, entity_id, path, code`,
  events: `select kind, at, channel, rfq_id, offer_id, version, text, data from events
    order by at, kind, rfq_id, offer_id, data`,
  channels: 'select * from channels',
}

describe.skipIf(postgresSkipReason !== null)('recording on PostgreSQL', () => {
  it('leaves the same rows, and returns the same, as on SQLite', async () => {
    const client = new pg.Client({
      connectionString: running.server.url,
      types: { getTypeParser: (type: number) => (type === 20 ? Number : pg.types.getTypeParser(type)) },
    })
    await client.connect()
    onTestFinished(() => client.end())
    let schemas = 0
    await fc.assert(
      fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 4 }), async (runs) => {
        const schema = `same_${schemas++}`
        const sqlite = await openNewStore()
        const postgres = await openPostgresStore({ url: `${running.server.url}?schema=${schema}`, connections: 3 })
        try {
          expect(await replay(postgres, runs)).toEqual(await replay(sqlite, runs))
          await client.query(`set search_path to ${schema}`)
          const file = new Database(sqlite.name, { readonly: true })
          for (const [table, query] of Object.entries(TABLES)) {
            const expected = file.prepare(query).all()
            expect((await client.query(query)).rows, table).toEqual(expected)
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
          await client.query(`drop schema ${schema} cascade`)
        }
      }),
      { numRuns: shareOf(15), endOnFailure: true },
    )
  })
})
