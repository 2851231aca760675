import { expect, it } from 'vitest'
import { createCliFixture } from '../cli-fixture.js'

const CHANNELS = [{ org: 'acme', channel: 'forest', listings: 0, rfqs: 0 }]

it('export and changes show documents as they were received', async () => {
  const { sandbox, quotekeeper } = await createCliFixture({ channels: CHANNELS })
  const rfq = sandbox.world.addRfq({ org: 'acme', channel: 'forest' })
  const text = (number: string) =>
    `{ "id":"${rfq.id}", "number":7, "state":"open",\n  "extra":[ ${number}, 1.50, 1E400 ], "title":"First","title":"Last\u2028" }`
  const answer = (number: string) =>
    sandbox.faults.add({
      operation: 'readRfq',
      effect: { kind: 'text', text: text(number), contentType: 'application/json' },
    })
  answer('9007199254740992')
  await quotekeeper('sync', '--only', 'rfqs')
  answer('9007199254740993')
  await quotekeeper('sync', '--only', 'rfqs', '--full')

  const exported = await quotekeeper('export', '--kind', 'rfq')
  expect(exported.out.split('\n')).toHaveLength(2)
  expect(exported.out).toContain(`"body":${text('9007199254740993').replaceAll('\n', ' ')},`)
  expect(JSON.parse(exported.out)).toMatchObject({ version: 2, valid: false, body: { title: 'Last\u2028' } })

  const changes = await quotekeeper('changes', '--rfq', '7', '--json')
  const compact = changes.out.replaceAll(/\s+/g, '')
  for (const number of ['9007199254740992', '9007199254740993']) {
    expect(compact).toContain(
      `"extra":[${number},1.5,1E400],"title":"First","title":"Last\u2028"`.replaceAll(/\s+/g, ''),
    )
  }
  const [newest, first] = JSON.parse(changes.out) as { body: object; changes: object[] }[]
  expect([newest, first]).toMatchObject([{ version: 2, body: { extra: [2 ** 53, 1.5, Infinity] } }, { version: 1 }])
  expect(newest?.changes.at(-1)).toMatchObject({
    fields: [{ field: 'extra[0]', before: 2 ** 53, after: '9007199254740993' }],
  })
  expect((await quotekeeper('changes', '--rfq', '7')).out).toMatch(
    /Extra: 9007199254740993, 1\.5 and 1E400\s+\(was 9,007,199,254,740,992,/,
  )

  const rows = await quotekeeper('rfqs', '--json')
  expect(JSON.parse(rows.out)).toMatchObject([{ title: 'Last\u2028', valid: false }])
})
