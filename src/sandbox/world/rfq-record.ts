import type { ListedRfq, ResponseSummary, Rfq, RfqResponse, RfqTerms } from './document-types.js'

/**
 * An RFQ with its responses. The list shape, the single shape and the response documents all come from here, so they
 * cannot disagree. Caches their JSON until something changes.
 */
export class RfqRecord {
  /** How many responses were ever created: their names continue from here. */
  createdResponses: number
  #terms: RfqTerms
  readonly #responses = new Map<string, RfqResponse>()
  readonly #responseBodies = new Map<string, Buffer>()
  #listJson: string | undefined
  #body: Buffer | undefined

  constructor(terms: RfqTerms, responses: readonly RfqResponse[] = []) {
    this.createdResponses = responses.length
    this.#terms = terms
    for (const response of responses) this.#responses.set(response.id, response)
  }

  get terms(): RfqTerms {
    return this.#terms
  }
  get responses(): RfqResponse[] {
    return [...this.#responses.values()]
  }
  response(id: string): RfqResponse | undefined {
    return this.#responses.get(id)
  }

  setTerms(terms: RfqTerms): void {
    this.#terms = terms
    this.#invalidate()
  }
  setResponse(response: RfqResponse): void {
    this.#responses.set(response.id, response)
    this.#invalidate(response.id)
  }
  deleteResponse(id: string): void {
    this.#responses.delete(id)
    this.#invalidate(id)
  }

  /** The RFQ as an item of the list. */
  listShape(): ListedRfq {
    return { ...this.#terms, responses: this.responses.map(({ id, listingId }) => ({ id, listingId })) }
  }
  /** The RFQ as read by its id, with summaries of its responses. */
  singleShape(): Rfq {
    return { ...this.#terms, responses: this.responses.map(summarize) }
  }

  /** The list shape as JSON. */
  listJson(): string {
    this.#listJson ??= JSON.stringify(this.listShape())
    return this.#listJson
  }
  /** The single shape as JSON. */
  body(): Buffer {
    this.#body ??= Buffer.from(JSON.stringify(this.singleShape()))
    return this.#body
  }
  /** A response as JSON. */
  responseBody(id: string): Buffer | undefined {
    const cached = this.#responseBodies.get(id)
    const response = this.#responses.get(id)
    if (cached || !response) return cached
    const body = Buffer.from(JSON.stringify(response))
    this.#responseBodies.set(id, body)
    return body
  }

  #invalidate(responseId?: string): void {
    this.#listJson = undefined
    this.#body = undefined
    if (responseId !== undefined) this.#responseBodies.delete(responseId)
  }
}

/** The summary of a response in its RFQ. A test may have removed the offer; the other members are still shown. */
function summarize(response: RfqResponse): ResponseSummary {
  const offer: Partial<RfqResponse['offer']> = response.offer ?? {}
  return {
    id: response.id,
    listingId: response.listingId,
    projectDeveloperName: response.projectDeveloperName,
    projectName: response.projectName,
    status: response.status,
    totalVolume: offer.totalVolume,
    currency: offer.currency,
    totalPrice: offer.totalPrice,
    expiryDate: offer.expiryDate,
    submittedAt: response.submittedAt,
    contractType: offer.contractType,
  } as ResponseSummary
}
