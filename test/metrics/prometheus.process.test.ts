import { execFile, spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { freePort } from '../helpers/servers/private-redis.js'
import { openProcessFixture } from '../helpers/servers/process-fixture.js'
import { testFolder } from '../helpers/test-folder.js'

const ALERTS = resolve(import.meta.dirname, '../../docs/ops/alerts.yaml')
const TOKEN = 'open-sesame-and-more'
const isInstalled = ['prometheus', 'promtool'].every((name) => spawnSync(name, ['--version']).status === 0)
const run = promisify(execFile)

/** Starts Prometheus with the alert rules of docs/ops; returns a function that sends a query to its API. */
async function startPrometheus(target: string, tokenFile: string) {
  const folder = testFolder()
  const config = readFileSync(resolve(ALERTS, '../prometheus.yaml'), 'utf8')
    .replace('alerts.yaml', ALERTS)
    .replace('scrape_interval: 30s', 'scrape_interval: 1s\n  evaluation_interval: 1s')
    .replace('# authorization:', 'authorization:')
    .replace(/#( +credentials_file: ).*/, (_line, key) => ` ${key}${tokenFile}`)
    .replace('127.0.0.1:4780', target)
  writeFileSync(join(folder, 'prometheus.yaml'), config)
  await run('promtool', ['check', 'config', join(folder, 'prometheus.yaml')])
  const port = await freePort()
  const child = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: 'ignore' },
  )
  const ended = new Promise((settle) => child.once('close', settle))
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await ended
  })
  const get = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
    return ((await response.json()) as { data: unknown }).data
  }
  return {
    get,
    query: async (expression: string) => {
      const { result } = (await get(`query?query=${encodeURIComponent(expression)}`)) as {
        result: { metric: Record<string, string>; value: [number, string] }[]
      }
      return result.map(({ value: [, value] }) => Number(value))
    },
  }
}

// In CI it is installed, and the tests fail without it.
describe.skipIf(!isInstalled && process.env.CI !== 'true')('Prometheus', () => {
  it('accepts the alert rules, and each fires when it should', async () => {
    await run('promtool', ['check', 'rules', ALERTS])
    await run('promtool', ['test', 'rules', resolve(import.meta.dirname, 'alerts.test.yaml')])
  })

  it('scrapes a running service with its token, and evaluates the rules', async () => {
    const fixture = await openProcessFixture({
      rfqs: 3,
      more: 'web: { port: 0, token: { file: token } }\nschedule: { rfqs: "0 0 29 2 *", listings: "0 0 29 2 *", closeExpired: "* * * * * *" }\n',
    })
    const tokenFile = join(fixture.folder, 'token')
    writeFileSync(tokenFile, TOKEN, { mode: 0o600 })
    const service = fixture.start(['start'])
    await eventually(() => expect(service.out).toContain('quotekeeper started'))
    const { url } = JSON.parse(service.out.split('\n').find((line) => line.includes('quotekeeper started')) as string)
    expect((await fetch(`${url}/metrics`)).status).toBe(401)
    const prometheus = await startPrometheus(new URL(url).host, tokenFile)
    await eventually(async () => {
      expect(await prometheus.query('up{job="quotekeeper"}')).toEqual([1])
      expect(await prometheus.query('quotekeeper_rfqs{channel="acme/forest",state="closed"}')).toEqual([3])
      expect(await prometheus.query('sum(quotekeeper_closings_total{outcome="closed"})')).toEqual([3])
    }, 500)
    expect(await prometheus.query('quotekeeper_metrics_source_up')).toEqual([1, 1])
    const { groups } = (await prometheus.get('rules')) as { groups: { rules: { health: string; state: string }[] }[] }
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBeGreaterThan(10)
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([])
    const text = await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
    expect(text).not.toMatch(/key-of-acme|open-sesame/)
  })
})
