import { isIPv4 } from 'node:net'

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
