import type { FastifyRequest } from 'fastify'
import { isSameSecret } from './users.js'

/** Header in which a proxy sends `web.proxySecret`. */
export const PROXY_SECRET_HEADER = 'X-Quotekeeper-Proxy-Secret'

/** Whether a proxy sent the request. Its address would prove nothing: other programs of its machine have it too. */
export function isOfProxy({ headers }: FastifyRequest, proxySecret: string | null): boolean {
  const sent = headers[PROXY_SECRET_HEADER.toLowerCase()]
  return proxySecret !== null && typeof sent === 'string' && isSameSecret(sent, proxySecret)
}

/** The address of the client; if a proxy sent the request, the one that it adds to `X-Forwarded-For`. */
export function clientAddress(request: FastifyRequest, proxySecret: string | null): string {
  const forwarded = isOfProxy(request, proxySecret) ? String(request.headers['x-forwarded-for'] ?? '') : ''
  const addresses = forwarded.split(',').map((address) => address.trim())
  return addresses.findLast((address) => address !== '') ?? request.socket.remoteAddress ?? ''
}
