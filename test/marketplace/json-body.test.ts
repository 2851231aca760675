import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exceedsDepth, readJsonObject } from '../../src/marketplace/json-body.js'
import { createSanitizer } from '../../src/marketplace/sanitizer.js'

const read = (body: string | Buffer, type = 'application/json') =>
  readJsonObject(
    { status: 200, headers: { 'content-type': type }, body: Buffer.from(body) },
    () => 'GET x',
    createSanitizer('the-key-itself'),
  )

function depthOf(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

describe('nesting depth of JSON text', () => {
  it('equals the depth of the parsed value, whatever its strings contain', () => {
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

  it('beyond 200 levels is rejected before parsing', async () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(await read(nested(200))).toHaveProperty('a')
    await expect(read(nested(201))).rejects.toThrow('deeper than 200 levels')
    await expect(read(`{"a":${'['.repeat(5_000_000)}`)).rejects.toThrow('deeper than 200 levels')
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
