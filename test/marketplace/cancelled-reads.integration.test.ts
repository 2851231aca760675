import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { UnavailableError } from '../../src/marketplace/errors.js'
import { readRfqWithResponses } from '../../src/marketplace/rfq-reader.js'
import { failureOf, json, open, serve, session } from './server.js'

const OFFERS = 300
const limits = { retries: 0, timeoutMs: 60_000 }
const offerIds = Array.from({ length: OFFERS }, (_, n) => `o${n}`)
const rfq = { id: 'r1', responses: offerIds.map((id) => ({ id })) }

/** A server that answers responses before the failing one, fails that one with a status, and answers none after it. */
async function serveFailing(failing: number, status: number) {
  const unanswered = new Set<ServerResponse>()
  const server = await serve((request, response) => {
    const id = request.url?.split('/').at(-1) ?? ''
    const index = offerIds.indexOf(id)
    if (index < 0) json(response, 200, id === 'r1' ? rfq : { items: [] })
    else if (index < failing) json(response, 200, { id })
    else if (index === failing) json(response, status, {})
    else {
      unanswered.add(response)
      response.on('close', () => unanswered.delete(response))
    }
  })
  return { ...server, unanswered }
}

describe('a read of an RFQ of which one response fails', () => {
  it('sends nothing more once it has failed, and aborts what is in flight', async () => {
    for (const failing of [0, 1, 7, 8, 100, 298, 299]) {
      for (const status of [500, 418]) {
        const server = await serveFailing(failing, status)
        const channel = session(server.url, { limits })
        const error = await failureOf(readRfqWithResponses(channel, 'r1'))
        expect(error).toMatchObject({ name: 'UnavailableError', status })
        const sent = channel.requests
        // A request of the same session waits for a place, and for those that asked before it.
        await channel.listListings()
        expect(channel.requests).toBe(sent + 1)
        expect(sent).toBeLessThanOrEqual(failing + 2 + 8)
        await expect.poll(() => server.unanswered.size).toBe(0)
        expect(server.requests.length).toBeLessThanOrEqual(channel.requests)
      }
    }
  })

  it('leaves nothing in the queue, over several rounds of three sessions of one client', async () => {
    const server = await serveFailing(50, 500)
    const marketplace = open(server.url, { limits })
    for (let round = 0; round < 6; round++) {
      const channels = [1, 2, 3].map(() => marketplace.session({ org: 'acme', channel: 'forest', apiKey: 'a-key' }))
      await Promise.all(channels.map((channel) => failureOf(readRfqWithResponses(channel, 'r1'))))
      for (const channel of channels) {
        const sent = channel.requests
        await channel.listListings()
        expect(channel.requests).toBe(sent + 1)
        expect(sent).toBeLessThan(100)
      }
    }
  })

  it('reads the others if the caller accepts that, and the RFQ is whole otherwise', async () => {
    const server = await serve((request, response) => {
      const id = request.url?.split('/').at(-1) ?? ''
      json(response, id === 'o50' ? 500 : 200, id === 'r1' ? rfq : { id })
    })
    const errors: UnavailableError[] = []
    const failures = {
      attemptOnce: { rfq: false, response: () => false },
      failedBefore: () => false,
      onUnavailable: (error: UnavailableError) => errors.push(error),
    }
    const { responses } = await readRfqWithResponses(session(server.url, { limits }), 'r1', { failures })
    expect(responses.map(({ id }) => id)).toEqual(offerIds)
    expect(responses.filter(({ shape }) => shape === 'summary').map(({ id }) => id)).toEqual(['o50'])
    expect(errors).toMatchObject([{ status: 500 }])
    expect(server.requests).toHaveLength(OFFERS + 1)
  })

  it('is cancelled as a whole when its run is stopped', async () => {
    const server = await serveFailing(-1, 500)
    const run = new AbortController()
    const channel = open(server.url, { limits }).session(
      { org: 'acme', channel: 'forest', apiKey: 'a-key' },
      { signal: run.signal },
    )
    const failure = failureOf(readRfqWithResponses(channel, 'r1'))
    await expect.poll(() => server.unanswered.size).toBe(8)
    run.abort()
    expect(await failure).toMatchObject({ name: 'AbortedError', message: 'The run was stopped' })
    await expect.poll(() => server.unanswered.size).toBe(0)
    expect(server.requests).toHaveLength(9)
  })
})
