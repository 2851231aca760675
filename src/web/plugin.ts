import type { FastifyInstance } from 'fastify'
import type { RouteAccess, User } from './access/user.js'

/**
 * Adds routes to the web server. A route that names no `access` is for viewers if it reads (GET), for operators
 * otherwise.
 */
export type WebPlugin = (app: FastifyInstance) => Promise<void> | void

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may use the route; see `routeAccess`. */
    access?: RouteAccess
  }
  interface FastifyRequest {
    /** Who sent the request; null if it could not be established. */
    user: User | null
  }
}
