import type { FastifyInstance } from 'fastify'
import { onTestFinished } from 'vitest'
import { createWebApp, type ServerOptions } from '../../../src/web/server.js'
import { LOCAL_WEB } from '../../helpers/test-config.js'

/** The options of a web server of a test, which fails the test for an error. */
export const serverOptions = (options: Partial<ServerOptions>): ServerOptions => ({
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
