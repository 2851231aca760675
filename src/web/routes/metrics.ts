import type { WebPlugin } from '../plugin.js'

/** The metrics in the text format of Prometheus. */
interface Exposition {
  contentType: string
  text: string
}

/** `GET /metrics`: what Prometheus scrapes (docs/METRICS.md). For known users only, like the details of `/readyz`. */
export function metricsRoute(expose: () => Promise<Exposition>): WebPlugin {
  return (app) => {
    app.get('/metrics', { config: { access: 'viewer' } }, async (_request, reply) => {
      const { contentType, text } = await expose()
      return reply.type(contentType).send(text)
    })
  }
}
