import type { FastifyRequest } from 'fastify'
import { isLoopback } from '../../core/requests/loopback.js'
import { HttpError } from '../http/errors.js'

/**
 * Refuses requests for other names than those of the server (header `Host`), also from a proxy: a website that reaches the server by
 * DNS rebinding sends its own. A server that other machines reach by names it does not know accepts any name; users have to sign in
 * there, and browsers send their session to no other name.
 * @returns a function that throws HttpError 421
 */
export function createHostCheck(options: {
  host: string
  publicUrl: string | null
}): (request: FastifyRequest) => void {
  const publicHost = options.publicUrl === null ? null : new URL(options.publicUrl).hostname
  if (publicHost === null && !isLoopback(options.host)) return () => {}
  const accepted = publicHost ?? 'localhost and 127.0.0.1'
  const remedy = publicHost === null ? 'set web.publicUrl' : 'a proxy must send the header Host as it received it'
  return ({ headers, socket }) => {
    const name = (headers.host ?? '').replace(/:\d{1,5}$/, '').toLowerCase()
    const address = name.replace(/^\[|\]$/g, '')
    const isOwn =
      name === publicHost || name === options.host || address === socket.localAddress?.replace(/^::ffff:(?=\d+\.)/i, '')
    if (!isOwn && !isLoopback(name))
      throw new HttpError(421, `this server accepts requests for ${accepted} only; ${remedy}`)
  }
}
