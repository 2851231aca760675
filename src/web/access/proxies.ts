import { BlockList, isIP, isIPv4 } from 'node:net'
import type { FastifyRequest } from 'fastify'
import { isSameSecret } from './users.js'

/** Header in which a proxy sends `web.proxySecret`. */
export const PROXY_SECRET_HEADER = 'X-Quotekeeper-Proxy-Secret'

/** The proxies in front of the server, whose headers are trusted. */
export interface Proxies {
  /** Whether a request comes from the address of a proxy. Other programs of that machine have it too. */
  isAddress(request: FastifyRequest): boolean
  /** Whether a proxy sent the request: it has the address and the secret. */
  isSender(request: FastifyRequest): boolean
  /** The address of the client: if a proxy sent the request, the last one in `X-Forwarded-For` that does not belong to a proxy. */
  clientAddress(request: FastifyRequest): string
}

/** @param options.proxySecret null: no request is a proxy's */
export function createProxies(options: { trustedProxies: readonly string[]; proxySecret: string | null }): Proxies {
  const isKnown = addressMatcher(options.trustedProxies)
  const isAddress = ({ socket }: FastifyRequest) => isKnown(socket.remoteAddress ?? '')
  const isSender = (request: FastifyRequest) => {
    const sent = request.headers[PROXY_SECRET_HEADER.toLowerCase()]
    return (
      isAddress(request) &&
      options.proxySecret !== null &&
      typeof sent === 'string' &&
      isSameSecret(sent, options.proxySecret)
    )
  }
  return {
    isAddress,
    isSender,
    clientAddress(request) {
      const forwarded = isSender(request) ? String(request.headers['x-forwarded-for'] ?? '') : ''
      const addresses = forwarded.split(',').map((address) => address.trim())
      return addresses.findLast((address) => address !== '' && !isKnown(address)) ?? request.socket.remoteAddress ?? ''
    },
  }
}

/** Whether an address is one of a list of addresses and networks (`10.0.0.0/8`). */
function addressMatcher(list: readonly string[]): (address: string) => boolean {
  const known = new BlockList()
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    if (bits === undefined) known.addAddress(address, familyOf(address))
    else known.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => {
    // An IPv4 client of a server that listens on `::`.
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
    return isIP(plain) !== 0 && known.check(plain, familyOf(plain))
  }
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * The client that an address stands for: an IPv4 address, or the /64 of an IPv6 address, because one person usually has all
 * of it. A proxy may append a port; what is no address is one client.
 */
export function addressGroup(address: string): string {
  const [, plain = ''] = /^\[?([\da-f.:]+?)(?:%[^\]]*)?(?:\](?::\d+)?|(?<=^[\d.]+):\d+)?$/i.exec(address.trim()) ?? []
  const url = `http://[${isIPv4(plain) ? `::ffff:${plain}` : plain}]`
  if (!URL.canParse(url)) return 'no address'
  const parts = expand(new URL(url).hostname.slice(1, -1))
  return parts.slice(0, isMapped(parts) ? 8 : 4).join(':')
}

/** An IPv4 address in the form of IPv6. */
const isMapped = (parts: readonly string[]) => parts.slice(0, 6).join(':') === '0:0:0:0:0:ffff'

/** The eight parts of an IPv6 address. */
function expand(address: string): string[] {
  const [head = '', tail] = address.split('::')
  const parts = (text: string) => (text === '' ? [] : text.split(':'))
  if (tail === undefined) return parts(head)
  const missing = 8 - parts(head).length - parts(tail).length
  return [...parts(head), ...Array<string>(Math.max(0, missing)).fill('0'), ...parts(tail)]
}
