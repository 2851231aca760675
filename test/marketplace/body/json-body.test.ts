import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TimeSlice } from '../../../src/core/time/time-slice.js'
import { decodeInPieces, decodeText, MAX_ENTRIES } from '../../../src/marketplace/body/json-body.js'
import { JsonScanner } from '../../../src/marketplace/body/json-scanner.js'
import { shareOf } from '../../helpers/long-tests.js'
import { read, readItems } from './read-body.js'

const scan = (text: string, limits: { depth?: number; entries?: number } = {}) =>
  new JsonScanner(text, { depth: 1000, entries: MAX_ENTRIES, ...limits }).scan(new TimeSlice())

/** The most entries of any array or object within a value, and the number of all members. */
function countEntries(value: unknown): { most: number; members: number } {
  if (value === null || typeof value !== 'object') return { most: 0, members: 0 }
  const inner = Object.values(value).map(countEntries)
  const own = Array.isArray(value) ? 0 : inner.length
  return {
    most: Math.max(inner.length, ...inner.map(({ most }) => most)),
    members: inner.reduce((sum, { members }) => sum + members, own),
  }
}

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('nesting depth of JSON text', () => {
  it('equals the depth of the parsed value, whatever its strings contain', async () => {
    const value = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<unknown>
    const text = value.map((inner) => JSON.stringify({ '[{"\\': inner, '\\"': ['}]"', '\\\\'] }))
    await fc.assert(
      fc.asyncProperty(text, async (json) => {
        const depth = depthOf(JSON.parse(json))
        expect(await scan(json, { depth })).toMatchObject({ tooDeep: false })
        expect(await scan(json, { depth: depth - 1 })).toMatchObject({ tooDeep: true })
      }),
    )
  })

  it('beyond 200 levels is rejected before parsing', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(await read(nested(200))).toHaveProperty('a')
    await expect(read(nested(201))).rejects.toThrow('deeper than 200 levels')
    await expect(read(`{"a":${'['.repeat(5_000_000)}`)).rejects.toThrow('deeper than 200 levels')
  })
})

/** Serializes with varying white space. */
const spaced = (value: unknown, spaces: number) => JSON.stringify(value, null, spaces)

describe('entries of JSON text', () => {
  it('are counted like those of the parsed value, whatever its strings contain', async () => {
    const values = fc.tuple(fc.jsonValue({ maxDepth: 4 }), fc.nat(3))
    await fc.assert(
      fc.asyncProperty(values, async ([inner, spaces]) => {
        const value = { ',:[{"\\': inner, items: 'a,:b' }
        const { most, members } = countEntries(value)
        const scanned = await scan(spaced(value, spaces), { entries: 1 })
        expect(scanned.tooMany).toBe(most > 1 ? most : 0)
        expect(scanned.rest.members).toBe(members)
      }),
    )
  })

  it('of items are found where JSON.parse finds them', async () => {
    const lists = fc.tuple(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 2 }), fc.nat(3))
    await fc.assert(
      fc.asyncProperty(lists, async ([items, other, spaces]) => {
        for (const body of [
          { items, other },
          { 'it\\ems': other, items },
        ]) {
          const text = spaced(body, spaces)
          const parsed = (JSON.parse(text) as { items: unknown }).items
          expect(await readItems(text)).toEqual(parsed)
          expect(await readItems(text.replaceAll('"items"', '"\\u0069tems"'))).toEqual(parsed)
        }
      }),
    )
  })

  it.each([
    '{"items":[1,]}',
    '{"items":[,1]}',
    '{"items":[1}',
    '{"items":[{]]}',
    '{"items":[1]',
    '{"items":[1]]',
    '{"items":[1 2]}',
  ])('%s is not valid', async (text) => {
    await expect(readItems(text)).rejects.toThrow('not valid JSON')
  })

  it('must not be given twice, and must be an array', async () => {
    await expect(readItems('{"items":[1],"items":[]}')).rejects.toThrow('several "items"')
    await expect(readItems('{"items":{"items":[1]}}')).rejects.toThrow('no "items" array')
    await expect(readItems('{"x":{"items":[1]}}')).rejects.toThrow('no "items" array')
    expect(await readItems('{"items":[ \n]}')).toEqual([])
  })
})

describe('JSON body', () => {
  it('keeps lone surrogates, NUL and __proto__', async () => {
    const body = await read('{"a":"\\ud800 \\u0000","__proto__":{"polluted":true},"constructor":1}')
    expect(body.a).toBe('\ud800 \u0000')
    expect(Object.keys(body)).toEqual(['a', '__proto__', 'constructor'])
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('is parsed completely when it is large enough to yield to the event loop', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ id: `${index}`, text: '"\\'.repeat(20) }))
    expect(await read(JSON.stringify({ items }))).toEqual({ items })
  })

  it('may start with a byte order mark and have any JSON content type, or none', async () => {
    expect(await read('\uFEFF{"a":1}')).toEqual({ a: 1 })
    for (const type of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/hal+json',
      'text/json',
      '',
    ]) {
      expect(await read('{"a":1}', type), type).toEqual({ a: 1 })
    }
  })

  it.each([
    [
      'text/html',
      '<html>Sign in</html>',
      'the body is text/html instead of application/json; it starts with: <html>Sign in',
    ],
    ['text/plain', '{"a":1}', 'the body is text/plain instead of application/json'],
    ['application/jsonp', '{"a":1}', 'the body is application/jsonp instead of application/json'],
    ['application/json', '<html>', 'the body is not valid JSON, or incomplete; it starts with: <html>'],
    [
      'application/json',
      '{"items":[{"id":"a',
      'the body is not valid JSON, or incomplete; it starts with: {"items":[{"id":"a',
    ],
    ['application/json', '', 'the body is empty'],
    ['application/json', ' \n', 'the body is empty'],
    ['application/json', '[]', 'the body is not a JSON object; it starts with: []'],
    ['application/json', 'null', 'the body is not a JSON object; it starts with: null'],
    ['application/json', '"text"', 'the body is not a JSON object'],
  ])('rejects %s %s', async (type, body, message) => {
    await expect(read(body, type)).rejects.toThrow(`GET x: status 200, but ${message}`)
  })
})

describe('the text of a body', () => {
  it('is the same when it is decoded in pieces, whatever its bytes', async () => {
    const characters = fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text))
    const parts = fc.array(fc.oneof(characters, fc.uint8Array({ maxLength: 6 }), fc.constant(Buffer.from('\ufeff'))))
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 9 }), async (bytes, pieceBytes) => {
        const body = Buffer.concat(bytes)
        expect(await decodeInPieces(body, new TimeSlice(), pieceBytes)).toBe(
          body.toString('utf8').replace(/^\ufeff/, ''),
        )
        expect(decodeText(body)).toBe(body.toString('utf8').replace(/^\ufeff/, ''))
      }),
      { numRuns: shareOf(200) },
    )
  })
})
