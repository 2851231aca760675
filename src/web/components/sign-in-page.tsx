import { Notice } from './format.js'
import { Layout } from './layout.js'

/** Asks for a token. */
export function SignInPage({ next, message }: { next: string; message: string | null }) {
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
