import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exceedsDepth, readJsonObject } from '../../src/marketplace/json-body.js'
import { sanitizer } from '../../src/marketplace/sanitizer.js'

const read = (body: string | Buffer, type = 'application/json') =>
  readJsonObject(
    { status: 200, headers: { 'content-type': type }, body: Buffer.from(body) },
    () => 'GET x',
    sanitizer('the-key-itself'),
  )

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('the depth of JSON text', () => {
  it('is that of the value, whatever its strings hold', () => {
    const value = fc.jsonValue({ maxDepth: 6 }) as fc.Arbitrary<unknown>
    const text = value.map((inner) => JSON.stringify({ '[{"\\': inner, '\\"': ['}]"', '\\\\'] }))
    fc.assert(
      fc.property(text, (json) => {
        const depth = depthOf(JSON.parse(json))
        expect(exceedsDepth(depth, json)).toBe(false)
        expect(exceedsDepth(depth - 1, json)).toBe(true)
      }),
    )
  })

  it('is refused beyond 200 levels, before anything walks them', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(await read(nested(200))).toHaveProperty('a')
    await expect(read(nested(201))).rejects.toThrow('deeper than 200 levels')
    await expect(read(`{"a":${'['.repeat(5_000_000)}`)).rejects.toThrow('deeper than 200 levels')
  })
})

describe('the JSON that was promised', () => {
  it('comes through as it is: lone surrogates, NUL, __proto__', async () => {
    const body = await read('{"a":"\\ud800 \\u0000","__proto__":{"polluted":true},"constructor":1}')
    expect(body.a).toBe('\ud800 \u0000')
    expect(Object.keys(body)).toEqual(['a', '__proto__', 'constructor'])
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('is one whole even where it is large enough to be read in turns', async () => {
    const items = Array.from({ length: 20_000 }, (_, index) => ({ id: `${index}`, text: '"\\'.repeat(20) }))
    expect(await read(JSON.stringify({ items }))).toEqual({ items })
  })

  it('may stand behind a byte order mark, and be called by any JSON type or none', async () => {
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
      'the body is text/html instead of application/json; it begins: <html>Sign in',
    ],
    ['text/plain', '{"a":1}', 'the body is text/plain instead of application/json'],
    ['application/jsonp', '{"a":1}', 'the body is application/jsonp instead of application/json'],
    ['application/json', '<html>', 'the body is not JSON, or was cut short; it begins: <html>'],
    ['application/json', '{"items":[{"id":"a', 'the body is not JSON, or was cut short; it begins: {"items":[{"id":"a'],
    ['application/json', '', 'the body is empty'],
    ['application/json', ' \n', 'the body is empty'],
    ['application/json', '[]', 'the body is not a JSON object; it begins: []'],
    ['application/json', 'null', 'the body is not a JSON object; it begins: null'],
    ['application/json', '"text"', 'the body is not a JSON object'],
  ])('is not %s %s', async (type, body, message) => {
    await expect(read(body, type)).rejects.toThrow(`GET x: answered 200, but ${message}`)
  })
})
