import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import type { Readiness } from '../../../src/readiness/readiness.js'
import { healthRoutes } from '../../../src/web/routes/health.js'
import { createWebApp, type ServerOptions, startWebServer, type WebServer } from '../../../src/web/server.js'
import { LOCAL_WEB } from '../../helpers/test-config.js'

/** A viewer and an operator. */
export const TOKENS: ServerOptions['tokens'] = [
  { name: 'ana', role: 'viewer', token: 'token of ana' },
  { name: 'omar', role: 'operator', token: 'token of omar' },
]

/** The header by which one of these users enters. */
export const as = (name: string) => ({ authorization: `Bearer token of ${name}` })

/** The options of a web server of a test, which fails the test for an error. */
const serverOptions = (options: Partial<ServerOptions>): ServerOptions => ({
  ...LOCAL_WEB,
  localUser: 'local',
  now: () => new Date(),
  plugins: [],
  onError: (error) => {
    throw error
  },
  ...options,
})

/** The web server of a test, without a socket: send requests with `inject`. Closed when the test ends. */
export async function webApp(options: Partial<ServerOptions> = {}): Promise<FastifyInstance> {
  const app = await createWebApp(serverOptions(options))
  onTestFinished(() => void app.close())
  return app
}

/** The web server of a test on a free port, by default with the health endpoints. Closed when the test ends. */
export async function serveWeb(
  options: Partial<ServerOptions> = {},
  readiness: Readiness = async () => [],
): Promise<WebServer> {
  const own = { plugins: [healthRoutes(readiness)], onError: () => undefined }
  const server = await startWebServer(serverOptions({ ...own, ...options }))
  onTestFinished(() => server.close())
  return server
}

interface Reply {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends a request with any headers, also those that `fetch` refuses, such as `Host`. */
export const send = (url: string, { body, ...options }: RequestOptions & { body?: string } = {}): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { agent: false, ...options }, async (response) => {
      const { statusCode: status = 0, headers } = response
      text(response).then((received) => resolve({ status, headers, body: received }), reject)
    })
    sent.on('error', reject).end(body)
  })
