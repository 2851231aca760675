import { existsSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { queueBoard } from '../../src/web/queue-board.js'
import type { ServerOptions } from '../../src/web/server.js'
import { longIt } from '../helpers/long-tests.js'
import { recordingHandlers } from '../helpers/recording-handlers.js'
import { redisSkipReason } from '../helpers/servers/private-redis.js'
import { type RedisRunners, useRedisRunners } from '../helpers/servers/redis-runners.js'
import { webApp } from './support/web-app.js'

const CHROMIUM = '/usr/bin/chromium'
const isMissing = redisSkipReason !== null || (!existsSync(CHROMIUM) && process.env.CI !== 'true')
const TOKENS: ServerOptions['tokens'] = [
  { name: 'ana', role: 'viewer', token: 'token of ana' },
  { name: 'omar', role: 'operator', token: 'token of omar' },
]

/** bull-board over a queue on a real Redis, with a job that was done and one that failed. */
async function openBoard({ open }: RedisRunners) {
  const runner = await open()
  const { handlers } = recordingHandlers()
  const failing = () => Promise.reject(new Error('disk full; a secret'))
  await runner.work({ ...handlers, 'channel-report': failing })
  const payload = { channel: 'acme/forest', cause: 'tick' }
  await runner.enqueue('poll-rfqs', payload, 'poll-1')
  await runner.enqueue('channel-report', payload, 'report-1')
  await expect.poll(async () => (await runner.job('report-1'))?.state, { interval: 20, timeout: 20_000 }).toBe('failed')
  if (runner.redisQueue === null) throw new Error('no queue on Redis')
  // A secret that is found within every time in milliseconds.
  const digits = String(Date.now()).slice(0, 8)
  const scrub = (text: string) => text.replaceAll('a secret', '[secret]').replaceAll(digits, '[secret]')
  const errors: unknown[] = []
  const app = await webApp({
    tokens: TOKENS,
    plugins: [queueBoard(runner.redisQueue, { scrub })],
    onError: (error) => errors.push(error),
  })
  return { app, runner, errors }
}

describe.skipIf(isMissing)('bull-board', () => {
  const runners = useRedisRunners()

  longIt(
    'renders in Chromium without anything from elsewhere, and shows jobs and their errors without secrets',
    async () => {
      const { app } = await openBoard(runners)
      await app.listen({ host: '127.0.0.1', port: 0 })
      const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
      const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
      onTestFinished(() => browser.close())
      const page = await browser.newPage({ baseURL: base })
      const complaints: string[] = []
      page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('request', (request) => {
        if (!request.url().startsWith(base) && !request.url().startsWith('data:')) complaints.push(request.url())
      })
      await page.goto('/queue')
      expect(new URL(page.url()).pathname).toBe('/sign-in')
      await page.getByLabel('Access token').fill('token of ana')
      await page.keyboard.press('Enter')
      await page.getByText('jobs').first().waitFor({ timeout: 10_000 })
      await page.goto('/queue/queue/jobs?status=failed')
      await page.getByText('channel-report').first().waitFor({ timeout: 10_000 })
      await page.getByText('disk full; [secret]').first().waitFor()
      expect(complaints).toEqual([])
    },
  )

  it('changes nothing, whoever asks, and answers like other pages without a user or without Redis', async () => {
    const { app, runner, errors } = await openBoard(runners)
    const as = (name: string) => ({ authorization: `Bearer token of ${name}` })
    const read = await app.inject({ url: '/queue/api/queues?activeQueue=jobs&status=failed', headers: as('ana') })
    expect(read.json().queues[0]).toMatchObject({
      name: 'jobs',
      readOnlyMode: true,
      counts: { failed: 1, completed: 1 },
    })
    expect(read.body).toContain('disk full; [secret]')
    expect(read.body).not.toContain('bullmq-runner')
    expect((await app.inject('/queue/api/queues')).statusCode).toBe(401)
    expect((await app.inject({ url: '/queue/static/../../package.json', headers: as('ana') })).statusCode).toBe(404)
    const base = '/queue/api/queues/jobs'
    for (const path of [
      '/report-1/retry',
      '/retry/failed',
      '/empty',
      '/obliterate',
      '/pause',
      '/add',
      '/report-1/clean',
    ])
      for (const method of ['PUT', 'POST', 'DELETE', 'PATCH'] as const) {
        const answer = await app.inject({ method, url: base + path, headers: as('omar'), payload: {} })
        expect([path, method, [404, 405].includes(answer.statusCode)]).toEqual([path, method, true])
      }
    expect((await runner.jobs(10)).map(({ id, state }) => [id, state])).toEqual([
      ['poll-1', 'completed'],
      ['report-1', 'failed'],
    ])
    expect(errors).toEqual([])
    await runners.redis.kill()
    const down = await app.inject({ url: '/queue/api/queues', headers: as('ana') })
    expect([down.statusCode, down.json()]).toEqual([503, { error: 'the queue does not answer; try again later' }])
    expect(errors).toEqual([])
  })
})
