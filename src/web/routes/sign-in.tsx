import { SESSION_HOURS } from '../access/sessions.js'
import { Notice } from '../components/format.js'
import { Layout } from '../components/layout.js'
import { HttpError } from '../http/errors.js'
import { sendPage } from '../http/html.js'
import type { WebPlugin } from '../plugin.js'

/** `/sign-in` and `/sign-out`: exchanges a token for a browser session. Absent if no tokens are configured. */
export const signInRoutes: WebPlugin = (app) => {
  const { access } = app
  if (!access.hasSignIn) return
  const { name, attributes } = access.cookie
  app.get('/sign-in', { config: { access: 'public' } }, (request, reply) => {
    const { next } = request.query as { next?: unknown }
    return sendPage(reply, <SignInPage next={localPath(next)} message={null} />)
  })
  app.post('/sign-in', { config: { access: 'public' } }, async (request, reply) => {
    const { token, next } = Object(request.body) as { token?: unknown; next?: unknown }
    try {
      const { id } = await access.signIn(request, typeof token === 'string' ? token.trim() : '')
      reply.setCookie(name, id, { ...attributes, maxAge: SESSION_HOURS * 3600 })
    } catch (error) {
      if (!(error instanceof HttpError)) throw error
      const message = error.statusCode === 401 ? 'No user has this token.' : `${error.message}.`
      reply.code(error.statusCode).headers(error.headers)
      return sendPage(reply, <SignInPage next={localPath(next)} message={message} />)
    }
    return reply.redirect(localPath(next), 303)
  })
  app.post('/sign-out', { config: { access: 'viewer' } }, (request, reply) => {
    access.signOut(request)
    return reply.clearCookie(name, attributes).redirect('/sign-in', 303)
  })
}

/** A path on this server: prevents open redirects by forged links. */
export function localPath(next: unknown): string {
  const base = 'http://localhost'
  if (typeof next !== 'string' || !next.startsWith('/') || !URL.canParse(next, base)) return '/'
  const { origin, pathname, search } = new URL(next, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search : '/'
}

/** Asks for a token. */
function SignInPage({ next, message }: { next: string; message: string | null }) {
  return (
    <Layout title="Sign in">
      <div class="card narrow">
        <h1>Sign in</h1>
        {message !== null && <Notice tone="bad">{message}</Notice>}
        <form method="post" action="/sign-in">
          <input type="hidden" name="next" value={next} />
          <div class="field">
            <label for="token">Access token</label>
            <input id="token" name="token" type="password" autocomplete="current-password" required autofocus />
          </div>
          <p class="muted small">Your operator has it: it is one of web.tokens, or web.token, in the configuration.</p>
          <button type="submit" class="primary">
            Sign in
          </button>
        </form>
      </div>
    </Layout>
  )
}
