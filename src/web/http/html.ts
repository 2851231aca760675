import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ComponentChildren, Fragment, h, isValidElement, toChildArray, type VNode } from 'preact'
import { render } from 'preact-render-to-string'
import { TimeSlice } from '../../core/time/time-slice.js'
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

/** Renders the parts of a page one after another. A long page takes tens of milliseconds, so other work runs between them. */
export async function renderParts(content: ComponentChildren): Promise<string> {
  const isFragment = isValidElement(content) && content.type === Fragment
  const slice = new TimeSlice()
  let html = ''
  for (const part of toChildArray(isFragment ? content.props.children : content)) {
    if (slice.isOver) await slice.next()
    html += render(h(Fragment, null, part))
  }
  return html
}

/** Whether the request comes from a browser that displays pages, not from a program. */
export const wantsPage = ({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean =>
  ['GET', 'HEAD', 'POST'].includes(method) && /\btext\/html\b/.test(headers.accept ?? '')
