import type { ServerResponse } from 'node:http'
import { HttpError } from '../errors.js'
import type { WebPlugin } from '../plugin.js'

interface EventsOptions {
  /** Changes when polls, closing rounds or decisions were recorded. */
  pulse: () => Promise<string>
  onError: (error: unknown) => void
  /** How often to look, in milliseconds. */
  intervalMs?: number
}

/** Browsers that may listen at the same time; each keeps a connection. */
const MAX_LISTENERS = 40
const INTERVAL_MS = 2_000
/** When a browser that found no place may try again. */
const RETRY_SECONDS = 60
/** A comment is sent after so many looks without a change, so that proxies keep the connection. */
const LOOKS_PER_COMMENT = 10

/** `GET /events`: a server-sent event `change` whenever something was recorded. Looks only while somebody listens. */
export const eventRoutes =
  ({ pulse, onError, intervalMs = INTERVAL_MS }: EventsOptions): WebPlugin =>
  (app) => {
    const listeners = new Set<ServerResponse>()
    let timer: NodeJS.Timeout | null = null
    let last: string | null = null
    let looks = 0

    async function look(): Promise<void> {
      try {
        const now = await pulse()
        looks++
        if (last !== null && now !== last) send(`event: change\ndata: ${looks}\n\n`)
        else if (looks % LOOKS_PER_COMMENT === 0) send(': still here\n\n')
        last = now
      } catch (error) {
        onError(error)
      }
      timer = listeners.size > 0 ? setTimeout(look, intervalMs) : null
      timer?.unref()
    }
    const send = (text: string) => {
      for (const listener of listeners) listener.write(text)
    }

    app.get('/events', { exposeHeadRoute: false }, (request, reply) => {
      if (listeners.size >= MAX_LISTENERS)
        throw new HttpError(503, `${MAX_LISTENERS} pages follow changes already; try again in ${RETRY_SECONDS} s`, {
          'retry-after': RETRY_SECONDS,
        })
      reply.hijack()
      const response = reply.raw
      const headers = { ...reply.getHeaders(), 'content-type': 'text/event-stream; charset=utf-8' }
      response.writeHead(200, headers as Record<string, string>)
      response.write('retry: 5000\n\n')
      listeners.add(response)
      request.raw.on('close', () => listeners.delete(response))
      if (timer === null) {
        last = null
        void look()
      }
    })
    app.addHook('preClose', async () => {
      if (timer !== null) clearTimeout(timer)
      for (const listener of listeners) listener.end()
    })
  }
