import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError } from '../http/errors.js'
import { clientAddress } from './proxy.js'
import type { User } from './users.js'

/** Requests per minute of one user. */
const MAX_OF_USER = 600
/** Requests per minute from one address without a user: no token, or a wrong one. */
const MAX_WITHOUT_USER = 60

/**
 * Limits requests: of each user, and without a user of each address, so that nobody uses up what a right token allows. It is not what
 * protects tokens: they are too long to be guessed.
 */
export async function addRateLimits(app: FastifyInstance, proxySecret: string | null) {
  await app.register(rateLimit, {
    global: false,
    timeWindow: 60_000,
    max: ({ user }) => (user === null ? MAX_WITHOUT_USER : MAX_OF_USER),
    keyGenerator: (request) =>
      request.user === null ? `address ${clientAddress(request, proxySecret)}` : `user ${request.user.name}`,
    errorResponseBuilder: ({ user }, { ttl }) => tooMany(user, ttl),
  })
  const limit = app.rateLimit()
  const measure = app.createRateLimit()
  return {
    /** @throws HttpError 429 */
    count: async (request: FastifyRequest, reply: FastifyReply) => void (await limit.call(app, request, reply)),
    /** Counts a wrong token of the sign-in page as a request without a user. @throws HttpError 429 */
    async countWrongToken(request: FastifyRequest) {
      const found = await measure(request)
      if (!found.isAllowed && found.isExceeded) throw tooMany(request.user, found.ttl)
    },
  }
}

function tooMany(user: User | null, ttl: number): HttpError {
  const seconds = Math.ceil(ttl / 1000)
  const message =
    user === null
      ? `more than ${MAX_WITHOUT_USER} requests in a minute from this address without a right token; send one, or try again in ${seconds} s`
      : `more than ${MAX_OF_USER} requests in a minute by ${user.name}; try again in ${seconds} s`
  return new HttpError(429, message, { 'retry-after': seconds })
}
