import { expect, it } from 'vitest'
import { StoreError } from '../../src/store/errors.js'
import { sendError } from '../../src/web/api/api-routes.js'
import { webApp } from './support/web-app.js'

it('pages and the API answer 503 while the database cannot be used, and log why', async () => {
  const logged: unknown[] = []
  const onError = (error: unknown) => logged.push((error as Error).message)
  const app = await webApp({
    onError,
    plugins: [
      async (routes) => {
        const fail = (name: string) => Object.assign(new StoreError('the address of the server'), { name })
        routes.get('/page/:name', async ({ params }) => {
          throw fail((params as { name: string }).name)
        })
        routes.get('/operation/:name', (request, reply) =>
          sendError(reply, fail((request.params as { name: string }).name), onError),
        )
      },
    ],
  })
  for (const path of ['page', 'operation']) {
    for (const name of ['StoreError', 'UnusableDatabaseError', 'UnknownCommitError']) {
      const { statusCode, body } = await app.inject(`/${path}/${name}`)
      expect([statusCode, body]).toEqual([503, expect.stringContaining('the database cannot be used at the moment')])
      expect(body).not.toContain('the address of the server')
    }
    expect((await app.inject(`/${path}/RunBusyError`)).statusCode).toBe(500)
  }
  expect(logged).toEqual(Array(8).fill('the address of the server'))
})
