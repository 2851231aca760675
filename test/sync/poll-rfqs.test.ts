import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { CHANNEL, type ChannelFixture, KEY, openChannelFixture } from '../helpers/channel-fixture.js'

const sql = (desk: ChannelFixture, text: string) =>
  new Database(desk.store.path, { readonly: true }).prepare(text).all()
const reads = (desk: ChannelFixture) => {
  const operations = desk.sandbox.requests.map((request) => request.operation)
  desk.sandbox.log.reset()
  return Object.fromEntries(
    ['listRfqs', 'readRfq', 'readResponse'].map((name) => [name, operations.filter((each) => each === name).length]),
  )
}

describe('polling RFQs', () => {
  it('keeps every RFQ and response, and tells that nothing changed the second time', async () => {
    const desk = await openChannelFixture({ rfqs: 4, responsesPerRfq: 3 })
    expect((await desk.pollRfqs()).run).toMatchObject({
      outcome: 'complete',
      error: null,
      requests: 1 + 4 + 12,
      seen: 16,
      inserted: 16,
      changed: 0,
      invalid: 0,
    })
    desk.advanceSeconds(300)
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', inserted: 0, changed: 0, missing: 0 })
    expect(sql(desk, 'select count(*) as n from offers')).toEqual([{ n: 12 }])
    expect(await desk.store.problems({})).toEqual([])
  })

  it('reads open RFQs always, closed ones when their entry changed, and again after a while', async () => {
    const desk = await openChannelFixture()
    const open = desk.sandbox.world.addRfq(CHANNEL)
    const closed = desk.sandbox.world.addRfq(CHANNEL)
    desk.sandbox.world.addResponse(closed.id)
    desk.sandbox.world.closeRfq(closed.id)
    await desk.pollRfqs()
    expect(reads(desk)).toEqual({ listRfqs: 1, readRfq: 2, readResponse: 1 })
    await desk.pollRfqs()
    expect(reads(desk)).toEqual({ listRfqs: 1, readRfq: 1, readResponse: 0 })
    desk.sandbox.world.changeRfq(closed.id, { title: 'Another title' })
    await desk.pollRfqs()
    expect(reads(desk)).toEqual({ listRfqs: 1, readRfq: 2, readResponse: 1 })
    desk.advanceSeconds(24 * 3600)
    await desk.pollRfqs()
    expect(reads(desk)).toEqual({ listRfqs: 1, readRfq: 2, readResponse: 1 })
    await desk.pollRfqs({ full: true })
    expect(reads(desk)).toEqual({ listRfqs: 1, readRfq: 2, readResponse: 1 })
    desk.sandbox.world.closeRfq(open.id)
    await desk.pollRfqs()
    expect(reads(desk)).toMatchObject({ readRfq: 1 })
    expect(sql(desk, 'select distinct state from rfqs')).toEqual([{ state: 'closed' }])
  })

  it('goes on when one RFQ fails, keeps nothing half of it, and says which', async () => {
    const desk = await openChannelFixture({ rfqs: 3, responsesPerRfq: 2 })
    await desk.pollRfqs()
    const [first] = sql(desk, 'select id, rfq_id from offers order by id') as { id: string; rfq_id: string }[]
    const world = desk.sandbox.world
    for (const { id } of sql(desk, 'select id from rfqs') as { id: string }[]) world.changeRfq(id, { title: 'New' })
    desk.sandbox.faults.add({ responseId: first?.id ?? '', times: Infinity, effect: { kind: 'status', status: 500 } })
    desk.advanceSeconds(60)
    const { run, failures } = await desk.pollRfqs()
    expect(run.outcome).toBe('partial')
    expect(failures).toHaveLength(1)
    expect(run.error).toContain(failures[0]?.message ?? '?')
    expect(sql(desk, `select count(*) as n from rfqs where title = 'New'`)).toEqual([{ n: 2 }])
    expect(sql(desk, `select version from rfqs where id = '${first?.rfq_id}'`)).toEqual([{ version: 1 }])
    desk.sandbox.faults.clear()
    expect((await desk.pollRfqs()).run.outcome).toBe('complete')
    expect(sql(desk, `select count(*) as n from rfqs where title = 'New'`)).toEqual([{ n: 3 }])
  })

  it('keeps what the list shows of a new RFQ that cannot be read, and reads it as soon as it can', async () => {
    const desk = await openChannelFixture()
    const rfq = desk.sandbox.world.addRfq(CHANNEL, { responses: [] })
    const fault = desk.sandbox.faults.add({
      operation: 'readRfq',
      times: Infinity,
      effect: { kind: 'status', status: 500 },
    })
    expect((await desk.pollRfqs()).run.outcome).toBe('partial')
    expect(sql(desk, 'select id, title, shape from rfqs')).toEqual([{ id: rfq.id, title: rfq.title, shape: 'list' }])
    fault.remove()
    desk.advanceSeconds(60)
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 1 })
    expect(sql(desk, 'select shape, version from rfqs')).toEqual([{ shape: 'full', version: 2 }])
  })

  it('keeps the summary of a response that is listed but not to be read', async () => {
    const desk = await openChannelFixture()
    const rfq = desk.sandbox.world.addRfq(CHANNEL)
    const response = desk.sandbox.world.addResponse(rfq.id)
    const fault = desk.sandbox.faults.add({
      operation: 'readResponse',
      times: Infinity,
      effect: { kind: 'status', status: 404 },
    })
    expect((await desk.pollRfqs()).run.outcome).toBe('complete')
    expect(sql(desk, 'select id, total_price, shape from offers')).toEqual([
      { id: response.id, total_price: response.offer.totalPrice, shape: 'summary' },
    ])
    expect(await desk.store.problems({ entityIds: [response.id] })).toMatchObject([{ code: 'unavailable' }])
    fault.remove()
    desk.advanceSeconds(60)
    desk.sandbox.world.closeRfq(rfq.id)
    await desk.pollRfqs()
    expect(sql(desk, 'select shape from offers')).toEqual([{ shape: 'full' }])
  })

  it('reports a dead marketplace as a failed run, and changes nothing that is stored', async () => {
    const desk = await openChannelFixture({ rfqs: 2, responsesPerRfq: 1 })
    await desk.pollRfqs()
    const before = sql(desk, 'select * from versions')
    for (const effect of [
      { kind: 'status', status: 503 },
      { kind: 'text', text: '<html>Maintenance</html>' },
      { kind: 'truncate' },
      { kind: 'status', status: 401 },
      { kind: 'status', status: 404 },
    ] as const) {
      const fault = desk.sandbox.faults.add({ operation: 'listRfqs', times: Infinity, effect })
      const { run } = await desk.pollRfqs()
      fault.remove()
      expect(run).toMatchObject({ outcome: 'failed', seen: 0, missing: 0 })
      expect(run.error).not.toBeNull()
    }
    expect(sql(desk, 'select * from versions')).toEqual(before)
    expect(sql(desk, 'select count(*) as n from rfqs where missing_since is not null')).toEqual([{ n: 0 }])
  })

  it('ends as partial when asked to wait longer than a run may, and says until when', async () => {
    const desk = await openChannelFixture({ rfqs: 2, responsesPerRfq: 1 })
    desk.sandbox.faults.add({
      operation: 'readResponse',
      effect: { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } },
    })
    const { run } = await desk.pollRfqs({ concurrency: 1 })
    expect(run).toMatchObject({ outcome: 'partial', notBefore: '2026-11-21T13:00:00.000Z' })
  })

  it('stops between two RFQs when told to', async () => {
    const desk = await openChannelFixture({ rfqs: 8, responsesPerRfq: 1 })
    const stop = new AbortController()
    desk.sandbox.faults.add({ operation: 'readRfq', skip: 3, effect: { kind: 'call', call: () => stop.abort() } })
    const { run } = await desk.pollRfqs({ concurrency: 1, signal: stop.signal })
    expect(run.outcome).toBe('partial')
    expect(sql(desk, 'select count(*) as n from rfqs')).toEqual([{ n: 3 }])
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete' })
    expect(sql(desk, 'select count(*) as n from rfqs')).toEqual([{ n: 8 }])
  })
})

describe('absence', () => {
  it('is not deletion, and ends when the RFQ is back', async () => {
    const desk = await openChannelFixture({ rfqs: 3, responsesPerRfq: 1 })
    await desk.pollRfqs()
    const [{ id }] = sql(desk, 'select id from rfqs') as [{ id: string }]
    const fault = desk.sandbox.faults.add({
      operation: 'listRfqs',
      times: Infinity,
      effect: { kind: 'drop', ids: [id] },
    })
    desk.advanceSeconds(60)
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', missing: 1 })
    expect(sql(desk, `select id, missing_since from rfqs where missing_since is not null`)).toEqual([
      { id, missing_since: '2026-11-21T12:01:00.000Z' },
    ])
    fault.remove()
    desk.advanceSeconds(60)
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', missing: 0, inserted: 0, changed: 0 })
    expect(await desk.store.absences(KEY, id)).toMatchObject([
      { missingSince: '2026-11-21T12:01:00.000Z', returnedAt: '2026-11-21T12:02:00.000Z' },
    ])
  })

  it('is not believed when most of a long list is gone, until a person says so', async () => {
    const desk = await openChannelFixture({ rfqs: 12, responsesPerRfq: 0 })
    await desk.pollRfqs()
    const ids = (sql(desk, 'select id from rfqs') as { id: string }[]).map((row) => row.id)
    for (const id of ids.slice(0, 7)) desk.sandbox.world.removeRfq(id)
    const { run } = await desk.pollRfqs()
    expect(run).toMatchObject({ outcome: 'partial', suspicious: true, missing: 0 })
    expect(run.error).toContain('lost 7 of 12')
    expect((await desk.pollRfqs({ acceptLoss: true })).run).toMatchObject({ outcome: 'complete', missing: 7 })
  })

  it('does not say that an offer is missing when only its RFQ is', async () => {
    const desk = await openChannelFixture({ rfqs: 2, responsesPerRfq: 2 })
    await desk.pollRfqs()
    const [{ id }] = sql(desk, 'select id from rfqs') as [{ id: string }]
    desk.sandbox.world.removeRfq(id)
    await desk.pollRfqs()
    expect(sql(desk, 'select count(*) as n from offers where missing_since is not null')).toEqual([{ n: 0 }])
  })
})

describe('odd documents', () => {
  it('are kept whole, with their problems, and counted as invalid', async () => {
    const desk = await openChannelFixture()
    const rfq = desk.sandbox.world.addRfq(CHANNEL)
    const odd = { title: 'nul\u0000 and \ud800', surprise: { deep: [1] }, minVolume: 'many' }
    desk.sandbox.faults.add({
      operation: 'readRfq',
      effect: { kind: 'transform', change: (body) => ({ ...body, ...odd }) },
    })
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', invalid: 1 })
    const [known] = await desk.store.rfqs({ channel: KEY, match: rfq.id })
    expect(known?.rfq).toMatchObject({ valid: false, body: { ...rfq, ...odd } })
    expect((await desk.store.problems({})).map(({ path, code }) => `${path} ${code}`).sort()).toEqual([
      'minVolume type',
      'surprise unknown-field',
    ])
  })

  it('without an identifier, or with the same one, are kept and told', async () => {
    const desk = await openChannelFixture()
    const rfq = desk.sandbox.world.addRfq(CHANNEL, { title: 'First' })
    desk.sandbox.faults.add({
      operation: 'listRfqs',
      effect: {
        kind: 'transform',
        change: (body) => ({
          items: [{ ...body.items[0], title: 'Other' }, ...body.items, null, { title: 'Nameless' }],
        }),
      },
    })
    expect((await desk.pollRfqs()).run).toMatchObject({ outcome: 'complete', seen: 3, invalid: 2, inserted: 3 })
    expect(sql(desk, 'select count(*) as n, sum(valid) as valid from rfqs')).toEqual([{ n: 3, valid: 1 }])
    expect((await desk.store.problems({ entityIds: [rfq.id] })).map(({ code }) => code)).toEqual(['duplicate'])
  })
})
