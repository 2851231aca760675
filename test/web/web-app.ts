import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { createWebApp, type ServerOptions } from '../../src/web/server.js'

/** The web server of a test, without a socket: send requests with `inject`. Closed when the test ends. */
export async function webApp(options: Partial<ServerOptions> = {}): Promise<FastifyInstance> {
  const app = await createWebApp({
    host: '127.0.0.1',
    port: 0,
    token: null,
    plugins: [],
    onError: (error) => {
      throw error
    },
    ...options,
  })
  onTestFinished(() => void app.close())
  return app
}
