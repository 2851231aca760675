import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseList, parseObject, readBody, type TextReply, textOf } from '../../src/marketplace/replies.js'
import { createSanitizer } from '../../src/marketplace/sanitizer.js'
import { observed } from '../helpers/data/observed.js'

const options = { label: () => 'GET x', sanitize: createSanitizer('') }

const readAs = <T>(body: string, type: string, parse: (reply: TextReply) => T | Promise<T>) =>
  readBody(textOf({ status: 200, headers: { 'content-type': type }, body: Buffer.from(body) }), options, parse)
const read = (body: string, type = 'application/json') => readAs(body, type, ({ text }) => parseObject(text))
const readItems = async (body: string): Promise<unknown[]> => {
  const list = await readAs(body, '', (reply) => parseList(reply, (text) => observed(JSON.parse(text), { text })))
  return list.value.map(({ text }) => JSON.parse(text))
}

describe('the items of a list', () => {
  it('are found where JSON.parse finds them', async () => {
    const lists = fc.tuple(fc.array(fc.jsonValue({ maxDepth: 3 })), fc.jsonValue({ maxDepth: 2 }), fc.nat(3))
    await fc.assert(
      fc.asyncProperty(lists, async ([items, other, spaces]) => {
        for (const body of [
          { items, other },
          { 'it\\ems': other, items },
        ]) {
          const text = JSON.stringify(body, null, spaces)
          const parsed = (JSON.parse(text) as { items: unknown }).items
          expect(await readItems(text)).toEqual(parsed)
          expect(await readItems(text.replaceAll('"items"', '"\\u0069tems"'))).toEqual(parsed)
        }
      }),
    )
  })

  it('must be an array of the list itself', async () => {
    await expect(readItems('{"items":{"items":[1]}}')).rejects.toThrow('no "items" array')
    await expect(readItems('{"x":{"items":[1]}}')).rejects.toThrow('no "items" array')
    expect(await readItems('{"items":[ \n]}')).toEqual([])
  })

  it('are at most 100,000', async () => {
    // To parse so many takes seconds.
    const item = observed({})
    const listOf = (count: number) =>
      readAs(`{"items":[${Array(count).fill('{}')}]}`, '', (reply) => parseList(reply, () => item))
    expect((await listOf(100_000)).value).toHaveLength(100_000)
    await expect(listOf(100_001)).rejects.toThrow('the list has more than 100000 entries')
  })
})

describe('JSON body', () => {
  it('may start with a byte order mark and have any JSON content type, or none', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/hal+json', 'text/json', ''])
      expect(await read('\uFEFF{"a":1}', type), type).toEqual({ a: 1 })
    for (const type of ['text/plain', 'application/jsonp'])
      await expect(read('{"a":1}', type)).rejects.toThrow(`the body is ${type} instead of application/json`)
  })
})
