import type { FastifyInstance } from 'fastify'
import type { Access } from './access/access-control.js'
import type { Session } from './access/sessions.js'
import type { RouteAccess, User } from './access/users.js'

/**
 * Adds routes to the web server. A route that names no `access` is for viewers if it reads (GET), for operators
 * otherwise.
 */
export type WebPlugin = (app: FastifyInstance) => Promise<void> | void

declare module 'fastify' {
  interface FastifyInstance {
    access: Access
  }
  interface FastifyContextConfig {
    /** Who may use the route. */
    access?: RouteAccess
  }
  interface FastifyRequest {
    /** Who sent the request; null if it could not be established. */
    user: User | null
    /** The session of a user who signed in on the page. */
    session: Session | null
  }
}
