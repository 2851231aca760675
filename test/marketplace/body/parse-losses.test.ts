import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseExactly, survivesParsing } from '../../../src/core/documents/exact-json.js'
import { TimeSlice } from '../../../src/core/time/time-slice.js'
import { countMembers } from '../../../src/marketplace/body/json-body.js'
import { JsonScanner } from '../../../src/marketplace/body/json-scanner.js'
import { serve, session } from '../server.js'

const losses = (text: string) => parseExactly(text, JSON.parse(text)).losses.map(({ path, code }) => [code, path])
const scan = (text: string) => new JsonScanner(text, { depth: 200, entries: 1000 }).scan(new TimeSlice())

describe('losses of parsing', () => {
  it('are none in serialized values, of which the scan counts every member', async () => {
    const values = fc.tuple(fc.jsonValue({ maxDepth: 5 }), fc.nat(2))
    await fc.assert(
      fc.asyncProperty(values, async ([value, spaces]) => {
        const text = JSON.stringify({ items: value, '":,{': value }, null, spaces)
        expect(losses(text)).toEqual([])
        expect((await scan(text)).total.members).toBe(countMembers(JSON.parse(text)))
      }),
    )
  })

  it('are duplicate keys, at any depth and however they are written', async () => {
    const values = fc.tuple(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), fc.string())
    await fc.assert(
      fc.asyncProperty(values, async ([first, second, name]) => {
        const key = JSON.stringify(name)
        const escaped = `"${[...Array(name.length).keys()].map((at) => `\\u${name.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')}"`
        const text = `{"list":[0,{${key}:${JSON.stringify(first)},${escaped} : ${JSON.stringify(second)}}]}`
        expect(losses(text)).toEqual([['duplicate-key', ['list', 1, name]]])
        expect((await scan(text)).total.members).toBe(countMembers(JSON.parse(text)) + 1 + countMembers(first))
      }),
    )
  })

  it('are integers that a double cannot hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }), async (integer) => {
        const text = `{"a":{"n":${integer}}}`
        const survives = String(Number(integer)) === String(integer)
        expect(losses(text)).toEqual(survives ? [] : [['precision', ['a', 'n']]])
        if (!survives) expect((await scan(text)).total.longNumbers).toBe(true)
      }),
    )
  })

  it('are none in doubles, in any notation', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
        expect(survivesParsing(JSON.stringify(number))).toBe(true)
        expect(survivesParsing(number.toExponential())).toBe(true)
      }),
    )
  })

  it.each<[string, boolean]>([
    ['0', true],
    ['-0', true],
    ['0.0e9999', true],
    ['1.50', true],
    ['1E5', true],
    ['1e+2', true],
    ['0.1', true],
    ['9007199254740993', false],
    ['9007199254740992', true],
    ['100000000000000000000000', true],
    ['1e400', false],
    ['-1e400', false],
    ['1e-400', false],
    ['5e-324', true],
    ['0.1000000000000000055511151231257827', false],
    ['0.10000000000000000000000000000000', true],
    [`${'9'.repeat(100_000)}`, false],
    [`0.${'0'.repeat(100_000)}1`, false],
  ])('%.40s: %s', (text, survives) => {
    expect(survivesParsing(text)).toBe(survives)
  })

  it('are found by the client in every kind of document, and only fields of the API description make it not valid', async () => {
    const entries = (id: string) => [
      [`{"id":"${id}"}`, true, []],
      [`{"id":"${id}","state":"open","state":"closed"}`, false, [['duplicate-key', 'state']]],
      [
        `{"id":"${id}","pricing":{"minUnitPrice":0.1000000000000000055511}}`,
        false,
        [['precision', 'pricing.minUnitPrice']],
      ],
      [`{"id":"${id}","listingIds":[12345678901234567890]}`, false, [['precision', 'listingIds[0]']]],
      [`{"id":"${id}","extra":{"n":[12345678901234567890]}}`, true, [['precision', 'extra.n[0]']]],
      [`{"id":"${id}","extra":{"n":1,"n":1}}`, false, [['duplicate-key', 'extra.n']]],
    ]
    for (const [body, valid, problems] of entries('x')) {
      const server = await serve((request, response) => {
        const isList = /(listings|rfqs)$/.test(request.url ?? '')
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(isList ? `{"items":[ {"id":"other"} , ${body}]}` : body)
      })
      const channel = session(server.url)
      const observed = [
        (await channel.listRfqs()).value[1],
        (await channel.readRfq('x')).value,
        ...(String(body).includes('pricing') || String(body).includes('listingIds')
          ? []
          : [(await channel.listListings()).value[1], (await channel.readResponse('x', 'x')).value]),
      ]
      for (const document of observed) {
        const found = document?.problems.filter(({ code }) => code === 'duplicate-key' || code === 'precision')
        expect(found?.map(({ code, path }) => [code, path])).toEqual(problems)
        expect(document?.valid, String(body)).toBe(valid)
      }
    }
  })

  it('make a document not valid if there are too many to examine', async () => {
    const server = await serve((_, response) => {
      const harmless = Array.from({ length: 10_001 }, () => '12345678901234567890').join()
      response.writeHead(200, { 'content-type': 'application/json' }).end(`{"id":"x","extra":[${harmless}]}`)
    })
    expect((await session(server.url).readRfq('x')).value.valid).toBe(false)
  })

  it('make a document not valid, however many harmless ones come before', async () => {
    const harmless = Array.from({ length: 500 }, () => '12345678901234567890').join()
    const body = `{"id":"x","extra":[${harmless}],"title":"a","title":"b"}`
    const server = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const { value } = await session(server.url).readRfq('x')
    expect(value.valid).toBe(false)
    expect(value.problems.filter(({ code }) => code === 'duplicate-key')).toHaveLength(1)
    expect(value.problems.length).toBeLessThan(250)
  })
})
