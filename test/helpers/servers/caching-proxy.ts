import { createServer, type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface CachedReply {
  status: number
  headers: OutgoingHttpHeaders
  body: string
  at: number
}

/** An HTTP cache between Quotekeeper and the marketplace, by the clock of the test. */
export interface CachingProxy {
  url: string
  /** Whether a request is answered with the reply that the cache has, if it has one. Default: each. */
  answers: (path: string) => boolean
  /** The header `Age`, given the age of a reply in seconds; undefined for none. Default: this age. */
  age: (seconds: number) => string | undefined
  /** Whether a reply is preceded by one that nothing asked for, `100 Continue`. Default: none. */
  continues: (path: string) => boolean
}

/**
 * Starts a cache that keeps the reply to every GET for a while.
 * @param options.seconds for how long; default 50
 * @param options.obeys whether a request with `Cache-Control: no-cache` reaches the marketplace; default no
 */
export async function startCachingProxy(
  marketplaceUrl: string,
  now: () => Date,
  { seconds = 50, obeys = false } = {},
): Promise<CachingProxy> {
  const kept = new Map<string, CachedReply>()
  const proxy: CachingProxy = { url: '', answers: () => true, age: String, continues: () => false }
  const cached = ({ method, url = '', headers }: IncomingMessage) => {
    const reply = kept.get(url)
    if (method !== 'GET' || reply === undefined || now().getTime() - reply.at >= seconds * 1000) return undefined
    return (obeys && headers['cache-control'] === 'no-cache') || !proxy.answers(url) ? undefined : reply
  }
  const server = createServer(async (incoming, outgoing) => {
    const { method, url = '' } = incoming
    if (proxy.continues(url)) outgoing.writeContinue()
    const found = cached(incoming)
    if (found !== undefined) {
      const age = Math.floor((now().getTime() - found.at) / 1000)
      outgoing
        .writeHead(found.status, { ...found.headers, ...(proxy.age(age) && { age: proxy.age(age) }) })
        .end(found.body)
      return
    }
    const { 'accept-encoding': _encoding, ...headers } = incoming.headers
    const passed = request(marketplaceUrl + url, { method, headers }, async (reply) => {
      const { date, 'content-type': type } = reply.headers
      const received = {
        status: reply.statusCode ?? 0,
        headers: { date, 'content-type': type },
        body: await text(reply),
      }
      if (method === 'GET') kept.set(url, { ...received, at: now().getTime() })
      outgoing.writeHead(received.status, received.headers).end(received.body)
    })
    passed.on('error', () => outgoing.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  proxy.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return proxy
}
