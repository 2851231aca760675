import { describe, expect, it } from 'vitest'
import { type ChannelFixture, KEY, openChannelFixture } from '../../helpers/channel-fixture.js'
import { anRfq, aSummary } from '../../helpers/data/sample-documents.js'
import { ROUNDS } from '../../helpers/long-tests.js'
import { rowsOf } from '../../helpers/store/store-engine.js'
import { serve, session } from '../../marketplace/server.js'

const sql = async <T = Record<string, unknown>>({ store }: ChannelFixture, text: string) =>
  (await rowsOf(store, text)) as T[]

/** From now on, the operation is answered with this text. */
const answerWith = (fixture: ChannelFixture, operation: 'listListings' | 'listRfqs' | 'readRfq', text: string) =>
  fixture.always({ operation }, { kind: 'status', status: 200, text })

/** Polls listings that are sent as these texts. */
async function pollTexts(fixture: ChannelFixture, texts: readonly string[]) {
  const fault = answerWith(fixture, 'listListings', `{ "items" : [\n${texts.join(' ,\r\n')} ], "more":{"a":1,"a":2} }`)
  fixture.advanceSeconds(60)
  const { run } = await fixture.pollListings({ acceptLoss: true })
  fault.remove()
  return run
}

/** Texts that say more than their parsed value, or say it another way than `JSON.stringify`. */
const LISTINGS = {
  plain: '{"id":"plain","projectName":"Mangroves"}',
  spaced:
    '{ "projectName" : "caf\\u00e9 \\/ \u{1f333}",\n\t"id":"spaced" , "10":1,"9":2, "pricing":{"minUnitPrice":12.50} }',
  huge: '{"id":"huge","extra":{"n":[9007199254740993,1E400]},"totalAvailableVolume":{"type":"fixed","value":12345678901234567890}}',
  long: '{"id":"long","pricing":{"minUnitPrice":0.1000000000000000055511151231257827,"maxUnitPrice":1e400}}',
  twice: '{"id":"twice","projectName":"First","projectName":"Last","pricing":{"currency":"USD","currency":"EUR"}}',
  escaped: '{"id":"escaped","project\\u004eame":"a\\u0000b \\ud800"}',
}

describe('a stored body', () => {
  it('is the text of its entry in the list, and stays the first of equal ones over six polls and a restart', async () => {
    const fixture = await openChannelFixture()
    for (let poll = 0; poll < 6; poll++) {
      if (poll === 3) await fixture.reopenStore()
      expect(await pollTexts(fixture, Object.values(LISTINGS))).toMatchObject({
        outcome: 'complete',
        inserted: poll === 0 ? 6 : 0,
        changed: 0,
        missing: 0,
      })
    }
    const versions = await sql(fixture, 'select id, body from versions')
    expect(versions).toHaveLength(6)
    for (const { id, body } of versions) expect(body).toBe(LISTINGS[id as keyof typeof LISTINGS])
    const problems = await sql(fixture, `select entity_id, code, path, times from problems where code = 'type'`)
    expect(problems).toEqual([{ entity_id: 'long', code: 'type', path: 'pricing.maxUnitPrice', times: 6 }])
  })

  it('has columns in the views that are what the program reads', async () => {
    const fixture = await openChannelFixture()
    await pollTexts(fixture, Object.values(LISTINGS))
    const columns = 'id, project_name, currency, min_unit_price'
    expect(
      await sql(fixture, `select ${columns} from listings where id in ('huge', 'long', 'spaced') order by id`),
    ).toEqual([
      { id: 'huge', project_name: null, currency: null, min_unit_price: null },
      { id: 'long', project_name: null, currency: null, min_unit_price: 0.1 },
      { id: 'spaced', project_name: 'café / \u{1f333}', currency: null, min_unit_price: 12.5 },
    ])
    const known = await fixture.store.listings({ channel: KEY, ids: ['twice', 'escaped'] })
    expect(known.map(({ body }) => body)).toMatchObject([{ projectName: 'a\0b \ud800' }, { projectName: 'Last' }])
    expect(await fixture.store.check()).toMatchObject({ ok: true })
  })

  it('with another order and other white space is no new version; the views have the newest text', async () => {
    const fixture = await openChannelFixture()
    const first = '{"id":"a","projectName":"M","country":"ID","extra":[1.0,{"b":1,"b":2}]}'
    const other = '{ "extra":[1,\n{"b":1,"b":2}],"country":"ID", "projectName":"M","id":"a" }'
    await pollTexts(fixture, [first])
    for (let poll = 0; poll < ROUNDS; poll++) {
      expect(await pollTexts(fixture, [poll % 2 === 0 ? other : first])).toMatchObject({ changed: 0, unchanged: 1 })
      if (poll === 2) await fixture.reopenStore()
      expect(await sql(fixture, 'select body, version from listings')).toEqual([
        { body: poll % 2 === 0 ? other : first, version: 1 },
      ])
    }
    expect(await sql(fixture, 'select body from versions')).toEqual([{ body: first }])
  })

  it('of a response that cannot be read is the text of its summary in the RFQ', async () => {
    const fixture = await openChannelFixture()
    const rfq = anRfq('rfq-1', { responses: [] })
    const summaries = [
      JSON.stringify(aSummary('a')),
      '{ "id" : "b", "totalVolume":"a lot", "status":"submitted" }',
      JSON.stringify(aSummary('c'), null, 2),
    ]
    const entry = JSON.stringify({ ...rfq, responses: [] })
    const detail = JSON.stringify(rfq).replace('"responses":[]', `"responses": [ ${summaries.join(' ,\n ')} ]`)
    answerWith(fixture, 'listRfqs', `{"items":[${entry}]}`)
    answerWith(fixture, 'readRfq', `\ufeff\n${detail}\n`)
    for (let poll = 0; poll < ROUNDS; poll++) {
      fixture.advanceSeconds(60)
      expect((await fixture.pollRfqs()).run).toMatchObject({ outcome: 'complete', changed: 0, missing: 0 })
    }
    expect(
      await sql(
        fixture,
        `select id, body, shape, valid from versions where kind <> 'rfq-entry' order by kind desc, id`,
      ),
    ).toEqual([
      { id: 'rfq-1', body: detail, shape: 'full', valid: 0 },
      { id: 'a', body: summaries[0], shape: 'summary', valid: 1 },
      { id: 'b', body: summaries[1], shape: 'summary', valid: 0 },
      { id: 'c', body: summaries[2], shape: 'summary', valid: 1 },
    ])
  })

  it('of an RFQ of which only the list entry could be read is the text of that entry', async () => {
    const fixture = await openChannelFixture({ retries: 0 })
    const entry = '{ "id":"rfq-1","state":"open", "minVolume":"much" }'
    answerWith(fixture, 'listRfqs', `{"items":[ ${entry} ]}`)
    await fixture.pollRfqs()
    expect(await sql(fixture, 'select kind, body, shape, valid from versions order by kind')).toEqual([
      { kind: 'rfq', body: entry, shape: 'list', valid: 0 },
      { kind: 'rfq-entry', body: entry, shape: 'list', valid: 0 },
    ])
  })
})

describe('the text that the client returns', () => {
  it('has U+FFFD for invalid bytes, with a problem for the documents that have it', async () => {
    const server = await serve((_, response) => {
      const invalid = Buffer.from('{"id":"bad","title":"caf\xe9"}', 'latin1')
      const body = Buffer.concat([
        Buffer.from('\ufeff{"items":['),
        invalid,
        Buffer.from(',{"id":"good","title":"café"}]}'),
      ])
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const { value } = await session(server.url).listRfqs()
    const found = value.map(({ text, valid, problems }) => [
      text,
      valid,
      problems.some(({ code }) => code === 'encoding'),
    ])
    expect(found).toEqual([
      ['{"id":"bad","title":"caf\ufffd"}', true, true],
      ['{"id":"good","title":"café"}', true, false],
    ])
  })
})
