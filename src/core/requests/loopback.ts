/** localhost and the names below it (RFC 6761), 127.0.0.0/8, and ::1 with or without the brackets of a URL. */
const OCTET = '(25[0-5]|2[0-4]\\d|1?\\d?\\d)'
const LOOPBACK = new RegExp(`^(([a-z0-9-]+\\.)*localhost|127(\\.${OCTET}){3}|::1|\\[::1\\])$`, 'i')

/** Whether a host name or address can only be reached from this machine. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** Whether text is an https URL, or an http URL of this machine: elsewhere, http would expose keys and sessions. */
export function isSecureUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
}

/** Whether an HTTP `Host` header, with or without a port, names this machine. */
export const isLoopbackHostHeader = (header: string | undefined): boolean =>
  header !== undefined && isLoopback(header.replace(/:\d{1,5}$/, ''))
