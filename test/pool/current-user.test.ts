import { expect, it } from 'vitest'
import { takeTurns } from '../../src/cli/service/create-pages.js'
import { currentCaller } from '../../src/pool/current-user.js'
import type { WebPlugin } from '../../src/web/plugin.js'
import { webApp } from '../web/support/web-app.js'

const TOKENS = ['ana', 'ben'].map((name) => ({ name, role: 'operator' as const, token: `the token of ${name}` }))

/** Answers with the user whose turn a query would need, and whether it ends with the request, once something was waited for. */
const routes: WebPlugin = (scope) => {
  takeTurns(scope)
  const answer = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    const { user, signal } = currentCaller()
    return { user, ends: signal !== null }
  }
  scope.get('/turn', answer)
  scope.post('/turn', answer)
}

it('requests are in the turn of the user who sent them; what a read starts ends with it, and what another request orders does not', async () => {
  const app = await webApp({ tokens: TOKENS, plugins: [routes] })
  const users = await Promise.all(
    TOKENS.flatMap(({ token }) =>
      (['GET', 'POST'] as const).map(async (method) => {
        const headers = { authorization: `Bearer ${token}` }
        const payload = method === 'POST' ? { payload: { some: 'body' } } : {}
        return (await app.inject({ method, url: '/turn', headers, ...payload })).json()
      }),
    ),
  )
  const expected = TOKENS.flatMap(({ name: user }) => [true, false].map((ends) => ({ user, ends })))
  expect(users).toEqual(expected)
  expect(currentCaller().user).toBe('quotekeeper')
})
