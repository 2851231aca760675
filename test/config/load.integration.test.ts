import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/config-error.js'
import { exampleConfig, exampleEnv } from '../../src/config/example.js'
import { loadConfig } from '../../src/config/load.js'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'
import { testFolder } from '../helpers/test-folder.js'

let folder: string
beforeEach(() => {
  folder = testFolder()
})

const KEY = 'k-0123456789'
const TOKEN = 'a-token-of-24-characters'
const PASSWORD = 'a/b?c#d@e:f%20 "g'
const CHANNEL = `  - org: acme
    channel: forest
    apiKey: { env: ACME_API_KEY }
    autoClose: on
`
const MINIMAL = `baseUrl: https://marketplace.example.com
channels:
${CHANNEL}`

/** The minimal configuration with lines `key: value`, each in place of the line with this key, if there is one. */
const withLines = (lines: string) =>
  lines.split('\n').reduce((text, line) => {
    const existing = new RegExp(`^( +(- )?)?${line.split(':')[0]}:.*$`, 'm')
    return existing.test(text) ? text.replace(existing, (_, indent = '') => indent + line) : `${text}${line}\n`
  }, MINIMAL)

const write = (text: string, name = 'quotekeeper.yaml') => writeFileSync(join(folder, name), text)

type Env = Record<string, string>

function load(text: string, env: Env = {}, options: { set?: string[]; secrets?: 'if-set' } = {}) {
  write(text)
  return loadConfig({ cwd: folder, env: { ACME_API_KEY: KEY, ...env }, ...options })
}

const read = (lines: string, env?: Env) => load(withLines(lines), env)

function issuesOf(...args: Parameters<typeof load>) {
  try {
    load(...args)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).issues
  }
  throw new Error('the configuration was accepted')
}

describe('the configuration file', () => {
  it('must be UTF-8: UTF-16, with or without a byte order mark, is named as such', () => {
    for (const bytes of [Buffer.from(`\ufeff${MINIMAL}`, 'utf16le'), Buffer.from(MINIMAL, 'utf16le').swap16()]) {
      writeFileSync(join(folder, 'quotekeeper.yaml'), bytes)
      expect(() => loadConfig({ cwd: folder, env: { ACME_API_KEY: KEY } })).toThrow('Expected text in UTF-8')
    }
    expect(load(`\ufeff${MINIMAL}`).channels).toHaveLength(1)
  })

  it('is found by --config, else by $QUOTEKEEPER_CONFIG, else in the working folder', () => {
    write(MINIMAL)
    write(MINIMAL, 'other.yaml')
    const env = { ACME_API_KEY: KEY }
    expect(loadConfig({ cwd: folder, env }).file).toBe(join(folder, 'quotekeeper.yaml'))
    const other = join(folder, 'other.yaml')
    expect(loadConfig({ cwd: folder, env: { ...env, QUOTEKEEPER_CONFIG: 'other.yaml' } }).file).toBe(other)
    const both = { ...env, QUOTEKEEPER_CONFIG: 'nowhere.yaml' }
    expect(loadConfig({ cwd: '/', file: other, env: both }).file).toBe(other)
  })

  it('is suggested to be made by `quotekeeper init` if it does not exist', () => {
    const load = () => loadConfig({ cwd: folder, env: {} })
    expect(load).toThrow(join(folder, 'quotekeeper.yaml'))
    expect(load).toThrow('quotekeeper init')
  })
})

const user = (name = 'ana', token = 'T') => `{ name: ${name}, role: viewer, token: { env: ${token} } }`
const SERVER = 'postgres://quotekeeper@host:5433/desk?schema=acme'

describe('valid settings', () => {
  it.each<[lines: string, config: object, env?: Env]>([
    [
      'closing:\nreports: { exchangeRates:, requirements: }',
      { closing: { maxPerRun: 25 }, reports: { settings: DEFAULT_SETTINGS } },
    ],
    ['autoClose: ON', { channels: [{ autoClose: 'on' }] }],
    ['autoClose: true', { channels: [{ autoClose: 'on' }] }],
    [
      'autoClose: off\nclosing: { enabled: off, reportOnClose: no }',
      { channels: [{ autoClose: 'off' }], closing: { enabled: false, reportOnClose: false } },
    ],
    [
      'schedule: { listings: null, rfqs: "*/10 * * * * *" }',
      { schedule: { listings: null, rfqs: '*/10 * * * * *', closeExpired: '*/10 * * * *' } },
    ],
    ['baseUrl: http://localhost/market/', { baseUrl: 'http://localhost/market' }],
    ['queue: rediss://u:p@redis.example.com', { queue: { kind: 'redis' } }],
    ['database: postgresql://host/desk', { database: 'postgresql://host/desk' }],
    ['database: postgres://me:p%2Fw@host/desk', { database: 'postgres://me:p%2Fw@host/desk' }],
    [
      'reports: { requirements: { notExpired: off } }',
      { reports: { settings: { requirements: { notExpired: 'off', priceMax: 'hard' } } } },
    ],
    [
      `web: { host: 0.0.0.0, tokens: [${user()}] }`,
      { web: { token: null, tokens: [{ name: 'ana', role: 'viewer', token: TOKEN }] } },
      { T: TOKEN },
    ],
    ['web: { host: 0.0.0.0, token: { env: T } }', { web: { token: TOKEN } }, { T: TOKEN }],
    ['web: { host: "::1", token: { env: T } }', { web: { token: null } }],
    [
      'web: { trustedUserHeader: X-User, proxySecret: { env: T }, publicUrl: "https://Quotes.example.com:8443/" }',
      { web: { trustedUserHeader: 'X-User', proxySecret: TOKEN, publicUrl: 'https://quotes.example.com:8443' } },
      { T: TOKEN },
    ],
    ['web: { publicUrl: "http://localhost:8080" }', { web: { publicUrl: 'http://localhost:8080' } }],
    [
      'logLevel: info',
      { baseUrl: 'http://localhost:9', database: SERVER, queue: { kind: 'redis' }, logLevel: 'debug' },
      {
        QUOTEKEEPER_BASE_URL: 'http://localhost:9',
        QUOTEKEEPER_DATABASE: SERVER,
        QUOTEKEEPER_QUEUE: 'redis://localhost',
        QUOTEKEEPER_LOG_LEVEL: 'debug',
      },
    ],
    ['logLevel: null', { channels: [{ apiKey: KEY }] }, { HTTPS_PROXY: 'http://user:password@proxy:3128' }],
  ])('%s', (lines, expected, env) => {
    expect(read(lines, env)).toMatchObject(expected)
  })

  it('are those of the example, which shows the defaults', () => {
    write(exampleEnv().replace('ACME_API_KEY=', `ACME_API_KEY=${KEY}`), '.env')
    const example = load(exampleConfig())
    expect(read(`baseUrl: ${example.baseUrl}\nautoClose: dry-run`)).toEqual(example)
  })

  it('have paths that are resolved against the folder of the file', () => {
    const { database, reports } = load(MINIMAL)
    expect([database, reports.directory]).toEqual([join(folder, 'data/quotekeeper.db'), join(folder, 'data/reports')])
    expect(read('database: some/where.db').database).toBe(join(folder, 'some/where.db'))
    expect(load(MINIMAL, { QUOTEKEEPER_DATABASE: 'elsewhere.db' }).database).toBe(join(folder, 'elsewhere.db'))
  })

  it('take exchange rates from the file, an address or both, and name an address in reports without its token', () => {
    const name = 'https://rates.example.com/hist.zip'
    const url = `${name}?token=s3cret`
    const from = (exchangeRates: string) => {
      const { rates, reports } = read(`reports: { currency: EUR, exchangeRates: ${exchangeRates} }`)
      expect(JSON.stringify(reports)).not.toContain('s3cret')
      return [rates, reports.settings.ratesFrom, reports.settings.exchangeRates]
    }
    const usd = { USD: { rate: 0.9, date: null, source: null } }
    const gbp = { GBP: { rate: 1.2, date: '2026-01-31', source: 'ECB' } }
    const source = { kind: 'url', url, name }
    expect(from('{ from: null, USD: 0.9 }')).toEqual([null, null, usd])
    expect(from('{ GBP: { rate: 1.2, date: 2026-01-31, source: ECB } }')).toEqual([null, null, gbp])
    expect(from(`"${url}"`)).toEqual([source, name, {}])
    expect(from(`{ from: "${url}", USD: 0.9 }`)).toEqual([source, name, usd])
    const file = { kind: 'file', path: join(folder, 'rates/hist.csv'), name: 'rates/hist.csv' }
    expect(from('rates/hist.csv')).toEqual([file, file.name, {}])
  })
})

describe('invalid settings are answered by what is allowed, and never by a secret', () => {
  const postgres = 'Expected the path of a SQLite file, or postgres://USER@HOST/DATABASE'
  const queues = 'Expected in-process, or a redis:// or rediss:// URL'
  const env = { T: TOKEN, U: 'another token of 24 characters', SHORT: 'short' }
  const unset = 'web.token: Expected { env: NAME } or { file: PATH }, which is set, because other machines'
  const proxyUrl = 'web.publicUrl: Expected the https URL of the proxy, at which browsers reach the page'
  const header = 'trustedUserHeader: X-User'
  const publicUrl = 'publicUrl: "https://quotes.example.com"'

  it.each<[lines: string, answer: string, env?: Env]>([
    ['org: 0042', 'channels[0].org: Invalid input: expected string, received number'],
    ['org: a/b', 'channels[0].org (a/b/forest): Expected text without "/"'],
    ['org: .', 'channels[0].org (./forest): Expected text without'],
    ['channel: ..', 'channels[0].channel (acme/..): Expected text without'],
    ['autoClose: yes', 'autoClose (acme/forest): Invalid option: expected one of "on"|"dry-run"|"off"'],
    ['scheduleTimeZone: "+02:00"', 'scheduleTimeZone: Expected an IANA time zone'],
    ['schedule: { rfqs: "0 6 * * monday" }', "('monday'). Expected five fields in quotes"],
    ['web: { port: "80" }', 'web.port: Invalid input: expected number, received string'],
    ['baseUrl: http://127.0.0.1.example.com', 'baseUrl: Expected the https URL of the marketplace'],
    ['baseUrl: https://host/?a=SECRET', 'baseUrl: Expected the https URL of the marketplace'],
    ['queue: amqp://host', `queue: ${queues}`],
    ['queue: "redis://"', `queue: ${queues}`],
    ['logLevel: info', `QUOTEKEEPER_QUEUE: ${queues}`, { QUOTEKEEPER_QUEUE: 'rabbit' }],
    ['database: mysql://me:SECRET@host/desk', `database: ${postgres}`],
    ['database: postgres://me:SECRET@host', `database: ${postgres}`],
    ['database: postgres://me:1/SECRET@host/desk', 'in a password, "/", "?", "#" and "@" are written %2F'],
    ['database: postgres://me:SECRET@host/desk?schema=Desk', 'lower-case letters'],

    ['reports: { currency: EUR, exchangeRates: { USD: { rate: 1, date: soon } } }', 'USD.date: Invalid ISO date'],
    ['reports: { exchangeRates: hist.csv }', 'reports.currency: Expected the currency that exchangeRates convert to'],
    [
      'reports: { currency: EUR, exchangeRates: { from: http://a.example/SECRET } }',
      'from: Expected the path of a file',
    ],
    ['reports: { currency: EUR, exchangeRates: { from: 5 } }', 'exchangeRates.from: Expected the path of a file'],
    ['reports: { currency: EUR, exchangeRates: 5 }', 'exchangeRates: Invalid input: expected record, received number'],
    ['reports: { requirements: { priceMaximum: hard } }', 'Unknown key; did you mean priceMax? Known here: review'],

    ['apiKey: { file: nowhere.txt }', 'nowhere.txt cannot be read (ENOENT)'],
    ['apiKey: { file: . }', 'cannot be read (EISDIR)'],
    ['apiKey: { file: empty }', 'empty is not one line of printable ASCII'],
    ['apiKey: { env: SHORT }', 'apiKey (acme/forest): Expected at least 8 characters'],
    ['apiKey: { env: K }', 'variable K is not one line of printable ASCII', { K: 'SECRET\nSECRET' }],
    ['apiKey: { env: K }', 'variable K is not one line of printable ASCII', { K: 'SECRET\u0007' }],

    [`web: { ${publicUrl} }`, unset],
    [`web: { proxySecret: { env: T }, ${publicUrl} }`, unset],
    [`web: { tokens: [${user()}, ${user('ana', 'U')}] }`, 'web.tokens[1].name: Each only once'],
    [`web: { tokens: [${user('"an\\u0007a"')}] }`, 'web.tokens[0].name: Expected a name of at most'],
    [`web: { token: { env: U }, tokens: [${user('operator')}] }`, 'web.tokens[0].name: Each only once'],
    [`web: { tokens: [${user()}, ${user('omar')}] }`, 'web.tokens[1].token: Each only once'],
    [`web: { token: { env: T }, tokens: [${user()}] }`, 'web.tokens[0].token: Each only once'],
    [
      `web: { tokens: [{ name: ana, role: viewer, token: SECRET }] }`,
      'token: Expected { env: NAME } or { file: PATH };',
    ],
    [`web: { tokens: [${user('ana', 'SHORT')}] }`, 'web.tokens[0].token: Expected at least 16 characters'],
    ['web: { token: { env: SHORT } }', 'web.token: Expected at least 16 characters'],
    [`web: { ${header}, proxySecret: { env: SHORT }, ${publicUrl} }`, 'Secret: Expected at least 16 characters'],
    [
      `web: { token: { env: T }, ${header}, ${publicUrl} }`,
      'web.proxySecret: Expected what the proxy sends in the header X-Quotekeeper-Proxy-Secret, as { env: NAME }',
    ],
    [`web: { ${header}, proxySecret: { env: T } }`, proxyUrl],
    [
      `web: { trustedUserHeader: X-Forwarded-For, proxySecret: { env: T }, ${publicUrl} }`,
      'web.trustedUserHeader: Expected the name of a header that only the proxy sets',
    ],
    ['web: { token: { env: T }, publicUrl: "http://quotes.example.com" }', 'web.publicUrl: Expected the https URL'],
    ['web: { publicUrl: "https://localhost/quotes" }', 'web.publicUrl: Expected the https URL'],
    ['web: { publicUrl: "https://u:SECRET@localhost" }', 'web.publicUrl: Expected the https URL'],
    ...['user:SECRET@proxy:3128', 'ftp://SECRET', 'http://'].map((proxy): [string, string, Env] => [
      'logLevel: info',
      'HTTPS_PROXY: Expected an http or https URL',
      { HTTPS_PROXY: proxy },
    ]),
  ])('%s: %s', (lines, answer, more) => {
    write('\n', 'empty')
    const answers = issuesOf(withLines(lines), { ...env, ...more }).map(({ key, message }) => `${key}: ${message}`)
    expect(answers).toEqual([expect.stringContaining(answer)])
    expect(answers.join()).not.toContain('SECRET')
  })

  it.each([
    ['invalid YAML', 'a: [1\nb: }', ': Invalid YAML at column 1 (bad indent)'],
    ['an empty file', '', ': Invalid input: expected object, received '],
    ['a list', '- 1\n', ': Invalid input: expected object, received '],
    ['without channels', 'baseUrl: https://a.example\nchannels: []\n', 'channels: Too small: expected array to'],
    ['the same channel twice', `${MINIMAL}${CHANNEL}`, 'channels[1] (acme/forest): Each only once'],
  ])('a file that is %s', (_what, text, answer) => {
    const [issue, ...others] = issuesOf(text)
    expect(others).toEqual([])
    expect(issue?.file).toBe(join(folder, 'quotekeeper.yaml'))
    expect(`${issue?.key}: ${issue?.message}`).toContain(answer)
  })

  it('all together, each with file and line', () => {
    const issues = issuesOf(`baseUrl: http://marketplace.example.com
databse: ./x.db
channels:
  - org: acme
    channel: forest
    apiKey: { env: ACME_API_KEY }
    autoClose: on
    timeZone: Europe/Pariss
  - org: acme
    channel: forest
    apiKey: { env: NO_SUCH_KEY }
    colour: red
schedule:
  listings: "61 * * * *"
reports:
  exchangeRates: { USD: -3, eur: 1 }
  awardTolerance: 2
web:
  host: 0.0.0.0
`)
    const file = join(folder, 'quotekeeper.yaml')
    expect(issues.every((issue) => issue.file === file && issue.message !== '')).toBe(true)
    expect(issues.map(({ line, key, message }) => `${line} ${key}: ${message.split(/[;.]/)[0]}`)).toEqual([
      '1 baseUrl: Expected the https URL of the marketplace (http on loopback only), without user, query or fragment',
      '2 databse: Unknown key',
      '8 channels[0].timeZone (acme/forest): Expected an IANA time zone, such as Europe/Paris',
      '9 channels[1].autoClose (acme/forest): Invalid option: expected one of "on"|"dry-run"|"off"',
      '11 channels[1].apiKey (acme/forest): Environment variable NO_SUCH_KEY is not set: set it in the environment, or in the ',
      '12 channels[1].colour (acme/forest): Unknown key',
      '14 schedule.listings: 61 is a invalid expression for minute',
      '16 reports.exchangeRates.USD.rate: Too small: expected number to be >=1e-9',
      '16 reports.exchangeRates.eur: Expected a currency code of three capital letters, such as EUR',
      '17 reports.awardTolerance: Expected a share from 0 to 1, or unlimited',
      '19 web.token: Expected { env: NAME } or { file: PATH }, which is set, because other machines can reach the page',
    ])
    expect(issues[1]?.message).toContain('did you mean database?')
  })

  it.each(['https://me:SECRET@host', 'redis://:SEC?RET@host', 'postgres://me:SECRET@host:port/db?sslpassword=SECRET'])(
    'in whatever key a password or token is: %s',
    (text) => {
      const url = JSON.stringify(text)
      const keys = ['baseUrl', 'database', 'queue', 'logLevel', 'web.token', 'web.port']
      const lines = [...keys.slice(0, 4).map((key) => `${key}: ${url}`), `web: { token: ${url}, port: ${url} }`]
      const issues = issuesOf(withLines(lines.join('\n')))
      expect(issues.map(({ key }) => key).sort()).toEqual(keys.sort())
      expect(JSON.stringify(issues)).not.toMatch(/SEC|RET/)
      const overridden = issuesOf(MINIMAL, { QUOTEKEEPER_BASE_URL: text, QUOTEKEEPER_QUEUE: text })
      expect(JSON.stringify(overridden)).not.toMatch(/SEC|RET/)
    },
  )
})

describe('--set KEY=VALUE', () => {
  const readWith = (more: string, ...set: string[]) => load(`${MINIMAL}${more}\n`, {}, { set }).reports.settings

  it('overrides that key of the file and no other', () => {
    const file = 'reports: { discountRate: 0.1, currency: EUR, requirements: { priceMax: advisory, listing: hard } }'
    const set = ['discountRate=0.02', 'volume=5000', 'priceBasis=present-value']
    const rule = ['awardTolerance=unlimited', 'requirements.priceMax=off', 'requirements.volumeMax=advisory']
    expect(readWith(file, ...set, ...rule)).toEqual({
      ...DEFAULT_SETTINGS,
      discountRate: 0.02,
      currency: 'EUR',
      volume: 5000,
      priceBasis: 'present-value',
      awardTolerance: 'unlimited',
      requirements: { ...DEFAULT_SETTINGS.requirements, priceMax: 'off', listing: 'hard', volumeMax: 'advisory' },
    })
  })

  it('needs no section in the file, is parsed as YAML, and the last value of a key wins', () => {
    const set = ['currency=EUR', 'exchangeRates.USD=0.9', 'exchangeRates.GBP={ rate: 1.2, source: a=b }', 'volume=30']
    expect(readWith('reports:', ...set, 'volume=1e2')).toMatchObject({
      currency: 'EUR',
      exchangeRates: { USD: { rate: 0.9 }, GBP: { rate: 1.2, source: 'a=b' } },
      volume: 100,
    })
  })

  it('keeps where exchange rates are read from when a rate is set', () => {
    const file = 'reports: { currency: EUR, exchangeRates: hist.csv }'
    const kept = { ratesFrom: 'hist.csv', exchangeRates: { USD: { rate: 0.9 } } }
    expect(readWith(file, 'exchangeRates.USD=0.9')).toMatchObject(kept)
    expect(readWith(file, 'exchangeRates={}')).toMatchObject({ ratesFrom: null, exchangeRates: {} })
  })

  it('is validated like the file, and errors name the option', () => {
    const set = ['discountRat=0.05', 'volume=1e99', 'requirements=', 'priceBasis=[', 'discountRate.x=1']
    const issues = issuesOf(withLines('closing: { maxPerRun: 0 }'), {}, { set: [...set, 'requirements.__proto__=1'] })
    expect(issues.map(({ file, line, key, message }) => [file, line, key, message.split(';')[0]])).toEqual([
      ['command line', null, '--set discountRate.x', 'Invalid input: expected number, received object'],
      ['command line', null, '--set priceBasis', 'Invalid option: expected one of "quoted"|"present-value"'],
      ['command line', null, '--set volume', 'Too big: expected number to be <=1000000000000'],
      ['command line', null, '--set requirements.__proto__', 'Unknown key'],
      ['command line', null, '--set discountRat', 'Unknown key'],
      [join(folder, 'quotekeeper.yaml'), 7, 'closing.maxPerRun', 'Too small: expected number to be >=1'],
    ])
  })
})

describe('.env beside the file', () => {
  const keyWith = (dotEnv: string, env: Env = {}) => {
    write(dotEnv, '.env')
    write(MINIMAL)
    return loadConfig({ cwd: folder, env }).channels[0]?.apiKey
  }

  it('yields to the process environment, in which an empty value counts as not set', () => {
    expect(keyWith('ACME_API_KEY=from-dot-env')).toBe('from-dot-env')
    expect(keyWith('ACME_API_KEY=from-dot-env', { ACME_API_KEY: '' })).toBe('from-dot-env')
    expect(keyWith('ACME_API_KEY=from-dot-env', { ACME_API_KEY: 'real-key' })).toBe('real-key')
  })

  it('has quotes around a value with #, because programs disagree where it ends', () => {
    for (const line of ['ACME_API_KEY=abcd1234#efgh5678', "export ACME_API_KEY = 'abcd#1234", 'ACME_API_KEY=#abcd1234'])
      expect(() => keyWith(`# keys#\nOTHER=x\n${line}\n`)).toThrow(
        `${join(folder, '.env')}:3  ACME_API_KEY\n    Expected quotes around a value with #`,
      )
    for (const line of ["ACME_API_KEY='abcd1234#efgh5678'", 'ACME_API_KEY="abcd1234#efgh5678" # of acme#1'])
      expect(keyWith(line)).toBe('abcd1234#efgh5678')
    expect(keyWith('ACME_API_KEY=abcd1234 # of acme, issue#1')).toBe('abcd1234')
  })
})

describe.each([
  ['queue', 'redis://quotekeeper@host:6380/1?a=b'],
  ['database', SERVER],
])('the password of the %s', (key, server) => {
  const shared = `${key}: ${server}`
  const password = `${key}Password`
  const variable = `QUOTEKEEPER_${key.toUpperCase()}`

  it('is read from a file or variable, and need not be encoded', () => {
    write(`${PASSWORD}\n`, 'password')
    const configs = [
      read(`${shared}\n${password}: { file: password }`),
      read(`${shared}\n${password}: { env: PASSWORD }`, { PASSWORD }),
      read(shared, { [`${variable}_PASSWORD_FILE`]: 'password' }),
      load(MINIMAL, { [variable]: server, [`${variable}_PASSWORD_FILE`]: join(folder, 'password') }),
    ]
    for (const config of configs) {
      const url = new URL(key === 'database' ? config.database : (config.queue as { url: string }).url)
      expect(decodeURIComponent(url.password)).toBe(PASSWORD)
      url.password = ''
      expect(url.href).toBe(server)
      expect(config).not.toHaveProperty(password)
    }
  })

  it.each<[lines: string, found: string, env?: Env]>([
    [`${shared}\n${password}: SECRET`, 'Expected { env: NAME }'],
    [`${shared}\n${password}: { file: nowhere }`, 'cannot be read (ENOENT)'],
    [`${shared}\n${password}: { env: NOWHERE }`, 'NOWHERE is not set'],
    [`${shared}\n${password}: { env: P }`, 'Expected at least 8 characters', { P: 'SECRET' }],
    [shared, 'cannot be read (ENOENT)', { [`${variable}_PASSWORD_FILE`]: '/nowhere' }],
  ])('is refused if it is written here, or missing, and never shown: %s', (lines, found, env) => {
    write(PASSWORD, 'password')
    const issues = issuesOf(withLines(lines), env)
    expect(issues).toMatchObject([{ message: expect.stringContaining(found) }])
    expect(JSON.stringify(issues)).not.toContain('SECRET')
  })
})

describe('secrets', () => {
  const readingOnly = (lines: string) => load(withLines(lines), {}, { secrets: 'if-set' })

  it('are read from a file beside the configuration or from the environment, and trimmed', () => {
    write(`  ${KEY}\n`, 'key.txt')
    expect(read('apiKey: { file: key.txt }').channels[0]?.apiKey).toBe(KEY)
    expect(load(MINIMAL, { ACME_API_KEY: ` ${KEY}\r\n` }).channels[0]?.apiKey).toBe(KEY)
  })

  it('may be missing or short for commands that only read the database, except its password', () => {
    expect(readingOnly('apiKey: { env: NOWHERE }').channels[0]?.apiKey).toBe('')
    const short = load(MINIMAL, { ACME_API_KEY: 'sk-1234' }, { secrets: 'if-set' })
    expect(short.channels[0]?.apiKey).toBe('sk-1234')
    const { queue } = readingOnly('queue: redis://host:6380/1\nqueuePassword: { env: NOWHERE }')
    expect(queue).toEqual({ kind: 'redis', url: 'redis://host:6380/1' })
    expect(() => readingOnly(`database: ${SERVER}\ndatabasePassword: { env: NOWHERE }`)).toThrow('NOWHERE is not set')
  })

  it.each(['sk_live_SECRET', '{ sk_live_SECRET }', '{ value: SECRET }', '[SECRET]', '{ env: "sk live SECRET" }'])(
    'written into the configuration are refused also by commands that only read the database, and not shown: %s',
    (written) => {
      for (const line of [`apiKey: ${written}`, `web: { token: ${written} }`]) {
        expect(() => readingOnly(line)).toThrow('{ env: NAME }')
        expect(() => readingOnly(line)).not.toThrow('SECRET')
      }
    },
  )
})
