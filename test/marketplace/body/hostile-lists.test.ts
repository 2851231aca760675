import { describe, expect, it } from 'vitest'
import { MAX_ENTRIES } from '../../../src/marketplace/body/json-body.js'
import { MAX_LIST_PROBLEMS, MAX_UNIDENTIFIED } from '../../../src/marketplace/body/response-parsing.js'
import { UnavailableError } from '../../../src/marketplace/errors.js'
import { readRfqWithResponses } from '../../../src/marketplace/rfq-reader.js'
import { failureOf, serve, session } from '../server.js'

const limits = { maxBodyMiB: 64, timeoutMs: 60_000 }

async function openSession(body: string) {
  const server = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  return { server, channel: session(server.url, { limits }) }
}

const list = async (items: string[]) => {
  const { channel } = await openSession(`{"items":[${items.join()}]}`)
  return (await channel.listRfqs()).value
}
const messages = (problems: { code: string; message: string }[], code: string) =>
  problems.filter((problem) => problem.code === code).map(({ message }) => message)

describe('entries without an identifier', () => {
  it('that are equal become one, whatever their spacing and key order, with a problem that counts them', async () => {
    const entries = await list(['{"a":1,"b":2}', '{"id":"r1"}', '{"b":2, "a":1}', '{"a":1,"b":2}', '{"a":1}'])
    expect(entries.map(({ id, body }) => [id.slice(0, 12), body])).toEqual([
      ['unidentified', { a: 1, b: 2 }],
      ['r1', { id: 'r1' }],
      ['unidentified', { a: 1 }],
    ])
    expect(entries.map(({ problems }) => messages(problems, 'duplicate'))).toEqual([
      [expect.stringContaining('3 equal entries')],
      [],
      [],
    ])
    expect(entries.map(({ valid }) => valid)).toEqual([false, true, false])
  })

  it('are stored up to a number, and counted beyond it', async () => {
    const items = Array.from({ length: MAX_UNIDENTIFIED + 30 }, (_, n) => `{"n":${n}}`)
    const entries = await list([...items, '{"id":"r1"}', ...items])
    expect(entries).toHaveLength(MAX_UNIDENTIFIED + 1)
    expect(entries.at(-1)?.id).toBe('r1')
    const omitted = entries.flatMap(({ problems }) => messages(problems, 'omitted'))
    expect(omitted).toEqual([expect.stringMatching(/^60 further entries/)])
  })
})

describe('an identifier of more than 500 characters or 1,000 bytes', () => {
  const long = 'i'.repeat(501)

  it('is not used: the entry is stored as one without, and is not valid', async () => {
    const [wide, longest] = ['樹'.repeat(334), '樹'.repeat(333)]
    const entries = await list([long, long.slice(1), 'r1', wide, longest].map((id) => JSON.stringify({ id })))
    expect(entries.map(({ id, valid }) => [id.slice(0, 12), valid])).toEqual([
      ['unidentified', false],
      ['iiiiiiiiiiii', true],
      ['r1', true],
      ['unidentified', false],
      ['樹'.repeat(12), true],
    ])
    expect(entries[0]?.body).toEqual({ id: long })
    expect(entries[0]?.document).toBeNull()
    expect(messages(entries[0]?.problems ?? [], 'format')).toEqual([expect.stringMatching(/501 .*500/)])
  })

  it('of a response makes the responses of its RFQ incomplete, and nothing is requested under it', async () => {
    const { server, channel } = await openSession(`{"id":"r1","responses":[{"id":"${long}","listingId":"l1"}]}`)
    const { rfq, responses, responsesComplete } = await readRfqWithResponses(channel, 'r1')
    expect([responses, responsesComplete]).toEqual([[], false])
    expect(rfq.problems).toContainEqual({
      path: 'responses[0].id',
      code: 'format',
      message: 'an identifier of 501 characters; at most 500, in 1,000 bytes, are used',
    })
    expect(server.requests).toHaveLength(1)
  })
})

describe('problems', () => {
  it('of a list are limited, without any effect on which entries are valid', async () => {
    const items = Array.from({ length: 4000 }, (_, n) => `{"id":"${n}"${n % 2 ? ',"title":5' : ''}}`)
    const entries = await list(items)
    expect(entries).toHaveLength(4000)
    const problems = entries.flatMap((entry) => entry.problems)
    expect(problems).toHaveLength(MAX_LIST_PROBLEMS + 1)
    expect(entries.filter(({ valid }) => valid)).toHaveLength(2000)
    expect(messages(entries[0]?.problems ?? [], 'omitted')[0]).toMatch(
      /^the list has more than 50000 problems; \d+ are not recorded$/,
    )
  })

  it('of a document are limited, and a wrong type beyond the limit still makes it not valid', async () => {
    const unknown = Array.from({ length: 300 }, (_, n) => `"x${n}":0`).join()
    const { channel } = await openSession(`{"id":"r1","responses":[{"id":"o1",${unknown}}],"pricing":[],"title":5}`)
    const { value } = await channel.readRfq('r1')
    expect(value.valid).toBe(false)
    expect(value.problems.length).toBeLessThan(205)
    expect(messages(value.problems, 'omitted')[0]).toMatch(/^\d+ further problems are not recorded$/)
  })

  it('of differing responses with one identifier are limited', async () => {
    const responses = Array.from({ length: 1000 }, (_, n) => `{"id":"o1","totalVolume":${n}}`).join()
    const server = await serve((request, response) => {
      const body = request.url?.endsWith('/o1') ? '{"id":"o1"}' : `{"id":"r1","responses":[${responses}]}`
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const read = await readRfqWithResponses(session(server.url, { limits }), 'r1')
    expect(server.requests).toHaveLength(2)
    expect(read.rfq.problems.filter(({ code }) => code === 'duplicate')).toHaveLength(200)
    expect(messages(read.rfq.problems, 'omitted')).toContain('799 further entries share an id with a different entry')
  })
})

describe('responses of an RFQ', () => {
  it('beyond 100,000 are rejected before any of them is read, and the read is not retried', async () => {
    const responses = Array.from({ length: MAX_ENTRIES + 1 }, (_, n) => `{"id":"${n}"}`).join()
    const { server, channel } = await openSession(`{"id":"r1","responses":[${responses}]}`)
    const error = await failureOf(readRfqWithResponses(channel, 'r1'))
    expect(error).toBeInstanceOf(UnavailableError)
    expect(error.message).toContain('a list of 100001 entries; at most 100000 are accepted')
    expect(server.requests).toHaveLength(1)
  })
})
