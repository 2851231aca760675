import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { read, readItems } from './read-body.js'

/** Serializes with varying white space. */
const spaced = (value: unknown, spaces: number) => JSON.stringify(value, null, spaces)

describe('the items of a list', () => {
  it('are found where JSON.parse finds them', async () => {
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

  it('must be an array', async () => {
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

  it('that contains the API key, or a long word of it, is not used', async () => {
    const forms = ['the-key/itself', 'the-key\\/itself', 'the-key%2Fitself', 'the-key%2fitself']
    for (const form of forms) {
      const failed = read(`{"a":{"b":"x${form}x"}}`)
      await expect(failed).rejects.toThrow('the body contains the API key. Nothing of it was used')
      await expect(failed).rejects.toMatchObject({
        name: 'UnavailableError',
        message: expect.not.stringContaining('itself'),
      })
    }
    expect(await read('{"a":"Token"}')).toEqual({ a: 'Token' })
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
