import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createKeyRemover, MAX_REMOVED_KEYS, REMOVED_KEY } from '../../../src/marketplace/body/key-removal.js'
import { UnavailableError } from '../../../src/marketplace/errors.js'
import { aListing, anRfq } from '../../helpers/data/sample-documents.js'
import { failureOf, json, KEY, serve, session } from '../server.js'

const CHUNK = 2 ** 17
const label = () => 'GET /rfqs'
const remove = async (text: string) => (await createKeyRemover(KEY)(Buffer.from(text), label)).toString()

describe('removing the API key from a body', () => {
  it('returns the same bytes if there is none, also if they are not UTF-8', async () => {
    const body = Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d, ...Buffer.from('"Überlauf 発注 🌳"')])
    expect(await createKeyRemover(KEY)(body, label)).toBe(body)
  })

  it('finds the key wherever it is, also across the parts that are searched at once', async () => {
    const forms = [KEY, Buffer.from(`x:${KEY}`).toString('base64'), `\\u0073${KEY.slice(1)}`, `%73${KEY.slice(1)}`]
    for (const form of forms) {
      for (const shift of [-form.length, -form.length + 1, -7, -1, 0, 1]) {
        const before = 'é'.repeat(CHUNK / 2 - 40) + ' '.repeat(80 + shift)
        const removed = await remove(`${before}${form} 発注 ${form}`)
        expect(removed.split(REMOVED_KEY), `${form} ${shift}`).toHaveLength(3)
        expect(removed.startsWith(before)).toBe(true)
        expect(removed).toContain(' 発注 ')
      }
    }
  })

  it('leaves valid JSON with the same values otherwise', async () => {
    const value = fc.dictionary(
      fc.constantFrom('a', 'é', KEY),
      fc.constantFrom('', 'x', `"${KEY}\\`, `\n${KEY}${KEY}\u0007`),
    )
    await fc.assert(
      fc.asyncProperty(value, fc.nat(2), async (given, depth) => {
        const encode = (text: unknown, times: number): string =>
          times === 0 ? JSON.stringify(text) : encode(JSON.stringify(text), times - 1)
        const decode = (text: string, times: number): unknown =>
          times === 0 ? JSON.parse(text) : decode(JSON.parse(text), times - 1)
        const expected = JSON.parse(JSON.stringify(given).replaceAll(KEY, REMOVED_KEY))
        expect(decode(await remove(encode(given, depth)), depth)).toEqual(expected)
      }),
    )
  })

  it('leaves a key of fewer than eight characters, which could be a word', async () => {
    const body = Buffer.from('forest')
    expect(await createKeyRemover('forest')(body, label)).toBe(body)
  })
})

describe('a body that repeats the API key very often', () => {
  it('is not used beyond a number of times, and not retried', async () => {
    expect((await remove(KEY.repeat(MAX_REMOVED_KEYS))).length).toBe(REMOVED_KEY.length * MAX_REMOVED_KEYS)
    const body = JSON.stringify({ items: [{ id: 'one', title: KEY.repeat(MAX_REMOVED_KEYS + 1) }] })
    const server = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const error = await failureOf(session(server.url, { limits: { maxBodyMiB: 16 } }).listRfqs())
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error.message).toMatch(/rfqs: the body repeats the API key more than 100000 times. Nothing of it was used$/)
    expect(server.requests).toHaveLength(1)
  })
})

describe('a document that repeats the API key', () => {
  it('has a problem, and the others in its list have none', async () => {
    const items = [aListing('one'), aListing('two', { projectName: `Forest ${KEY}` }), aListing('three')]
    const server = await serve((_request, response) => json(response, 200, { items }))
    const { value } = await session(server.url).listListings()
    const keyProblems = value.map(({ id, problems }) => [id, problems.filter(({ code }) => code === 'api-key').length])
    expect(keyProblems).toEqual([
      ['one', 0],
      ['two', 1],
      ['three', 0],
    ])
    expect(value[1]).toMatchObject({ valid: true, document: { projectName: `Forest ${REMOVED_KEY}` } })
  })

  it('is usable, and has the problem once', async () => {
    const server = await serve((_request, response) => json(response, 200, anRfq('rfq-1', { title: btoa(`:${KEY}:`) })))
    const { value } = await session(server.url).readRfq('rfq-1')
    expect(value.valid).toBe(true)
    expect(value.problems.filter(({ code }) => code === 'api-key')).toHaveLength(1)
    expect(JSON.stringify(value)).not.toContain(btoa(KEY).slice(0, 12))
  })
})

describe('an error body that repeats the API key', () => {
  it('is quoted without it, also if the body was cut within the key', async () => {
    const limit = 64 * 1024
    for (const cut of [1, 8, KEY.length - 1]) {
      const body = ' '.repeat(limit - cut) + KEY
      const server = await serve((_request, response) =>
        response.writeHead(404, { 'content-type': 'text/plain' }).end(body),
      )
      const error = await session(server.url)
        .readRfq('rfq-1')
        .then(
          () => null,
          (reason: Error) => reason,
        )
      expect(error?.message).toContain('status 404')
      expect(error?.message).not.toContain('(')
    }
  })
})
