import { describe, expect, it } from 'vitest'
import { QueueUnavailableError } from '../jobs/errors.js'
import type { LogLevel } from '../src/config/log-levels.js'
import { collectSecrets, createLog } from '../src/log.js'
import { DatabaseUnavailableError, StoreError } from '../src/store/errors.js'
import { LOCAL_WEB, testConfig } from './helpers/test-config.js'
import { email, TAKES_ALL, webhook } from './notify/feed-fixture.js'

const SECRET = 'k"ey\\0123/+= 456'

/** What the log writes. */
async function textOf(
  write: (log: Awaited<ReturnType<typeof createLog>>) => void,
  options: { pretty?: boolean; level?: LogLevel; secrets?: string[] } = {},
) {
  let text = ''
  const out = { write: (line: string) => (text += line) }
  write(await createLog({ level: 'info', out, pretty: false, colour: false, secrets: [SECRET], ...options }))
  return text
}

describe('log', () => {
  it('writes one JSON object per line, whose keys, level and time stay, whatever the secrets are', async () => {
    const secrets = ['a', 'seen', 'attempts', 'notification', '20261121']
    const text = await textOf(
      (log) => {
        log.info({ attempts: 3, seen: 20261121, of: 'notification' }, 'seen a notification')
        log.debug('below the level')
      },
      { secrets },
    )
    expect(text.endsWith('\n')).toBe(true)
    expect(JSON.parse(text)).toMatchObject({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      attempts: 3,
      seen: '[secret]',
      of: '[secret]',
      msg: 'seen a [secret]',
    })
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
    expect((await textOf(write, { pretty })).match(messages)).toEqual(['third'])
    expect((await textOf(write, { pretty, level: 'debug' })).match(messages)).toEqual(['first', 'second', 'third'])
  })

  it.each([false, true])('redacts secrets in messages, keys, values and errors (pretty: %s)', async (pretty) => {
    const text = await textOf(
      (log) => {
        log.info(`message with ${SECRET}`)
        log.info({ Authorization: SECRET, deep: [{ [SECRET]: 1 }], json: JSON.stringify({ key: SECRET }) })
        log.error(new Error(`failed with ${SECRET}`, { cause: new Error(encodeURIComponent(SECRET)) }))
      },
      { pretty },
    )
    expect(text).not.toContain('0123')
    expect(text.match(/\[secret\]/g)?.length).toBeGreaterThanOrEqual(6)
  })

  it('has one line per event on a terminal, with the time zone and the message of an error', async () => {
    const text = await textOf(
      (log) => {
        log.info({ channel: 'acme/forest', seen: 3, error: null }, 'polled')
        log.error({ err: new Error('no connection') }, 'poll failed')
      },
      { pretty: true },
    )
    const [polled = '', failed = '', ...more] = text.split('\n')
    expect(polled).toMatch(
      /^\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\] INFO: polled \{"channel":"acme\/forest","seen":3\}$/,
    )
    expect(failed).toMatch(/ERROR: poll failed \{"err":"no connection"\}$/)
    expect(more).toEqual([''])
  })

  it('removes characters that control the terminal, hide or reorder text, and shows a written-out escape as it is', async () => {
    const title = '\u001b[2Jgone\u0007\u009b31m gpj\u202e.exe\u200b\ufeff'
    const text = await textOf((log) => log.info({ title }, 'seen \u001b]0;title\u0007, a literal \\u001b"'), {
      pretty: true,
    })
    for (const shown of ['gone', 'gpj.exe', 'INFO', 'a literal \\u001b"']) expect(text).toContain(shown)
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  })
})

describe('secrets of a configuration', () => {
  it('are the API keys, the web tokens and the passwords of the queue and the database', () => {
    const channel = { org: 'a', channel: 'b', key: 'a/b', autoClose: 'on', timeZone: 'UTC', graceHours: 0 } as const
    const web = {
      ...{ ...LOCAL_WEB, token: 'token-1', proxySecret: 'proxy-1' },
      tokens: [{ name: 'ana', role: 'viewer', token: 'token-2' } as const],
    }
    const secretsOf = (queue: string, database = '/data/quotekeeper.db', channels = ['key-1', '']) =>
      collectSecrets({
        ...{ web, queue: { kind: 'redis', url: queue }, database },
        ...{ channels: channels.map((apiKey) => ({ ...channel, apiKey })), notify: testConfig().notify },
      })
    const [key, ...tokens] = ['key-1', 'token-1', 'proxy-1', 'token-2']
    const queue = 'redis://me:p%40ss@host'
    expect(secretsOf(queue)).toEqual([key, ...tokens, 'p@ss'])
    const database = 'postgres://a-long-user-name:d%40tabase@host/db?schema=x'
    expect(secretsOf(queue, database)).toEqual([key, ...tokens, 'p@ss', 'd@tabase'])
    for (const [url, secret] of [
      ['redis://a-token-as-user-name@host/1', 'a-token-as-user-name'],
      ['rediss://me@host/1?password=p%20w&family=6', 'p w'],
      ['redis://me:100%@host/1', '100%'],
    ] as const)
      expect(secretsOf(url, undefined, [])).toEqual([...tokens, secret])
  })

  it('are also the paths of chat webhooks, signing keys and mail passwords, but no plain address of a webhook', () => {
    const chat = (type: 'slack' | 'teams', url: string) => ({ name: 'chat', ...TAKES_ALL, type, url })
    const hook = (url: string, secret: string, isUrlSecret = false) => webhook(url, 'crm', { secret, isUrlSecret })
    const smtp = { host: 'mail', port: 587, security: 'starttls', user: 'me', password: 'mail-pass' } as const
    const targets = [
      chat('slack', 'https://hooks.slack.example/T1/B2/abc'),
      chat('teams', 'https://hooks.example/'),
      hook('https://crm.example/quotekeeper', 'whsec_c2VjcmV0'),
      hook('https://crm.example/in?token=t0', 'whsec_a2V5'),
      hook('https://crm.example/hook/S3CRET', '', true),
      chat('slack', 'https://hooks.slack.example/services/T1/0123456789abcdefghij'),
      email({ smtp }),
    ]
    const notify = { ...testConfig().notify, targets }
    expect(collectSecrets({ ...testConfig({ channels: [] }), notify })).toEqual([
      ...['/T1/B2/abc', 'whsec_c2VjcmV0', 'c2VjcmV0', '/in?token=t0', 'whsec_a2V5', 'a2V5', '/hook/S3CRET'],
      ...['/services/T1/0123456789abcdefghij', '0123456789abcdefghij', 'mail-pass'],
    ])
  })
})
