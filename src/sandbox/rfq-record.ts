import type { ListedRfq, ResponseSummary, Rfq, RfqResponse, RfqTerms } from './document-types.js'

/**
 * An RFQ with the responses to it: the one place where its list shape, its single shape and its responses come from,
 * so that they cannot disagree. Keeps what it wrote as JSON until something changes.
 */
export class RfqRecord {
  /** Responses ever made: their names go on from here. */
  made: number
  #terms: RfqTerms
  readonly #responses = new Map<string, RfqResponse>()
  readonly #responseBodies = new Map<string, Buffer>()
  #listText: string | undefined
  #body: Buffer | undefined

  constructor(terms: RfqTerms, responses: readonly RfqResponse[] = [], made = responses.length) {
    this.made = made
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
    this.#forget()
  }
  setResponse(response: RfqResponse): void {
    this.#responses.set(response.id, response)
    this.#forget(response.id)
  }
  deleteResponse(id: string): void {
    this.#responses.delete(id)
    this.#forget(id)
  }

  /** Source: marketplace-api.md, RFQ, list shape. */
  listShape(): ListedRfq {
    return { ...this.#terms, responses: this.responses.map(({ id, listingId }) => ({ id, listingId })) }
  }
  /** Source: marketplace-api.md, RFQ, single shape. */
  singleShape(): Rfq {
    return { ...this.#terms, responses: this.responses.map(summarize) }
  }

  /** The list shape as JSON. */
  listText(): string {
    this.#listText ??= JSON.stringify(this.listShape())
    return this.#listText
  }
  /** The single shape as JSON. */
  body(): Buffer {
    this.#body ??= Buffer.from(JSON.stringify(this.singleShape()))
    return this.#body
  }
  /** A response as JSON. */
  responseBody(id: string): Buffer | undefined {
    const known = this.#responseBodies.get(id)
    const response = this.#responses.get(id)
    if (known || !response) return known
    const body = Buffer.from(JSON.stringify(response))
    this.#responseBodies.set(id, body)
    return body
  }

  #forget(responseId?: string): void {
    this.#listText = undefined
    this.#body = undefined
    if (responseId !== undefined) this.#responseBodies.delete(responseId)
  }
}

/** Source: marketplace-api.md, ResponseSummary. A test may have taken the offer away: then the rest is said. */
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
