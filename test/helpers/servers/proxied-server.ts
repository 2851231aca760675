import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { onTestFinished, vi } from 'vitest'

/** Self-signed; nobody checks it. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgTDsvvYdR0hYhl7GX
HEJiZ4FYdDNT1BLdKrE8giQgZWWhRANCAAQ0Bx9F0aP8AOIcV5oDifyHAyZIFayg
xNqjtmkOTeGHILqR0O3NZyKuC4y9+4cED1i44cxCLDNu8/w1Hran46ih
-----END PRIVATE KEY-----`
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBjzCCATWgAwIBAgIULqIfadj0IXvoGCMzQ+9cRUZcu7kwCgYIKoZIzj0EAwIw
DzENMAsGA1UEAwwEdGVzdDAgFw0yNjExMjYxNTI2NTBaGA8yMTI2MTEwMjE1MjY1
MFowDzENMAsGA1UEAwwEdGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABDQH
H0XRo/wA4hxXmgOJ/IcDJkgVrKDE2qO2aQ5N4YcgupHQ7c1nIq4LjL37hwQPWLjh
zEIsM27z/DUetqfjqKGjbTBrMB0GA1UdDgQWBBSsh3UtzGm6FJ58xEYFenTmBSB9
2jAfBgNVHSMEGDAWgBSsh3UtzGm6FJ58xEYFenTmBSB92jAPBgNVHRMBAf8EBTAD
AQH/MBgGA1UdEQQRMA+CDSouZXhhbXBsZS5jb20wCgYIKoZIzj0EAwIDSAAwRQIg
ayzyeza8HQTRMvixnhek24KNyM6KS8vBDUiYmDd1HXsCIQCat0JefF6tc+ge115a
3U/wTL9diAVD16tCNdptz0gOxQ==
-----END CERTIFICATE-----`

/**
 * An https server that is reached through a proxy only, which $HTTPS_PROXY names for this test: it leads there
 * whatever host is asked for.
 * @param answerConnect called for each CONNECT before the connection is made; returns a status to refuse it, or null to answer nothing
 */
export async function serveBehindProxy(
  handle: RequestListener,
  answerConnect: (target: string) => number | null = () => 200,
) {
  const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, handle)
  const port = await listen(server)
  const connects: { target: string; authorization: string | undefined }[] = []
  const proxy = createServer().on('connect', (request, socket) => {
    const target = request.url ?? ''
    connects.push({ target, authorization: request.headers['proxy-authorization'] })
    socket.on('error', () => undefined)
    const status = answerConnect(target)
    if (status === null) return
    socket.write(`HTTP/1.1 ${status} x\r\n\r\n`)
    if (status !== 200) {
      socket.end()
      return
    }
    const upstream = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.pipe(upstream).pipe(socket)
  })
  const url = `http://127.0.0.1:${await listen(proxy)}`
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  vi.stubEnv('HTTPS_PROXY', url)
  onTestFinished(() => void vi.unstubAllEnvs())
  return { proxy: url, connects }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}
