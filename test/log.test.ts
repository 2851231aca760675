import { describe, expect, it } from 'vitest'
import { QueueUnavailableError } from '../jobs/errors.js'
import type { LogLevel } from '../src/config/log-levels.js'
import { collectSecrets, createLog } from '../src/log.js'
import { DatabaseUnavailableError, StoreError } from '../src/store/errors.js'
import { LOCAL_WEB, testConfig } from './helpers/test-config.js'
import { TAKES_ALL } from './notify/feed-fixture.js'

const SECRET = 'k"ey\\0123/+= 456'

async function textOf(
  write: (log: Awaited<ReturnType<typeof createLog>>) => void,
  pretty = false,
  level: LogLevel = 'info',
) {
  let text = ''
  const out = { write: (line: string) => (text += line) }
  write(await createLog({ level, out, pretty, colour: false, secrets: [SECRET] }))
  return text
}

describe('log', () => {
  it('writes one JSON object per line, with level name and ISO time', async () => {
    const text = await textOf((log) => {
      log.info({ channel: 'acme/forest', seen: 3 }, 'polled')
      log.debug('below the level')
    })
    expect(text.endsWith('\n')).toBe(true)
    expect(JSON.parse(text)).toMatchObject({ level: 'info', channel: 'acme/forest', seen: 3, msg: 'polled' })
    expect(JSON.parse(text).time).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  it.each([false, true])('shows what fails because of an outage at debug only (pretty: %s)', async (pretty) => {
    const { name, message } = new DatabaseUnavailableError('away')
    const write: Parameters<typeof textOf>[0] = (log) => {
      log.error({ err: new QueueUnavailableError('away') }, 'first')
      // As a worker thread sends it.
      log.warn({ err: Object.assign(new Error(message), { name }) }, 'second')
      log.warn({ err: new StoreError('"name":"DatabaseUnavailableError"') }, 'third')
    }
    const messages = /first|second|third/g
    expect((await textOf(write, pretty)).match(messages)).toEqual(['third'])
    expect((await textOf(write, pretty, 'debug')).match(messages)).toEqual(['first', 'second', 'third'])
  })

  it.each([false, true])('redacts secrets in messages, keys, values and errors (pretty: %s)', async (pretty) => {
    const text = await textOf((log) => {
      log.info(`message with ${SECRET}`)
      log.info({ Authorization: SECRET, deep: [{ [SECRET]: 1 }], json: JSON.stringify({ key: SECRET }) })
      log.error(new Error(`failed with ${SECRET}`, { cause: new Error(encodeURIComponent(SECRET)) }))
    }, pretty)
    expect(text).not.toContain('0123')
    expect(text.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(6)
  })

  it('has one line per event on a terminal, with the time zone and the message of an error', async () => {
    const text = await textOf((log) => {
      log.info({ channel: 'acme/forest', seen: 3, error: null }, 'polled')
      log.error({ err: new Error('no connection') }, 'poll failed')
    }, true)
    const [polled = '', failed = '', ...more] = text.split('\n')
    expect(polled).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\] INFO: polled \{"channel":"acme\/forest","seen":3\}$/,
    )
    expect(failed).toMatch(/ERROR: poll failed \{"err":"no connection"\}$/)
    expect(more).toEqual([''])
  })

  it('is still valid JSON after a secret was redacted', async () => {
    const text = await textOf((log) => log.info({ a: SECRET }, 'redacted'))
    expect(JSON.parse(text)).toMatchObject({ a: '[secret]', msg: 'redacted' })
  })

  it('keeps its keys, level and time, whatever the secrets are, and ordinary words that are short secrets', async () => {
    let text = ''
    const out = { write: (line: string) => (text += line) }
    const secrets = ['a', 'seen', 'attempts', 'notification', '20261121']
    const log = await createLog({ level: 'info', out, pretty: false, colour: false, secrets })
    log.info({ attempts: 3, seen: 20261121, of: 'notification' }, 'seen a notification')
    expect(JSON.parse(text)).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-/),
      attempts: 3,
      seen: '[secret]',
      of: '[secret]',
      msg: 'seen a [secret]',
    })
  })

  it('removes control characters, so that outside text cannot control the terminal', async () => {
    const text = await textOf(
      (log) => log.info({ title: '\u001b[2Jgone\u0007\u009b31m' }, 'seen \u001b]0;title\u0007'),
      true,
    )
    expect(text).toContain('gone')
    expect([...text].filter((character) => /\p{Cc}/u.test(character) && character !== '\n')).toEqual([])
  })

  it('removes characters that hide or reorder text on a terminal, and shows a written-out escape as it is', async () => {
    const text = await textOf((log) => log.info({ title: 'gpj\u202e.exe\u200b\ufeff' }, 'a literal \\u001b"'), true)
    expect(text).toContain('gpj.exe')
    expect(text).not.toMatch(/\p{Cf}/u)
    expect(text).toContain('INFO')
    expect(text).toContain('a literal \\u001b"')
  })
})

describe('secrets of a configuration', () => {
  it('are the API keys, the web tokens and the passwords of the queue and the database', () => {
    const channel = { org: 'a', channel: 'b', key: 'a/b', autoClose: 'on', timeZone: 'UTC', graceHours: 0 } as const
    const config = {
      channels: [
        { ...channel, apiKey: 'key-1' },
        { ...channel, apiKey: '' },
      ],
      web: {
        ...{ ...LOCAL_WEB, token: 'token-1', proxySecret: 'proxy-1' },
        tokens: [{ name: 'ana', role: 'viewer', token: 'token-2' } as const],
      },
      queue: { kind: 'redis', url: 'redis://me:p%40ss@host' } as const,
      database: '/data/quotekeeper.db',
      notify: { targets: [], routes: [], dueSoonDays: 3 },
    }
    expect(collectSecrets(config)).toEqual(['key-1', 'token-1', 'proxy-1', 'token-2', 'p@ss'])
    const of = (url: string) => collectSecrets({ ...config, channels: [], queue: { kind: 'redis', url } })
    expect(of('redis://a-token-as-user-name@host/1')).toEqual(['token-1', 'proxy-1', 'token-2', 'a-token-as-user-name'])
    expect(of('rediss://me@host/1?password=p%20w&family=6')).toEqual(['token-1', 'proxy-1', 'token-2', 'p w'])
    expect(of('redis://me:100%@host/1')).toEqual(['token-1', 'proxy-1', 'token-2', '100%'])
    const database = 'postgres://a-long-user-name:d%40tabase@host/db?schema=x'
    expect(collectSecrets({ ...config, database })).toEqual([
      'key-1',
      'token-1',
      'proxy-1',
      'token-2',
      'p@ss',
      'd@tabase',
    ])
  })

  it('are also the paths of chat webhooks, signing keys and mail passwords, but no plain address of a webhook', () => {
    const smtp = { host: 'mail', port: 587, security: 'starttls', user: 'me', password: 'mail-pass' } as const
    const { targets, ...rest } = testConfig().notify
    const secrets = collectSecrets({
      ...testConfig({ channels: [] }),
      notify: {
        ...rest,
        targets: [
          ...targets,
          { name: 'a', ...TAKES_ALL, type: 'slack', url: 'https://hooks.slack.example/T1/B2/abc' },
          { name: 'e', ...TAKES_ALL, type: 'teams', url: 'https://hooks.example/' },
          {
            name: 'b',
            ...TAKES_ALL,
            type: 'webhook',
            url: 'https://crm.example/quotekeeper',
            isUrlSecret: false,
            secret: 'whsec_c2VjcmV0',
          },
          {
            name: 'c',
            ...TAKES_ALL,
            type: 'webhook',
            url: 'https://crm.example/in?token=t0',
            isUrlSecret: false,
            secret: 'whsec_a2V5',
          },
          {
            name: 'f',
            ...TAKES_ALL,
            type: 'webhook',
            url: 'https://crm.example/hook/S3CRET',
            isUrlSecret: true,
            secret: '',
          },
          {
            name: 'g',
            ...TAKES_ALL,
            type: 'slack',
            url: 'https://hooks.slack.example/services/T1/0123456789abcdefghij',
          },
          {
            name: 'd',
            ...TAKES_ALL,
            type: 'email',
            smtp,
            from: 'a@b',
            to: ['c@d'],
            digest: null,
            attachWorkbook: false,
          },
        ],
      },
    })
    expect(secrets).toEqual([
      '/T1/B2/abc',
      'whsec_c2VjcmV0',
      'c2VjcmV0',
      '/in?token=t0',
      'whsec_a2V5',
      'a2V5',
      '/hook/S3CRET',
      '/services/T1/0123456789abcdefghij',
      '0123456789abcdefghij',
      'mail-pass',
    ])
  })
})
