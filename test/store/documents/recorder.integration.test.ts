import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Problem } from '../../../src/core/documents/lenient-parser.js'
import type { ReadDocument } from '../../../src/core/documents/observation.js'
import type { RfqSnapshot, RunHandle } from '../../../src/store/contract.js'
import { observed, observedResponse } from '../../helpers/data/observed.js'
import { anRfq, aResponse } from '../../helpers/data/sample-documents.js'
import { shareOf } from '../../helpers/long-tests.js'
import { holdingRun, runEnd } from '../../helpers/store/holding-run.js'
import { at, CHANNEL, noonStore, rfqSnapshot } from '../../helpers/store/recording-store.js'
import { executeIn, openReaderOf, rowsOf } from '../../helpers/store/store-engine.js'

/** A new store with one run, which `next` ends to begin another. */
async function recording(kind: 'rfqs' | 'listings' = 'rfqs') {
  const store = await noonStore()
  const begin = (of: 'rfqs' | 'listings' | 'close') =>
    holdingRun(store, { channel: CHANNEL, kind: of, now: at('08:00:00') })
  let run: RunHandle = await begin(kind)
  return {
    store,
    next: async (of: 'rfqs' | 'listings' | 'close' = kind) => {
      await run.finish(runEnd(), at('08:00:00'))
      run = await begin(of)
    },
    rows: (text: string) => rowsOf(store, text),
    record: (time: string, snapshot: Partial<RfqSnapshot> = {}) =>
      store.recordRfq(run, { ...RFQ, ...snapshot, readAt: at(time) }, at(time)),
    recordListings: (listings: readonly ReadDocument[], time = '08:00:00') =>
      store.recordList(run, 'listing', listings, { whole: true, readAt: at(time) }, at(time)),
    /** A whole list of these RFQs. */
    list: (entries: readonly ReadDocument[], time: string) =>
      store.recordList(run, 'rfq-entry', entries.map(asEntry), { whole: true, readAt: at(time) }, at(time)),
    /** What a list that may not be whole says of these RFQs. */
    listed: (time: string, entries: readonly ReadDocument[]) =>
      store.recordList(run, 'rfq-entry', entries.map(asEntry), { whole: false, readAt: at(time) }, at(time)),
    /** The list entry that is shown of the RFQ. */
    entry: async (asOf?: Date) => {
      const { rfq } = (await store.rfqs(asOf ? { asOf } : {}))[0] ?? {}
      return rfq?.entry && { isRead: rfq.entry.isRead, body: rfq.entry.body }
    },
  }
}

const asEntry = (document: ReadDocument) => ({ ...document, shape: 'list' as const, requested: false })
const titled = (title: string) => observed({ id: 'rfq', title })
const RFQ = { rfq: observed({ id: 'rfq' }), responses: [], responsesComplete: true } as const
const full = (id: string, more: Partial<ReadDocument> = {}) => observedResponse({ id }, more)
const summary = (id: string, more: Partial<ReadDocument> = {}) =>
  observedResponse({ id }, { shape: 'summary', ...more })
const iso = (time: string) => at(time).toISOString()

describe('what is recorded of an RFQ', () => {
  it('is returned as of a moment as it was known then: no version that is newer, and not when one was superseded', async () => {
    const { store, record } = await recording()
    const recordAs = (title: string, time: string) =>
      record(time, { rfq: titled(title), responses: [observedResponse({ id: 'offer', title })] })
    const versions = async (moment?: Date) =>
      (await store.rfqHistory(CHANNEL, 'rfq', moment)).map((each) => [each.kind, each.version, each.supersededAt])
    await recordAs('One', '08:00:00')
    await recordAs('Two', '09:00:00')
    expect(await versions(at('08:59:59'))).toEqual([
      ['rfq', 1, null],
      ['response', 1, null],
    ])
    for (const moment of [at('09:00:00'), undefined])
      expect(await versions(moment)).toEqual([
        ['rfq', 1, iso('09:00:00')],
        ['response', 1, iso('09:00:00')],
        ['rfq', 2, null],
        ['response', 2, null],
      ])
  })

  it('has timestamps that never go back, and says how long a change can have been unknown', async () => {
    const { record, rows, store } = await recording()
    for (const [title, time] of Object.entries({ first: '08:10:30', second: '08:00:30', third: '08:11:00' }))
      await record(time, { rfq: titled(title) })
    expect(await rows('select not_before, observed_at, superseded_at from versions order by version')).toEqual([
      { not_before: null, observed_at: iso('08:10:30'), superseded_at: iso('08:10:30') },
      { not_before: iso('08:10:30'), observed_at: iso('08:10:30'), superseded_at: iso('08:11:00') },
      { not_before: iso('08:00:30'), observed_at: iso('08:11:00'), superseded_at: null },
    ])
    const [run] = await store.runs({})
    const delays = (await store.recordedVersions(run?.id ?? 0)).map(({ delaySeconds }) => delaySeconds)
    expect(delays).toEqual([null, 0, 630])
  })

  it('is nothing if one of its responses cannot be recorded', async () => {
    const { record, rows } = await recording()
    const broken = { responses: [full('a'), full('b', { hash: null as never })] }
    await expect(record('08:00:00', broken)).rejects.toThrow()
    expect(await rows('select count(*) as n from versions')).toEqual([{ n: 0 }])
    await record('08:00:02', { responses: [full('a')] })
    expect(await rows('select count(*) as n from versions')).toEqual([{ n: 2 }])
  })

  it('is changed by nobody: by no statement, and not through a reader', async () => {
    const { record, store } = await recording()
    await record('08:00:00')
    await expect(executeIn(store, `update versions set body = '{}'`)).rejects.toThrow('a version never changes')
    await expect(executeIn(store, 'delete from versions')).rejects.toThrow('history is never removed')
    const stopped = (await openReaderOf(store)).stopClosing({ by: 'anna', reason: 'a test', now: at('08:00:00') })
    await expect(stopped).rejects.toThrow('opened for reading only')
  })

  it('has its vintages and pre-payments in views, which tolerate malformed documents', async () => {
    const { record, rows } = await recording()
    const odd = aResponse('odd', { offer: { scheduledDeliveries: { not: 'a list' }, prePayments: [1, null, 'x'] } })
    await record(
      '08:00:00',
      rfqSnapshot(anRfq(), [aResponse(), odd, aResponse('odder', { offer: 'nothing' })], at('08:00:00')),
    )
    expect(await rows('select * from offer_vintages')).toEqual([
      {
        channel: CHANNEL,
        rfq_id: 'rfq-1',
        response_id: 'response-1',
        delivery: 1,
        vintage: 1,
        fulfilment_due_date: '2027-02-01',
        fulfilment_method: 'transfer',
        reporting_period_start: '2022-01-01',
        reporting_period_end: '2022-12-31',
        name: '2022',
        volume: 1000,
        unit_price: 15,
        mitigation_types: '["removal"]',
      },
    ])
    expect(await rows('select prepayment, amount, payment_due_date from offer_prepayments')).toEqual([
      { prepayment: 1, amount: 5000, payment_due_date: '2026-12-01' },
    ])
    expect(await rows('select id, valid, total_price from offers order by id')).toEqual([
      { id: 'odd', valid: 0, total_price: null },
      { id: 'odder', valid: 0, total_price: null },
      { id: 'response-1', valid: 1, total_price: 15000 },
    ])
  })
})

describe('read and request times of a response', () => {
  const REQUESTS = `select id, last_read_at, full_read_at, requested_at, summary_hash
    from documents where kind = 'response' order by id`

  it('are recorded for a successful read, a failed request, and a response that was not requested', async () => {
    const { record, rows } = await recording()
    const read = { ...full('read'), summaryHash: '01' }
    await record('08:01:00', {
      responses: [read, summary('refused', { summaryHash: '02' }), summary('seen', { requested: false })],
    })
    const time = iso('08:01:00')
    const nothing = { last_read_at: time, full_read_at: null, requested_at: null, summary_hash: null }
    expect(await rows(REQUESTS)).toEqual([
      { ...nothing, id: 'read', full_read_at: time, requested_at: time, summary_hash: '01' },
      { ...nothing, id: 'refused', requested_at: time, summary_hash: '02' },
      { ...nothing, id: 'seen' },
    ])
  })

  it('are kept, with the document, when only the summary is observed later, unlike its hash if it changed', async () => {
    const { record, rows, store } = await recording()
    await record('08:01:00', { responses: [{ ...full('a'), summaryHash: '01' }] })
    const [read] = (await rows(REQUESTS)) as [object]
    const again = await record('08:02:00', { responses: [summary('a', { requested: false, summaryHash: '02' })] })
    expect(again[1]).toEqual({ kind: 'response', id: 'a', change: 'unchanged' })
    expect((await store.rfqs({}))[0]?.responses).toMatchObject([{ version: 1, shape: 'full' }])
    const seen = { ...read, last_read_at: iso('08:02:00'), summary_hash: null }
    expect(await rows(REQUESTS)).toEqual([seen])
    await record('08:03:00', { responses: [summary('a', { summaryHash: '03' })] })
    const requested = { last_read_at: iso('08:03:00'), requested_at: iso('08:03:00'), summary_hash: '03' }
    expect(await rows(REQUESTS)).toEqual([{ ...seen, ...requested }])
  })

  it('of an RFQ are not changed by its list entry', async () => {
    const { record, rows } = await recording()
    const read = `select full_read_at, requested_at from documents where kind = 'rfq'`
    await record('08:01:00', { rfq: asEntry(RFQ.rfq) })
    expect(await rows(read)).toMatchObject([{ full_read_at: null, requested_at: null }])
    await record('08:02:00', { rfq: RFQ.rfq })
    const [before] = await rows(read)
    expect(before).toMatchObject({ full_read_at: iso('08:02:00') })
    await record('08:03:00', { rfq: asEntry(RFQ.rfq) })
    expect(await rows(read)).toEqual([before])
  })
})

describe('list entry of an RFQ', () => {
  const entry = (state: string) => observed({ id: 'rfq', state }, { hash: state })
  const shown = (state: string, isRead = false) => ({ isRead, body: { id: 'rfq', state } })

  it('is read once the run that recorded it, or a later one, reads the RFQ', async () => {
    const { record, listed, entry: found, store, next } = await recording()
    await record('08:01:00')
    expect(await found()).toBeNull()
    await next()
    await listed('08:02:00', [entry('closed')])
    expect(await found()).toEqual(shown('closed'))
    expect(await store.rfqStates(CHANNEL)).toMatchObject([{ isEntryRead: 0 }])
    await next()
    await listed('08:03:00', [entry('held')])
    await listed('08:04:00', [entry('held')])
    expect(await found()).toEqual(shown('held'))
    await next('close')
    await record('08:06:00')
    expect(await found()).toEqual(shown('held', true))
    expect(await store.rfqStates(CHANNEL)).toMatchObject([{ isEntryRead: 1 }])
    await next()
    await listed('08:08:00', [entry('closed')])
    expect(await found()).toEqual(shown('closed'))
    await record('08:09:00', { rfq: { ...asEntry(entry('closed')), requested: true } })
    expect(await found()).toEqual(shown('closed'))
    await record('08:10:00')
    expect(await found()).toEqual(shown('closed', true))
  })

  it('shows that its RFQ is still there, although that was not read again', async () => {
    const { record, listed, rows } = await recording()
    for (const id of ['other', 'rfq']) await record('08:00:00', { rfq: observed({ id }) })
    await listed('08:05:00', [entry('open')])
    expect(await rows('select id, last_observed_at at from rfqs order by id')).toEqual([
      { id: 'other', at: iso('08:00:00') },
      { id: 'rfq', at: iso('08:05:00') },
    ])
  })

  it('may have a state and a due date of any length, like its RFQ', async () => {
    const { record, listed, entry: found, rows } = await recording()
    const long = Array.from({ length: 20_000 }, (_, at) => ((at * 7919) % 65_521).toString(36)).join('')
    const body = { id: 'rfq', state: long, responseDueDate: long }
    await record('08:01:00', { rfq: observed(body) })
    await listed('08:02:00', [observed(body)])
    expect(await found()).toMatchObject({ body })
    expect(await rows(`select state, due_date from documents where kind = 'rfq'`)).toEqual([
      { state: null, due_date: null },
    ])
  })

  it('is a separate document with versions, one of which says that a whole list does not have it', async () => {
    const { listed, list, rows, store } = await recording()
    await listed('08:00:00', [entry('open')])
    await listed('08:01:00', [entry('held')])
    await listed('08:02:00', [])
    await listed('08:03:00', [entry('held')])
    expect(await list([], '08:04:00')).toMatchObject([{ id: 'rfq', change: 'missing' }])
    expect(await list([], '08:05:00')).toEqual([])
    await list([entry('held')], '08:06:00')
    const columns = 'version, content_hash, bodies, not_before, observed_at, superseded_at'
    expect(await rows(`select ${columns} from versions where kind = 'rfq-entry' order by version`)).toEqual(
      [
        ['open', 1, null, '08:00:00', '08:01:00'],
        ['held', 1, '08:00:00', '08:01:00', '08:04:00'],
        ['', 0, '08:03:00', '08:04:00', '08:06:00'],
        ['held', 1, '08:05:00', '08:06:00', null],
      ].map(([content_hash, bodies, notBefore, observed, superseded], at) => ({
        ...{ version: at + 1, content_hash, bodies },
        ...{ not_before: notBefore && iso(`${notBefore}`), observed_at: iso(`${observed}`) },
        superseded_at: superseded && iso(`${superseded}`),
      })),
    )
    const exported = async (asOf?: Date) => {
      const all = []
      for await (const { body, missingSince } of store.export({ kind: 'rfq-entry', ...(asOf && { asOf }) }))
        all.push([(body as { state: string }).state, missingSince])
      return all
    }
    expect(await exported()).toEqual([['held', null]])
    expect(await exported(at('08:00:30'))).toEqual([['open', null]])
    expect(await exported(at('08:05:30'))).toEqual([['held', iso('08:04:00')]])
  })

  it('is an array of differing ones with its identifier, while the single one before is shown', async () => {
    const { listed, rows, store, record } = await recording()
    const twins = (...states: string[]) =>
      observed(
        states.map((state) => ({ id: 'rfq', state })),
        { id: 'rfq', bodies: states.length },
      )
    await listed('08:00:00', [entry('open')])
    await record('08:01:00', { rfq: observed({ id: 'rfq', state: 'open' }) })
    await listed('08:02:00', [twins('open', 'held')])
    const columns = 'version, newest_version, missing_since'
    expect(await rows(`select ${columns} from documents where kind = 'rfq-entry'`)).toEqual([
      { version: 1, newest_version: 2, missing_since: null },
    ])
    expect(await rows('select contradicted from rfqs')).toEqual([{ contradicted: 1 }])
    const entries = async (asOf?: Date) => (await store.rfqs(asOf ? { asOf } : {}))[0]?.rfq.entry?.body
    for (const moment of [undefined, at('08:02:00')])
      expect(await entries(moment)).toEqual([
        { id: 'rfq', state: 'open' },
        { id: 'rfq', state: 'held' },
      ])
    expect(await entries(at('08:01:30'))).toEqual({ id: 'rfq', state: 'open' })
    await listed('08:03:00', [entry('open')])
    expect(await rows('select contradicted from rfqs')).toEqual([{ contradicted: 0 }])
    expect(await rows(`select ${columns} from documents where kind = 'rfq-entry'`)).toMatchObject([
      { version: 3, newest_version: 3 },
    ])
  })

  it('returns as it was, whatever the order of its keys, after a list without it or with several', async () => {
    const { list, rows, record } = await recording()
    const other = observed({ state: 'closed', id: 'rfq' })
    const twins = observed([{ id: 'rfq' }, { id: 'rfq', state: 'held' }], { id: 'rfq', bodies: 2 })
    const swapped = observed([{ state: 'held', id: 'rfq' }, { id: 'rfq' }], { id: 'rfq', bodies: 2 })
    await list([entry('closed')], '08:00:00')
    await record('08:01:00', { rfq: observed({ id: 'rfq', state: 'open' }) })
    const lists = [[other], [], [other], [entry('closed')], [twins], [swapped], [other]]
    for (const [minute, each] of lists.entries()) await list(each, `08:1${minute}:00`)
    const versions = await rows(`select bodies from versions where kind = 'rfq-entry' order by version`)
    expect(versions).toEqual([1, 0, 1, 2, 1].map((bodies) => ({ bodies })))
    expect(await rows(`select rfqs.contradicted, e.state from rfqs join documents e on e.kind = 'rfq-entry'`)).toEqual([
      { contradicted: 1, state: 'closed' },
    ])
    expect(await rows(`select body from current_documents where kind = 'rfq-entry'`)).toEqual([{ body: other.text }])
  })

  it('is that of the newest list, and contradicts its RFQ by it alone, after any lists before', async () => {
    const [open, closed] = ['open', 'closed'].map(
      (state) =>
        [
          { id: 'rfq', state },
          { state, id: 'rfq' },
        ] as const,
    )
    const single = [...(open ?? []), ...(closed ?? [])].map((body) => [observed(body)])
    const twins = [open, closed?.toReversed()].map((body) => [observed(body ?? [], { id: 'rfq', bodies: 2 })])
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom<ReadDocument[]>([], ...single, ...twins)), async (lists) => {
        const { list, rows, record, entry: found } = await recording()
        await list([entry('open')], '08:00:00')
        await record('08:01:00', { rfq: observed({ id: 'rfq', state: 'open' }) })
        for (const [at, each] of lists.entries()) {
          await list(each, `08:10:${String(at).padStart(2, '0')}`)
          const body = each[0]?.body
          const states = [body ?? []].flat().map((one) => (one as { state: string }).state)
          expect((await found())?.body).toEqual(body)
          const isContradicted = states.length > 1 || states.some((state) => state !== 'open')
          expect(await rows('select contradicted from rfqs')).toEqual([{ contradicted: Number(isContradicted) }])
        }
      }),
      { numRuns: shareOf(200) },
    )
  })

  it.each<[object, number]>([
    [{}, 0],
    [{ state: 'open', responseDueDate: '2026-11-20' }, 0],
    [{ state: 'closed' }, 1],
    [{ responseDueDate: '2026-12-24' }, 1],
    [{ state: 7 }, 1],
  ])('that says %j contradicts an open RFQ: %d, whichever of them is recorded last', async (says, contradicted) => {
    const own = observed({ id: 'rfq', state: 'open', responseDueDate: '2026-11-20' })
    for (const isReadFirst of [true, false]) {
      const { record, listed, rows } = await recording()
      if (isReadFirst) await record('08:01:00', { rfq: own })
      await listed('08:02:00', [observed({ id: 'rfq', ...says })])
      if (!isReadFirst) await record('08:03:00', { rfq: own })
      expect(await rows('select contradicted from rfqs')).toEqual([{ contradicted }])
    }
  })

  it('is returned as of each moment', async () => {
    const { record, listed, list, entry: found, next } = await recording()
    await record('08:01:00')
    await next()
    await listed('08:02:00', [entry('closed')])
    await list([], '08:03:00')
    await list([entry('closed')], '08:04:00')
    await record('08:05:00', { rfq: observed({ id: 'rfq', state: 'closed' }) })
    await next()
    await listed('08:06:00', [entry('open')])
    expect(await found(at('08:01:30'))).toBeNull()
    expect(await found(at('08:03:30'))).toBeNull()
    for (const time of ['08:02:00', '08:04:30']) expect(await found(at(time))).toEqual(shown('closed'))
    expect(await found(at('08:05:30'))).toEqual(shown('closed', true))
    expect(await found(at('11:00:00'))).toEqual(shown('open'))
    // A read that finds nothing changed.
    await record('08:07:00', { rfq: observed({ id: 'rfq', state: 'closed' }) })
    expect(await found(at('11:00:00'))).toEqual(shown('open', true))
  })
})

it('a document that cannot be read has a version for each change of its list entry or summary, and one once it is read', async () => {
  const { record } = await recording()
  const changes = []
  const reads = [['one'], ['other'], ['other'], ['other', 'full']] as const
  for (const [minute, [title, shape]] of reads.entries()) {
    const recorded = await record(`08:0${minute}:00`, {
      rfq: { ...titled(title), shape: shape ?? 'list' },
      responses: [observedResponse({ id: 'a', title }, { shape: shape ?? 'summary' })],
    })
    changes.push(recorded.map(({ change }) => change))
  }
  expect(changes).toEqual(['inserted', 'changed', 'unchanged', 'changed'].map((each) => [each, each]))
})

describe('a document that was missing', () => {
  const MISSING = `select kind, missing_since from documents order by kind desc`

  it('returns when a list has it again, not when it is read', async () => {
    const { record, list, rows, store, next } = await recording()
    await list([RFQ.rfq], '08:01:00')
    await record('08:01:00', { responses: [full('a')] })
    await list([], '08:02:00')
    await next('close')
    await record('08:03:00', { responses: [full('a')] })
    expect(await rows(MISSING)).toEqual([
      { kind: 'rfq-entry', missing_since: iso('08:02:00') },
      { kind: 'rfq', missing_since: iso('08:02:00') },
      { kind: 'response', missing_since: null },
    ])
    expect(await store.rfqCounts(CHANNEL)).toEqual([])
    await next()
    await list([RFQ.rfq], '08:04:00')
    expect((await rows(MISSING)).map((row) => (row as { missing_since: unknown }).missing_since)).toEqual(
      Array(3).fill(null),
    )
    const missingAt = async (time: string) => (await store.rfqs({ asOf: at(time) }))[0]?.rfq.missingSince
    expect(await Promise.all(['08:01:30', '08:02:00', '08:03:59', '08:04:00'].map(missingAt))).toEqual([
      ...[null, iso('08:02:00'), iso('08:02:00'), null],
    ])
  })

  it('keeps the columns of a listing, which returns with a version of its own', async () => {
    const { recordListings, rows, store } = await recording('listings')
    const listing = observed({ id: 'one', projectName: 'Mangroves' })
    const shown = 'select project_name, missing_since, version from listings'
    await recordListings([listing], '08:00:00')
    expect(await recordListings([], '08:01:00')).toMatchObject([{ id: 'one', change: 'missing' }])
    expect(await rows(shown)).toEqual([{ project_name: 'Mangroves', missing_since: iso('08:01:00'), version: 1 }])
    expect(await recordListings([listing], '08:02:00')).toMatchObject([{ id: 'one', change: 'changed' }])
    expect(await rows(shown)).toEqual([{ project_name: 'Mangroves', missing_since: null, version: 3 }])
    const [then] = await store.listings({ asOf: at('08:01:30') })
    expect(then).toMatchObject({ bodyText: listing.text, version: 1, missingSince: iso('08:01:00') })
  })

  it('is an offer from the first of the consecutive versions of its RFQ with a usable list without it', async () => {
    const { record, store } = await recording()
    const lists = (minute: number, responses: unknown, offers: readonly string[]) =>
      record(`08:0${minute}:00`, {
        rfq: observed({ id: 'rfq', minute, responses }),
        responses: offers.map((id) => full(id)),
        responsesComplete: Array.isArray(responses),
      })
    await lists(1, [{ id: 'a' }, { id: 'b' }], ['a', 'b'])
    await lists(2, 'none', [])
    expect(await lists(3, [{ id: 'b' }], ['b'])).toContainEqual({ kind: 'response', id: 'a', change: 'missing' })
    await lists(4, null, [])
    await lists(5, [{ id: 'b' }], ['b'])
    await lists(6, [{ id: 'a' }, { id: 'b' }], ['a', 'b'])
    const missingAt = async (asOf: Date | undefined) =>
      (await store.rfqs(asOf ? { asOf } : {}))[0]?.responses.map(({ missingSince }) => missingSince)
    for (const minute of [1, 2]) expect(await missingAt(at(`08:0${minute}:30`))).toEqual([null, null])
    for (const minute of [3, 4, 5]) expect(await missingAt(at(`08:0${minute}:30`))).toEqual([iso('08:03:00'), null])
    for (const moment of [at('08:06:30'), undefined]) expect(await missingAt(moment)).toEqual([null, null])
    const exported = []
    for await (const { kind, id, missingSince } of store.export({ asOf: at('08:05:30') }))
      exported.push([kind, id, missingSince])
    expect(exported).toEqual([
      ['response', 'a', iso('08:03:00')],
      ['response', 'b', null],
      ['rfq', 'rfq', null],
    ])
  })
})

it('a problem of a document is an event once', async () => {
  const { record, next, rows } = await recording()
  await record('08:01:00')
  const problem: Problem = { path: 'colour', code: 'unknown-field', message: 'unknown field' }
  for (const minute of [2, 3, 4]) {
    await next()
    await record(`08:0${minute}:00`, { rfq: observed({ id: 'rfq' }, { problems: [problem] }) })
    expect(await rows(`select kind from events where kind <> 'channel.first-poll'`)).toEqual([
      { kind: 'problems.found' },
    ])
  }
})

it('documents are validated anew by the present schema, which changes their validity and problems, and no body', async () => {
  const { record, rows, store } = await recording()
  const read = rfqSnapshot(anRfq('rfq-1', { extra: 1 }), [aResponse('r', { offer: 5 })], at('08:00:00'))
  await record('08:00:00', read)
  // As an older program with other schemas would have stored it.
  await executeIn(
    store,
    `update versions set valid = 1 - valid;
    delete from problems where kind = 'rfq';
    insert into problems values ('${CHANNEL}', 'response', 'r', 'offer.gone', 'missing', '', '', '', 1),
      ('${CHANNEL}', 'response', 'r', '', 'unavailable', '', '', '', 1)`,
  )
  const bodies = await rows('select body from versions order by id')
  expect(await store.revalidate(at('09:00:00'))).toEqual({ versions: 2, changes: 4 })
  expect(await rows('select kind, path, code from problems order by 1, 2, 3')).toEqual([
    { kind: 'response', path: '', code: 'unavailable' },
    { kind: 'response', path: 'offer', code: 'type' },
    { kind: 'rfq', path: 'extra', code: 'unknown-field' },
  ])
  expect(await rows('select body from versions order by id')).toEqual(bodies)
  expect(await store.revalidate(at('09:00:00'))).toEqual({ versions: 2, changes: 0 })
})
