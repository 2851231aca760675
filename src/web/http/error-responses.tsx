import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Layout } from '../components/layout.js'
import { HttpError, toHttpError } from './errors.js'
import { sendPage, wantsPage } from './html.js'

/**
 * Answers errors as `{"error": message}`, and as a page in a browser, which is sent to the sign-in page if that helps.
 * Details of unexpected errors go to the log only.
 */
export function addErrorResponses(app: FastifyInstance, onError: (error: unknown) => void): void {
  app.setErrorHandler((cause: Error, request, reply) => {
    const { statusCode, message, headers } = toHttpError(cause, onError)
    reply.headers(headers)
    if (statusCode === 401 && app.access.hasSignIn && wantsPage(request) && request.method !== 'POST')
      return reply.redirect(`/sign-in?next=${encodeURIComponent(request.url)}`, 303)
    return sendError(request, reply.code(statusCode), message)
  })
  app.setNotFoundHandler(async (request) => {
    if (!request.url.startsWith('/')) throw new HttpError(400, 'invalid request address')
    throw new HttpError(404, wantsPage(request) ? 'there is no page at this address' : 'not found')
  })
}

const sendError = (request: FastifyRequest, reply: FastifyReply, message: string) =>
  wantsPage(request)
    ? sendPage(
        reply,
        <ErrorPage
          request={request}
          status={reply.statusCode}
          message={`${message[0]?.toUpperCase()}${message.slice(1)}.`}
        />,
      )
    : // As text, because Fastify would serialize an object in another way for an unknown path.
      reply.type('application/json; charset=utf-8').send(`${JSON.stringify({ error: message })}\n`)

/** What went wrong with a request, in a browser; with the navigation for whoever may use it. */
function ErrorPage({ request, status, message }: { request: FastifyRequest; status: number; message: string }) {
  const { user, session } = request
  const frame = user && { user, canSignOut: session !== null, freshness: [], waiting: null, now: new Date() }
  return (
    <Layout title={TITLES[status] ?? 'Something went wrong'} frame={frame}>
      <div class="card narrow">
        <h1>{TITLES[status] ?? 'Something went wrong'}</h1>
        <p class="prose">{message}</p>
        <p>
          <a href="/">Go to Today</a>
        </p>
      </div>
    </Layout>
  )
}

const TITLES: Record<number, string> = {
  400: 'This request is not valid',
  403: 'Not allowed',
  404: 'Not found',
  429: 'Too many requests',
}
