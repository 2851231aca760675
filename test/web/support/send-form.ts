import type { FastifyInstance } from 'fastify'

const FORM = 'application/x-www-form-urlencoded'

/** Sends a form, as a browser does from a page of the server. */
export function sendForm(app: FastifyInstance, url: string, fields: Record<string, string>, headers = {}) {
  return app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams(fields).toString(),
    headers: { accept: 'text/html', 'content-type': FORM, 'sec-fetch-site': 'same-origin', ...headers },
  })
}

/** The notices in which a page answers what was asked for. */
export const notices = (body: string): string[] =>
  [...body.matchAll(/<p class="notice[^"]*"[^>]*>(.*?)<\/p>/g)].map(([, text = '']) => text.replaceAll('&quot;', '"'))
