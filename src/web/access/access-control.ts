import cookie, { type CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../../core/requests/loopback.js'
import { nameProblem } from '../../core/text/clean-text.js'
import type { Clock } from '../../core/time/clock.js'
import { HttpError } from '../http/errors.js'
import { createHostCheck } from './host-header.js'
import { isOfProxy, PROXY_SECRET_HEADER } from './proxy.js'
import { addRateLimits } from './rate-limits.js'
import { createSessions, type Session } from './sessions.js'
import { type AccessToken, bearerToken, mayUse, ownerOf, type Role, type RouteAccess, type User } from './users.js'

/** Who may use the server (docs/WEB.md, "Access"). */
export interface AccessOptions {
  host: string
  /** Origin at which browsers reach the page; null if only through `host`. */
  publicUrl: string | null
  /** The token of the user `operator`; null for none. */
  token: string | null
  tokens: readonly AccessToken[]
  /** Header in which a proxy names the user it authenticated; null for none. */
  trustedUserHeader: string | null
  trustedUserRole: Role
  /** What a proxy sends whose headers are trusted; null for none. */
  proxySecret: string | null
  /** Name of the user if signing in is not required. */
  localUser: string
  now: Clock
}

const SESSION_COOKIE = 'quotekeeper_session'

/** The token of `web.token` belongs to the user `operator`. */
const allTokens = ({ token, tokens }: Pick<AccessOptions, 'token' | 'tokens'>): AccessToken[] => [
  ...(token === null ? [] : [{ name: 'operator', role: 'operator' as const, token }]),
  ...tokens,
]

/** Whether a way to sign in is configured. */
export const hasUsers = (options: Pick<AccessOptions, 'token' | 'tokens' | 'trustedUserHeader'>): boolean =>
  allTokens(options).length > 0 || options.trustedUserHeader !== null

/** Whether only this machine can reach the server. */
export const isLocal = ({ host, publicUrl }: Pick<AccessOptions, 'host' | 'publicUrl'>): boolean =>
  isLoopback(host) && (publicUrl === null || isLoopback(new URL(publicUrl).hostname))

/** Authenticates each request and checks that the user may use its route. Decorates requests (plugin.ts). */
export async function addAccessControl(app: FastifyInstance, options: AccessOptions): Promise<void> {
  await app.register(cookie)
  const { publicUrl, localUser, proxySecret, now } = options
  const tokens = allTokens(options)
  // Only this machine can reach the server, and no way to sign in is configured.
  const open = isLocal(options) && !hasUsers(options)
  const isSecure = publicUrl?.startsWith('https:') === true
  const sessionCookie = cookieOf(isSecure)
  const sessions = createSessions(now, { isSecure })
  const limits = await addRateLimits(app, proxySecret)
  const checkHost = createHostCheck(options)
  app.decorateRequest('user', null)
  app.decorateRequest('session', null)
  app.decorate('access', {
    cookie: sessionCookie,
    hasSignIn: tokens.length > 0,
    async signIn(request, sent) {
      const user = ownerOf(sent, tokens)
      if (user !== null) return sessions.start(user)
      await limits.countWrongToken(request)
      throw new HttpError(401, 'no user has this token')
    },
    signOut: ({ session }) => void (session && sessions.end(session.id)),
  })
  // Before a body is read.
  app.addHook('onRequest', async (request, reply) => {
    checkHost(request)
    const named = userOfProxy(request, options)
    request.session = open ? null : sessions.use(request.cookies[sessionCookie.name] ?? '')
    request.user = open
      ? { name: localUser, role: 'operator' }
      : (named.user ?? bearerUser(request, tokens) ?? request.session?.user ?? null)
    if (!open && !isPublic(request)) await limits.count(request, reply)
    requireAccess(request, reply, named.problem)
  })
  app.addHook('preHandler', async (request) => {
    if (SAFE_METHODS.has(request.method) || request.routeOptions.url === undefined) return
    if (!isOwnRequest(request, publicUrl))
      throw new HttpError(
        403,
        'this was sent by another website, which is not allowed; send it from a page of this server',
      )
  })
}

/** The part of the access control that routes use: signing in and out. */
export interface Access {
  /** Where users can sign in with a token. */
  readonly hasSignIn: boolean
  /** @throws HttpError 401 for a wrong token, 429 after too many from the address */
  signIn(request: FastifyRequest, token: string): Promise<Session>
  signOut(request: FastifyRequest): void
  /** The name and the attributes of the cookie of a session. */
  readonly cookie: { name: string; attributes: CookieSerializeOptions }
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether no other website sent a request. Browsers state its origin, older ones only with `Origin`; programs do not. */
function isOwnRequest({ headers, host }: FastifyRequest, publicUrl: string | null): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  return origin === undefined || origin === publicUrl || (URL.canParse(origin) && new URL(origin).host === host)
}

/**
 * A browser sends a cookie to every port of its host, and by http too. With the prefix `__Host-` (RFC 6265bis), it sends it by https
 * only, and accepts it from no other host.
 */
const cookieOf = (isSecure: boolean): Access['cookie'] => ({
  name: isSecure ? `__Host-${SESSION_COOKIE}` : SESSION_COOKIE,
  attributes: { path: '/', httpOnly: true, sameSite: 'strict', secure: isSecure },
})

/**
 * The user that a proxy names in its header, or why that name is rejected; neither without the header. Two such headers are the
 * client's and the proxy's.
 */
function userOfProxy(
  request: FastifyRequest,
  { trustedUserHeader: header, trustedUserRole: role, proxySecret }: AccessOptions,
): { user: User | null; problem: string | null } {
  const isNamed = (_value: string, at: number, all: string[]) =>
    at % 2 === 1 && all[at - 1]?.toLowerCase() === header?.toLowerCase()
  const [sent, ...others] = request.raw.rawHeaders.filter(isNamed)
  if (sent === undefined) return { user: null, problem: null }
  const rejected = (problem: string) => ({ user: null, problem })
  if (!isOfProxy(request, proxySecret))
    return rejected(
      `the proxy must send web.proxySecret in the header ${PROXY_SECRET_HEADER}; without it, the user that it names is rejected`,
    )
  if (others.length > 0) return rejected(`the proxy sent the header ${header} ${others.length + 1} times, not once`)
  const name = decodeHeader(sent).trim()
  const problem = nameProblem(name)
  if (problem !== null) return rejected(`the name in the header ${header} of the proxy ${problem}`)
  return { user: { name, role }, problem: null }
}

/** Node.js reads headers as Latin-1; proxies send UTF-8. Text that is not valid UTF-8 stays unchanged. */
function decodeHeader(text: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(text, 'latin1'))
  } catch {
    return text
  }
}

/** The user of the token that a program sent. */
function bearerUser({ headers }: FastifyRequest, tokens: readonly AccessToken[]): User | null {
  const sent = bearerToken(headers.authorization)
  return sent === null ? null : ownerOf(sent, tokens)
}

/** @param proxyUserError why the user that a proxy named is unknown, or null */
function requireAccess(request: FastifyRequest, reply: FastifyReply, proxyUserError: string | null): void {
  // Without a token, unknown and known paths get the same answer, so that it does not show which exist.
  const isKnown = request.routeOptions.url !== undefined
  if (isKnown ? mayUse(request.user, accessOf(request)) : request.user !== null) return
  if (request.user !== null) throw new HttpError(403, `this needs the role operator; ${request.user.name} is a viewer`)
  reply.header('www-authenticate', 'Bearer')
  throw new HttpError(401, proxyUserError ?? 'send the header: Authorization: Bearer TOKEN')
}

/** Public routes are not rate-limited, so that health probes and sign-ins never wait for others. */
const isPublic = (request: FastifyRequest) => request.routeOptions.url !== undefined && accessOf(request) === 'public'

/** Reading is for viewers, anything else for operators, unless a route says otherwise. */
const accessOf = ({ method, routeOptions }: FastifyRequest): RouteAccess =>
  routeOptions.config.access ?? (SAFE_METHODS.has(method) ? 'viewer' : 'operator')
