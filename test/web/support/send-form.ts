import type { FastifyInstance } from 'fastify'

/** Sends a form, with the token of another form of this user: a page on which something is not offered has none. */
export async function sendForm(app: FastifyInstance, url: string, fields: Record<string, string>, headers = {}) {
  const { body } = await app.inject({ url: '/reports', headers })
  const csrf = /name="_csrf" value="([^"]+)"/.exec(body)?.[1] ?? ''
  return app.inject({
    method: 'POST',
    url,
    payload: new URLSearchParams({ _csrf: csrf, ...fields }).toString(),
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

/** The notices in which a page answers what was asked for. */
export const notices = (body: string): string[] =>
  [...body.matchAll(/<p class="notice[^"]*"[^>]*>(.*?)<\/p>/g)].map(([, text = '']) => text.replaceAll('&quot;', '"'))
