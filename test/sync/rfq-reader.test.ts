import { describe, expect, it } from 'vitest'
import { readRfqWithResponses } from '../../src/sync/rfq-reader.js'
import { failureOf, json, serve, session } from '../marketplace/server.js'

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
describe('an identifier of more than 150 characters', () => {
  const long = 'i'.repeat(151)

  it('is not used: the entry is stored as one without, and is not valid', async () => {
    const entries = await list([long, long.slice(1), 'r1'].map((id) => JSON.stringify({ id })))
    expect(entries.map(({ id, valid }) => [id.slice(0, 12), valid])).toEqual([
      ['unidentified', false],
      ['iiiiiiiiiiii', true],
      ['r1', true],
    ])
    expect(entries[0]?.document).toBeNull()
    expect(entries[0]?.problems).toContainEqual({ path: 'id', code: 'format', message: expect.any(String) })
  })

  it('of a response makes the responses of its RFQ incomplete, and nothing is requested under it', async () => {
    const { server, channel } = await openSession(`{"id":"r1","responses":[{"id":"${long}","listingId":"l1"}]}`)
    const { rfq, responses, responsesComplete } = await readRfqWithResponses(channel, 'r1')
    expect([responses, responsesComplete]).toEqual([[], false])
    expect(rfq.problems).toContainEqual({ path: 'responses[0].id', code: 'format', message: expect.any(String) })
    expect(server.requests).toHaveLength(1)
  })
})

describe('problems of a document', () => {
  it('are limited, and a wrong type beyond the limit still makes it not valid', async () => {
    const unknown = Array.from({ length: 300 }, (_, n) => `"x${n}":0`).join()
    const { channel } = await openSession(`{"id":"r1","responses":[{"id":"o1",${unknown}}],"pricing":[],"title":5}`)
    const { value } = await channel.readRfq('r1')
    expect(value.valid).toBe(false)
    expect(value.problems).toHaveLength(200)
  })
})

describe('a read of an RFQ of which one response fails', () => {
  it('ends when no request is in flight, and sends few others', async () => {
    const responses = Array.from({ length: 300 }, (_, n) => ({ id: `o${n}` }))
    const server = await serve((request, response) => {
      const id = request.url?.split('/').at(-1) ?? ''
      json(response, id === 'o3' ? 418 : 200, id === 'r1' ? { id, responses } : { id })
    })
    const channel = session(server.url)
    expect(await failureOf(readRfqWithResponses(channel, 'r1'))).toMatchObject({ status: 418 })
    expect(channel.requests).toBeLessThan(100)
    expect(server.requests).toHaveLength(channel.requests)
  })
})
