import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Problem } from '../../../src/core/documents/lenient-parser.js'
import type { RfqSnapshot, RunHandle, Snapshot, Store } from '../../../src/store/contract.js'
import { openNewStore } from '../../helpers/store/new-store.js'
import { NEWEST } from '../../helpers/store/recording-store.js'
import { isPostgres, rowsOf } from '../../helpers/store/store-engine.js'

const CHANNEL = 'acme/forest'
const at = (time: string) => new Date(`2026-11-21T${time}Z`)
const END = { requests: 1, seen: 1, inserted: 0, changed: 0, unchanged: 0, missing: 0, invalid: 0 }

/** A new store with one run, which `next` ends to begin another. */
async function recording(kind: 'rfqs' | 'listings' = 'rfqs') {
  const store: Store = await openNewStore({ clock: () => at('12:00:00') })
  onTestFinished(() => store.close())
  const begin = (of: 'rfqs' | 'listings' | 'close') =>
    store.beginRun({ channel: CHANNEL, kind: of, now: at('08:00:00') })
  let run: RunHandle = await begin(kind)
  return {
    store,
    next: async (of: 'rfqs' | 'listings' | 'close' = kind) => {
      await run.finish({ ...END, outcome: 'complete', error: null }, at('08:00:00'))
      run = await begin(of)
    },
    rows: (text: string) => rowsOf(store, text),
    record: (time: string, snapshot: Partial<RfqSnapshot> = {}) =>
      store.recordRfq(run, { ...RFQ, ...snapshot, readAt: at(time) }, at(time)),
    recordListings: (listings: readonly Snapshot[]) =>
      store.recordListings(run, listings, at('08:00:00'), at('08:00:00')),
    /** A complete list of these RFQs. */
    list: (ids: readonly string[], time: string) => store.updatePresence(run, 'rfq', ids, NEWEST, at(time)),
    /** What a list says of these RFQs. */
    listed: (time: string, entries: readonly Snapshot[], read = NEWEST) =>
      store.recordEntries(run, entries, { ...read, readAt: at(time) }, at(time)),
    newestRecording: () => store.newestRecording(CHANNEL),
    /** The list entry that is shown of the RFQ. */
    entry: async (asOf?: Date) => {
      const { rfq } = (await store.rfqs(asOf ? { asOf } : {}))[0] ?? {}
      return rfq?.entry && { followedAt: rfq.entry.followedAt, body: rfq.entry.body }
    },
    touch: (ids: readonly string[]) => store.touchRfqs(run, ids, at('08:00:00')),
  }
}

const document = (id: string, more: Partial<Snapshot> = {}): Snapshot => ({
  id,
  body: { id },
  valid: true,
  problems: [],
  ...more,
})
const RFQ: Omit<RfqSnapshot, 'readAt'> = {
  rfq: document('rfq'),
  shape: 'full',
  responses: [],
  responsesComplete: true,
}
const full = (id: string, more: Partial<Snapshot> = {}) => ({ ...document(id, more), shape: 'full' as const })
const summary = (id: string, more: { requested?: boolean; summaryHash?: string } & Partial<Snapshot> = {}) => ({
  ...document(id, more),
  shape: 'summary' as const,
})
const iso = (time: string) => at(time).toISOString()

describe('read and request times of a response', () => {
  const REQUESTS = `select id, last_read_at, full_read_at, requested_at, summary_hash, read_summary_hash
    from documents where kind = 'response' order by id`

  it('are recorded for a successful read, a failed request, and a response that was not requested', async () => {
    const { record, rows } = await recording()
    const read = { ...full('read'), summaryHash: '01' }
    await record('08:01:00', {
      responses: [read, summary('refused', { summaryHash: '02' }), summary('seen', { requested: false })],
    })
    const nothing = { full_read_at: null, requested_at: null, read_summary_hash: null }
    const time = iso('08:01:00')
    expect(await rows(REQUESTS)).toEqual([
      {
        id: 'read',
        last_read_at: time,
        full_read_at: time,
        requested_at: null,
        summary_hash: '01',
        read_summary_hash: '01',
      },
      { ...nothing, id: 'refused', last_read_at: time, requested_at: time, summary_hash: '02' },
      { ...nothing, id: 'seen', last_read_at: time, summary_hash: null },
    ])
  })

  it('are kept when only the summary is observed later', async () => {
    const { record, rows } = await recording()
    await record('08:01:00', { responses: [{ ...full('a'), summaryHash: '01' }] })
    const [read] = (await rows(REQUESTS)) as [object]
    await record('08:02:00', { responses: [summary('a', { requested: false, summaryHash: '02' })] })
    const seen = { ...read, last_read_at: iso('08:02:00'), summary_hash: '02' }
    expect(await rows(REQUESTS)).toEqual([seen])
    await record('08:03:00', { responses: [summary('a', { summaryHash: '03' })] })
    const requested = { last_read_at: iso('08:03:00'), requested_at: iso('08:03:00'), summary_hash: '03' }
    expect(await rows(REQUESTS)).toEqual([{ ...seen, ...requested }])
  })

  it('of an RFQ are not changed by its list entry', async () => {
    const { record, rows } = await recording()
    const read = `select last_read_at, full_read_at, requested_at from documents where kind = 'rfq'`
    await record('08:01:00', { shape: 'list' })
    expect(await rows(read)).toMatchObject([{ full_read_at: null, requested_at: null }])
    await record('08:02:00', { rfq: document('rfq') })
    const [before] = await rows(read)
    expect(before).toMatchObject({ full_read_at: iso('08:02:00') })
    await record('08:03:00', { shape: 'list' })
    expect(await rows(read)).toEqual([before])
  })
})

describe('list entry of an RFQ', () => {
  const entry = (state: string) => document('rfq', { body: { id: 'rfq', state }, hash: state })
  const shown = (state: string, followed: string | null = null) => ({
    followedAt: followed && iso(followed),
    body: { id: 'rfq', state },
  })

  it('is stored with the time when a poll or closing round first read the RFQ after it', async () => {
    const { record, listed, entry: found, store, next } = await recording()
    await record('08:01:00', {})
    expect(await found()).toBeNull()
    await listed('08:02:00', [entry('closed')])
    expect(await found()).toEqual(shown('closed'))
    expect(await store.rfqStates(CHANNEL)).toMatchObject([{ entryHash: 'closed', isFollowed: false }])
    await listed('08:03:00', [entry('held')])
    expect(await found()).toEqual(shown('held'))
    await listed('08:04:00', [entry('held')])
    expect(await found()).toEqual(shown('held'))
    await next('close')
    await record('08:06:00')
    expect(await found()).toEqual(shown('held', '08:06:00'))
    expect(await store.rfqStates(CHANNEL)).toMatchObject([{ entryHash: 'held', isFollowed: true }])
    await next()
    await record('08:07:00')
    expect(await found()).toEqual(shown('held', '08:06:00'))
    await listed('08:08:00', [entry('closed')])
    expect(await found()).toEqual(shown('closed'))
  })

  it('may have a state and a due date of any length, like its RFQ', async () => {
    const { record, listed, entry: found, rows } = await recording()
    const long = Array.from({ length: 20_000 }, (_, at) => ((at * 7919) % 65_521).toString(36)).join('')
    const body = { id: 'rfq', state: long, responseDueDate: long }
    await record('08:01:00', { rfq: document('rfq', { body, hash: 'long' }) })
    await listed('08:02:00', [document('rfq', { body, hash: 'long' })])
    expect(await found()).toMatchObject({ body })
    expect(await rows(`select state, due_date from documents`)).toEqual([
      { state: null, due_date: null },
      { state: null, due_date: null },
    ])
  })

  it('is a separate document with versions', async () => {
    const { record, listed, rows, store } = await recording()
    for (const [at, state] of ['open', 'held', 'open'].entries()) {
      await listed(`08:0${at}:00`, [entry(state)])
      if (at === 1) await record('08:01:30')
    }
    const columns = `select version, shape, content_hash, observed_at, superseded_at, followed_at from versions where kind = 'rfq-entry'`
    expect(await rows(`${columns} order by version`)).toMatchObject([
      {
        version: 1,
        content_hash: 'open',
        observed_at: iso('08:00:00'),
        superseded_at: iso('08:01:00'),
        followed_at: null,
      },
      { version: 2, content_hash: 'held', superseded_at: iso('08:02:00'), followed_at: iso('08:01:30') },
      { version: 3, content_hash: 'open', superseded_at: null, followed_at: null },
    ])
    const exported = []
    for await (const { kind, body } of store.export({ kind: 'rfq-entry' })) exported.push({ kind, body })
    expect(exported).toEqual([{ kind: 'rfq-entry', body: { id: 'rfq', state: 'open' } }])
  })

  it('is not followed by a failed request, or by a read before the list', async () => {
    const { record, listed, entry: found, newestRecording } = await recording()
    await record('08:01:00', {})
    const sentAfter = await newestRecording()
    await listed('08:04:00', [entry('closed')])
    expect(await record('08:05:00', { sentAfter })).toMatchObject({ rfq: 'stale' })
    await record('08:05:00', { shape: 'list', rfq: { ...entry('closed'), requested: true }, sentAfter })
    expect(await found()).toEqual(shown('closed'))
  })

  it('is followed by a read after it, even if the clock of the reading process is behind', async () => {
    const { record, listed, entry: found, newestRecording } = await recording()
    await record('08:01:00', {})
    await listed('08:04:00', [entry('closed')])
    await record('08:03:00', { sentAfter: await newestRecording() })
    expect(await found()).toMatchObject({ followedAt: expect.any(String) })
  })

  it('does not count as newer than an RFQ that was recorded after the list was requested, regardless of clocks', async () => {
    const { record, listed, entry: found, newestRecording } = await recording()
    const sentAfter = await newestRecording()
    await record('08:05:00', {})
    await listed('08:06:00', [entry('closed')], { sentAfter })
    expect(await found()).toEqual(shown('closed', '08:06:00'))
    await listed('08:05:30', [entry('held')], { sentAfter: await newestRecording() })
    expect(await found()).toMatchObject({ body: { state: 'held' }, followedAt: null })
  })

  it('is returned as of each moment, and kept when the RFQ changes', async () => {
    const { record, listed, list, entry: found } = await recording()
    await record('08:01:00', {})
    await listed('08:02:00', [entry('closed')])
    await list([], '08:03:00')
    await list(['rfq'], '08:04:00')
    await record('08:05:00', {})
    await listed('08:06:00', [entry('open')])
    expect(await found(at('08:01:30'))).toBeNull()
    for (const time of ['08:02:00', '08:04:30']) expect(await found(at(time))).toEqual(shown('closed'))
    expect(await found(at('08:05:30'))).toEqual(shown('closed', '08:05:00'))
    expect(await found(at('11:00:00'))).toEqual(shown('open'))
  })
})

describe('a document that was read before', () => {
  it('gets a new version if only its list entry or summary was known, even with the same bytes', async () => {
    const { record } = await recording()
    await record('08:01:00', { responses: [summary('a', { fingerprint: 'bytes' })] })
    const { responses } = await record('08:02:00', { responses: [full('a', { fingerprint: 'bytes' })] })
    expect(responses).toEqual([{ id: 'a', change: 'changed' }])
  })

  it('has a version for each change of its list entry or summary until it can be read', async () => {
    const { record } = await recording()
    const changes = []
    for (const [minute, title] of ['one', 'other', 'other'].entries()) {
      const body = { id: 'any', title }
      const { rfq, responses } = await record(`08:0${minute}:00`, {
        shape: 'list',
        rfq: document('rfq', { body }),
        responses: [summary('a', { body })],
      })
      changes.push([rfq, responses[0]?.change])
    }
    expect(changes).toEqual([
      ['inserted', 'inserted'],
      ['changed', 'changed'],
      ['unchanged', 'unchanged'],
    ])
  })

  it('counts as observed if only its summary was compared', async () => {
    const { record } = await recording()
    await record('08:01:00', { responses: [full('a'), full('b')] })
    const result = await record('08:02:00', { responses: [full('a')], observed: [{ id: 'b', summaryHash: 's' }] })
    expect(result).toMatchObject({
      responses: [
        { id: 'a', change: 'unchanged' },
        { id: 'b', change: 'unchanged' },
      ],
      missing: [],
    })
  })
})

describe('a document that was missing', () => {
  const MISSING = `select kind, missing_since from documents order by kind desc`

  it('returns when a poll reads it', async () => {
    const { record, list, rows } = await recording()
    await record('08:01:00')
    expect(await list([], '08:02:00')).toEqual({ missing: ['rfq'], returned: [] })
    await record('08:03:00')
    expect(await rows(MISSING)).toEqual([{ kind: 'rfq', missing_since: null }])
    expect(await rows('select returned_at from absences')).toEqual([{ returned_at: iso('08:03:00') }])
  })

  it('returns as a response when a closing round reads its RFQ, which itself stays missing', async () => {
    const { record, list, next, rows } = await recording()
    await record('08:01:00', { responses: [full('a')] })
    await record('08:02:00')
    await list([], '08:03:00')
    await next('close')
    await record('08:04:00', { responses: [full('a')] })
    expect(await rows(MISSING)).toEqual([
      { kind: 'rfq', missing_since: iso('08:03:00') },
      { kind: 'response', missing_since: null },
    ])
  })
})

describe('events of recorded documents', () => {
  const EVENTS = `select kind from events where kind <> 'channel.first-poll' order by sequence`

  it('report a problem once', async () => {
    const { record, next, rows } = await recording()
    await record('08:01:00')
    const problem: Problem = { path: 'colour', code: 'unknown-field', message: 'unknown field' }
    for (const minute of [2, 3, 4]) {
      await next()
      await record(`08:0${minute}:00`, { rfq: document('rfq', { problems: [problem] }) })
      expect(await rows(EVENTS)).toEqual([{ kind: 'problems.found' }])
    }
  })

  it('do not include listings', async () => {
    const { recordListings, next, rows } = await recording('listings')
    await recordListings([document('one')])
    await next()
    expect(await recordListings([document('one', { body: { id: 'one', title: 'new' } }), document('two')])).toEqual([
      'changed',
      'inserted',
    ])
    expect(await rows('select kind from events')).toEqual([])
  })
})

// PostgreSQL is not in this process.
describe.skipIf(isPostgres)('recording many documents', () => {
  let read = 0
  /** Counts in `read` how often the items of a list are read. */
  const counted = <T>(items: readonly T[], wrap: (item: T) => T): T[] =>
    new Proxy(items.map(wrap), {
      get: (target, name, self) => {
        if (typeof name === 'string' && /^\d+$/.test(name)) read++
        return Reflect.get(target, name, self)
      },
    })
  const countedIds = <T extends { id: string }>(items: readonly T[]) =>
    counted(items, (item) => ({
      ...item,
      get id() {
        read++
        return item.id
      },
    }))

  /** How often the event loop ran while documents were recorded; not while they were flushed to disk. */
  async function turns(work: () => Promise<unknown>): Promise<number> {
    let count = 0
    let before = read
    let next = setImmediate(function turn() {
      if (read > before) count++
      before = read
      next = setImmediate(turn)
    })
    await work()
    clearImmediate(next)
    return count
  }
  const ids = Array.from({ length: 450 }, (_, index) => `${index}`)

  it.each([
    ['at the end of each time slice', 20, { atLeast: 450, atMost: 500 }],
    ['after each 200 if they take no time', 0, { atLeast: 3, atMost: 20 }],
  ])('of a list of listings lets it run %s, and tells of each once', async (_, takes, { atLeast, atMost }) => {
    const { recordListings } = await recording('listings')
    let time = performance.now()
    vi.spyOn(performance, 'now').mockImplementation(() => (time += takes))
    let changes: readonly string[] = []
    const count = await turns(async () => {
      changes = await recordListings(countedIds(ids.map((id) => document(id))))
    })
    expect(count).toBeGreaterThanOrEqual(atLeast)
    expect(count).toBeLessThan(atMost)
    expect(changes).toEqual(ids.map(() => 'inserted'))
  })
})
