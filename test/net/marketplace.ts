import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { summaryOf } from '../helpers/data/sample-documents.js'
import { type Document, id, listing } from './documents.js'

export interface Answer {
  status: number
  body?: unknown
  headers?: Record<string, string>
}

/** What the marketplace sends; null: the connection is reset without a reply. */
export type Reply = Answer | null

/** Decides about one request. `answer` makes the reply of a healthy marketplace, with its effect: a close closes. */
export type Handler = (request: Request, answer: () => Answer) => Reply | Promise<Reply>

/** One request as it arrived, in the order of arrival. */
export interface Request {
  /** `GET listings`, `GET rfqs`, `GET rfq 101`, `GET response 1001`, `POST close 101`. */
  readonly name: string
  /** Organization and channel: `acme/forest`. */
  readonly channel: string
  readonly key: string | undefined
  readonly bodyBytes: number
  /** Milliseconds by the monotonic clock of this process. */
  readonly at: number
  /** What was sent; undefined until then, null if the connection was reset. */
  reply?: Reply
}

/** The documents of a channel. */
export interface Channel {
  listings: Document[]
  rfqs: Document[]
  /** By the id of the RFQ. */
  responses: Map<string, Document[]>
}

/** The API keys by organization; the second one has a scheme, which belongs to the key. */
export const KEYS: Readonly<Record<string, string>> = { acme: 'key-of-acme-7d1f', beta: 'Bearer key-of-beta-93c2' }
export const ACME = 'acme/forest'
export const RESET: Reply = null

/** A reply with the documented body of an error. */
export const failure = (status: number, headers: Record<string, string> = {}): Answer => ({
  status,
  body: { statusCode: status, message: 'injected', error: status },
  headers,
})

/** A marketplace of its own, which serves the five operations from documents that the test changes, and logs each request. */
export class Marketplace {
  readonly requests: Request[] = []
  /** Milliseconds by which its clock differs from that of the machine. */
  clockShift = 0
  readonly #channels = new Map<string, Channel>()
  readonly #rules: { name: RegExp; times: number; handler: Handler }[] = []
  readonly #server: Server
  #signed = 0

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
    this.#server.keepAliveTimeout = 60_000
  }

  /** Serves until the test is finished. It has the channel `acme/forest` with three listings and no RFQs. */
  static async open(): Promise<Marketplace> {
    const market = new Marketplace()
    market.channel(ACME).listings.push(listing(1), listing(2), listing(3))
    market.#server.listen(0, '127.0.0.1')
    await once(market.#server, 'listening')
    onTestFinished(() => {
      market.#server.closeAllConnections()
      market.#server.close()
    })
    return market
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** A channel, which is empty at first. */
  channel(name: string): Channel {
    const known = this.#channels.get(name)
    if (known !== undefined) return known
    const channel: Channel = { listings: [], rfqs: [], responses: new Map() }
    this.#channels.set(name, channel)
    return channel
  }

  /** Adds an RFQ with its responses. */
  add(rfq: Document, responses: Document[] = [], channel = ACME): void {
    this.channel(channel).rfqs.push(rfq)
    this.channel(channel).responses.set(rfq.id, responses)
  }

  rfq(number: number, channel = ACME): Document {
    const found = this.channel(channel).rfqs.find((rfq) => rfq.id === id(number))
    if (found === undefined) throw new Error(`The marketplace has no RFQ ${number}.`)
    return found
  }

  responses(number: number, channel = ACME): Document[] {
    return this.channel(channel).responses.get(id(number)) ?? []
  }

  /** Removes an RFQ. */
  withdraw(number: number, channel = ACME): void {
    const { rfqs } = this.channel(channel)
    rfqs.splice(rfqs.indexOf(this.rfq(number, channel)), 1)
  }

  /** Lets `handler` decide about the next `times` requests whose name matches; earlier rules come first. */
  on(name: string | RegExp, handler: Handler, times = Number.POSITIVE_INFINITY): void {
    this.#rules.push({ name: typeof name === 'string' ? new RegExp(`^${name}$`) : name, times, handler })
  }

  /** Ends all rules. */
  behave(): void {
    this.#rules.length = 0
  }

  /** Names of the requests that match, in the order of arrival. */
  names(pattern: RegExp): string[] {
    return this.requests.flatMap(({ name }) => (pattern.test(name) ? [name] : []))
  }

  /** How many closes of an RFQ were sent, or of all. */
  posts(number?: number): number {
    return this.names(number === undefined ? /^POST/ : new RegExp(`^POST close ${number}$`)).length
  }

  now(): number {
    return Date.now() + this.clockShift
  }

  async #serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    let bodyBytes = 0
    for await (const chunk of incoming) bodyBytes += (chunk as Buffer).length
    const route = parsePath(incoming.url ?? '')
    const request: Request = {
      name: `${incoming.method} ${route.operation}`,
      channel: route.channel,
      key: incoming.headers.authorization,
      bodyBytes,
      at: performance.now(),
    }
    this.requests.push(request)
    request.reply = await this.#decide(request, route)
    send(request.reply, outgoing, this.now())
  }

  async #decide(request: Request, route: Route): Promise<Reply> {
    const rule = this.#rules.find(({ name, times }) => times > 0 && name.test(request.name))
    if (rule === undefined) return this.#answer(request, route)
    rule.times--
    return rule.handler(request, () => this.#answer(request, route))
  }

  #answer({ name, key }: Request, { org, channel, rfqId, responseId }: Route): Answer {
    if (key === undefined || !Object.values(KEYS).includes(key)) return failure(401)
    if (key !== KEYS[org]) return failure(403)
    const known = this.#channels.get(channel)
    if (known === undefined) return failure(404)
    if (name === 'GET listings') return ok({ items: known.listings.map((each) => this.#sign(each)) })
    if (name === 'GET rfqs') {
      const references = (rfq: Document) =>
        (known.responses.get(rfq.id) ?? []).map((each) => ({ id: each.id, listingId: each.listingId }))
      return ok({ items: known.rfqs.map((rfq) => ({ ...rfq, responses: references(rfq) })) })
    }
    const rfq = known.rfqs.find((each) => each.id === rfqId)
    const responses = known.responses.get(rfqId) ?? []
    if (rfq === undefined) return failure(404)
    if (name.startsWith('GET rfq')) return ok({ ...rfq, responses: responses.map(summaryOf) })
    const response = responses.find((each) => each.id === responseId)
    if (name.startsWith('GET response') && response !== undefined) return ok(response)
    if (!name.startsWith('POST close')) return failure(404)
    return rfq.state === 'closed' ? failure(400) : this.#close(rfq)
  }

  #close(rfq: Document): Answer {
    const closedAt = new Date(this.now()).toISOString()
    Object.assign(rfq, { state: 'closed', closedAt, updatedAt: closedAt })
    return ok({ ok: true })
  }

  /** Addresses of documents are signed anew for each read. */
  #sign(document: Document): Document {
    this.#signed++
    const additionalDocumentation = {
      url: `https://files.test/${document.id}?sig=${this.#signed}`,
      expires: this.#signed,
    }
    return { ...document, additionalDocumentation }
  }
}

/** A successful reply; its body is copied, since documents change later. */
export const ok = (body: unknown): Answer => ({ status: 200, body: structuredClone(body) })

interface Route {
  operation: string
  org: string
  channel: string
  rfqId: string
  responseId: string
}

/** The number of a test id is its last group. */
const numberOf = (uuid: string) => Number(uuid.split('-').at(-1))

function parsePath(url: string): Route {
  const path =
    /^\/v1\/orgs\/([^/]+)\/channels\/([^/]+)\/(listings|rfqs)(?:\/([^/]+)(?:\/(close|responses)(?:\/([^/]+))?)?)?$/
  const [, org = '', slug = '', kind = '', rfqId = '', part, responseId = ''] = path.exec(url) ?? []
  const operation =
    part === 'responses'
      ? `response ${numberOf(responseId)}`
      : part === 'close'
        ? `close ${numberOf(rfqId)}`
        : rfqId === ''
          ? kind
          : `rfq ${numberOf(rfqId)}`
  return { operation, org, channel: `${org}/${slug}`, rfqId, responseId }
}

function send(reply: Reply, outgoing: ServerResponse, now: number): void {
  if (reply === null) return void outgoing.destroy()
  const text = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? null)
  const headers = { 'content-type': 'application/json', date: new Date(now).toUTCString(), ...reply.headers }
  outgoing.writeHead(reply.status, headers).end(text)
}
