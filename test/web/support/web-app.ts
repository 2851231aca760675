import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { createWebApp, type ServerOptions } from '../../../src/web/server.js'
import { LOCAL_WEB } from '../../helpers/test-config.js'

/** The web server of a test, without a socket: send requests with `inject`. Closed when the test ends. */
export async function webApp(options: Partial<ServerOptions> = {}): Promise<FastifyInstance> {
  const app = await createWebApp({
    ...LOCAL_WEB,
    localUser: 'local',
    now: () => new Date(),
    plugins: [],
    onError: (error) => {
      throw error
    },
    ...options,
  })
  onTestFinished(() => void app.close())
  return app
}
