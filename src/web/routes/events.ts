import type { ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { HttpError } from '../http/errors.js'
import type { WebPlugin } from '../plugin.js'

interface EventsOptions {
  /** Changes when polls, closing rounds or decisions were recorded. */
  pulse: () => Promise<string>
  onError: (error: unknown) => void
  /** How often to check for changes, in milliseconds. */
  intervalMs?: number
}

/** Maximum number of listening browsers; each keeps a connection open. */
const MAX_LISTENERS = 40
const INTERVAL_MS = 2_000
/** When a browser that found no place may try again. */
const RETRY_SECONDS = 60
/** Checks without a change after which a comment is sent, so that proxies keep the connection open. */
const CHECKS_PER_COMMENT = 10

/** `GET /events`: a server-sent event `change` whenever something was recorded. Checks only while there are listeners. */
export const eventRoutes =
  ({ pulse, onError, intervalMs = INTERVAL_MS }: EventsOptions): WebPlugin =>
  (app) => {
    const listeners = new Set<ServerResponse>()
    const closing = new AbortController()
    let isChecking = false

    /** Checks for changes while there are listeners. */
    async function check(): Promise<void> {
      let last: string | null = null
      for (let checks = 1; listeners.size > 0 && !closing.signal.aborted; checks++) {
        try {
          const now = await pulse()
          if (last !== null && now !== last) send(`event: change\ndata: ${checks}\n\n`)
          else if (checks % CHECKS_PER_COMMENT === 0) send(': still here\n\n')
          last = now
        } catch (error) {
          onError(error)
        }
        // Rejects only when the server closes.
        await delay(intervalMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
      isChecking = false
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
      if (isChecking) return
      isChecking = true
      void check()
    })
    app.addHook('preClose', async () => {
      closing.abort()
      for (const listener of listeners) listener.end()
    })
  }
