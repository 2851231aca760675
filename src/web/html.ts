import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'

/** Nothing comes from elsewhere, and no script or style stands in a page. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Sends a page. Everything in it is escaped by the renderer. */
export function sendPage(reply: FastifyReply, page: VNode): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', CONTENT_SECURITY_POLICY)
    .send(`<!doctype html>\n${render(page)}\n`)
}

/** Whether the sender is a browser that shows what it gets, and not a program. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  ['GET', 'HEAD', 'POST'].includes(method) && /\btext\/html\b/.test(headers.accept ?? '')
