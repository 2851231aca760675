import type { FastifyReply, FastifyRequest } from 'fastify'
import type { VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { STYLESHEET_HASH } from '../components/stylesheet.js'

/** Pages load nothing from other origins and contain no inline scripts, and no style but the style sheet of all pages. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  `style-src '${STYLESHEET_HASH}'`,
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

/** Whether the request comes from a browser that displays pages, not from a program. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  ['GET', 'HEAD', 'POST'].includes(method) && /\btext\/html\b/.test(headers.accept ?? '')
