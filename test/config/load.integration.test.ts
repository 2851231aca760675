import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ConfigError } from '../../src/config/config-error.js'
import { loadConfig } from '../../src/config/load.js'
import { DEFAULT_SETTINGS } from '../../src/core/decision/settings.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quotekeeper-config-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const KEY = 'k-0123456789'
const MINIMAL = `baseUrl: https://marketplace.example.com
channels:
  - org: acme
    channel: forest
    apiKey: { env: ACME_API_KEY }
    autoClose: on
`
const write = (text: string, name = 'quotekeeper.yaml') => writeFileSync(join(folder, name), text)

function issuesOf(text: string, options: { env?: Record<string, string> } = {}) {
  write(text)
  try {
    loadConfig({ cwd: folder, env: { ACME_API_KEY: KEY, ...options.env } })
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).issues
  }
  throw new Error('the configuration was accepted')
}

const read = (text: string, env: Record<string, string> = {}) => {
  write(text)
  return loadConfig({ cwd: folder, env: { ACME_API_KEY: KEY, ...env } })
}

describe('configuration file', () => {
  it('must be UTF-8: UTF-16, with or without a byte order mark, is named as such', () => {
    for (const bytes of [Buffer.from(`\ufeff${MINIMAL}`, 'utf16le'), Buffer.from(MINIMAL, 'utf16le').swap16()]) {
      writeFileSync(join(folder, 'quotekeeper.yaml'), bytes)
      expect(() => loadConfig({ cwd: folder, env: { ACME_API_KEY: KEY } })).toThrow(/UTF-16[\s\S]*save the file/)
    }
    expect(read(`\ufeff${MINIMAL}`).channels).toHaveLength(1)
  })

  it('gets all defaults and absolute paths', () => {
    expect(read(MINIMAL)).toEqual({
      file: join(folder, 'quotekeeper.yaml'),
      baseUrl: 'https://marketplace.example.com',
      database: join(folder, 'data/quotekeeper.db'),
      queue: { kind: 'in-process' },
      channels: [
        {
          org: 'acme',
          channel: 'forest',
          key: 'acme/forest',
          apiKey: KEY,
          autoClose: 'on',
          timeZone: 'UTC',
          graceHours: 0,
        },
      ],
      schedule: {
        listings: '*/30 * * * *',
        rfqs: '*/5 * * * *',
        closeExpired: '*/10 * * * *',
        channelReport: '0 6 * * 1-5',
      },
      scheduleTimeZone: 'UTC',
      requests: { concurrency: 8, perSecond: 20, timeoutMs: 30_000, retries: 5, maxBodyMiB: 128 },
      polling: { offersMaxAgeMinutes: 60, urgentHours: 24 },
      closing: { enabled: true, maxPerRun: 25, maxClockSkewSeconds: 60, reportOnClose: true },
      reports: { directory: join(folder, 'data/reports'), settings: DEFAULT_SETTINGS },
      rates: null,
      history: {
        recheckClosedHours: 24,
        keepDays: 90,
        pruneSchedule: '30 3 * * *',
      },
      notify: { targets: [], dueSoonDays: 3 },
      web: {
        host: '127.0.0.1',
        port: 4780,
        publicUrl: null,
        token: null,
        tokens: [],
        trustedUserHeader: null,
        trustedUserRole: 'viewer',
        proxySecret: null,
      },
      logLevel: null,
    })
  })

  it('is found by --config, else by $QUOTEKEEPER_CONFIG, else in the working folder', () => {
    write(MINIMAL)
    write(MINIMAL, 'other.yaml')
    const env = { ACME_API_KEY: KEY }
    expect(loadConfig({ cwd: folder, env }).file).toBe(join(folder, 'quotekeeper.yaml'))
    expect(loadConfig({ cwd: folder, env: { ...env, QUOTEKEEPER_CONFIG: 'other.yaml' } }).file).toBe(
      join(folder, 'other.yaml'),
    )
    const both = { ...env, QUOTEKEEPER_CONFIG: 'nowhere.yaml' }
    expect(loadConfig({ cwd: '/', file: join(folder, 'other.yaml'), env: both }).file).toBe(join(folder, 'other.yaml'))
  })

  it('suggests `quotekeeper init` if it does not exist', () => {
    try {
      loadConfig({ cwd: folder, env: {} })
      expect.unreachable()
    } catch (error) {
      expect((error as Error).message).toContain(join(folder, 'quotekeeper.yaml'))
      expect((error as Error).message).toContain('quotekeeper init')
    }
  })

  it('treats an empty section as its defaults', () => {
    expect(read(`${MINIMAL}closing:\nreports:\n  exchangeRates:\n`).closing.maxPerRun).toBe(25)
  })

  it('accepts the YAML 1.1 and YAML 1.2 spellings of autoClose', () => {
    const choices = ['on', 'off', 'dry-run', 'true', 'false', 'ON'].map((written) => [
      written,
      read(MINIMAL.replace('autoClose: on', `autoClose: ${written}`)).channels[0]?.autoClose,
    ])
    expect(Object.fromEntries(choices)).toEqual({
      on: 'on',
      off: 'off',
      'dry-run': 'dry-run',
      true: 'on',
      false: 'off',
      ON: 'on',
    })
  })

  it.each(['yes', 'no', '1', '"1"', '""', 'null'])('refuses autoClose: %s', (written) => {
    const issues = issuesOf(MINIMAL.replace('autoClose: on', `autoClose: ${written}`))
    expect(issues).toMatchObject([
      { key: 'channels[0].autoClose (acme/forest)', allowed: expect.stringMatching(/^on, /) },
    ])
  })

  it('never reads "off" as true', () => {
    expect(read(`${MINIMAL}closing: { enabled: off, reportOnClose: no }\n`).closing).toMatchObject({
      enabled: false,
      reportOnClose: false,
    })
  })

  it('accepts null for a schedule that never runs, and cron expressions with seconds', () => {
    const { schedule } = read(`${MINIMAL}schedule: { listings: null, rfqs: "*/10 * * * * *" }\n`)
    expect(schedule).toMatchObject({ listings: null, rfqs: '*/10 * * * * *', closeExpired: '*/10 * * * *' })
  })

  it('accepts an exchange rate with or without date and source', () => {
    const { exchangeRates } = read(
      `${MINIMAL}reports: { currency: EUR, exchangeRates: { USD: 0.9, GBP: { rate: 1.2, date: 2026-01-31, source: ECB } } }\n`,
    ).reports.settings
    expect(exchangeRates).toEqual({
      USD: { rate: 0.9, date: null, source: null },
      GBP: { rate: 1.2, date: '2026-01-31', source: 'ECB' },
    })
  })

  it('accepts a file or an address of exchange rates, alone or beside fixed ones', () => {
    const rates = (found: string) => read(`${MINIMAL}reports: { currency: EUR, exchangeRates: ${found} }\n`)
    const url = 'https://rates.example.com/hist.zip?token=s3cret'
    const source = { kind: 'url', url, name: 'https://rates.example.com/hist.zip' }
    const alone = rates(`"${url}"`)
    expect(alone.rates).toEqual(source)
    expect(alone.reports.settings).toMatchObject({ exchangeRates: {}, ratesFrom: source.name, outdatedRates: null })
    expect(JSON.stringify(alone.reports)).not.toContain('s3cret')
    const beside = rates(`{ from: "${url}", USD: 0.9 }`)
    expect(beside.rates).toEqual(source)
    expect(beside.reports.settings).toMatchObject({ ratesFrom: source.name, exchangeRates: { USD: { rate: 0.9 } } })
    const file = rates('rates/hist.csv')
    expect(file.rates).toEqual({
      kind: 'file',
      path: join(folder, 'rates/hist.csv'),
      name: 'rates/hist.csv',
    })
    expect(rates('{ from: null, USD: 0.9 }').rates).toBeNull()
    expect(read(MINIMAL).rates).toBeNull()
  })

  it('merges the given comparison settings with the defaults', () => {
    const given = `discountRate: 0.05, volume: 5000,
      priceBasis: present-value, awardTolerance: 0.05,
      requirements: { priceMax: advisory, notExpired: off, listing: false }`
    const { settings } = read(`${MINIMAL}reports: { ${given} }\n`).reports
    expect(settings).toEqual({
      currency: null,
      exchangeRates: {},
      ratesFrom: null,
      outdatedRates: null,
      without: null,
      discountRate: 0.05,
      volume: 5000,
      priceBasis: 'present-value',
      awardTolerance: 0.05,
      requirements: { ...DEFAULT_SETTINGS.requirements, priceMax: 'advisory', notExpired: 'off', listing: 'off' },
    })
    expect(read(`${MINIMAL}reports: { exchangeRates:, requirements: }\n`).reports.settings).toEqual(DEFAULT_SETTINGS)
  })

  it('recognizes the kind of queue by its URL', () => {
    const queueOf = (queue: string) => read(`${MINIMAL}queue: ${queue}\n`).queue
    expect(queueOf('redis://localhost:6379')).toEqual({ kind: 'redis', url: 'redis://localhost:6379' })
    expect(queueOf('rediss://u:p@redis.example.com')).toMatchObject({ kind: 'redis' })
  })

  it('refuses a queue that is neither in this process nor on Redis, and says what is allowed', () => {
    for (const queue of ['postgres://db.example.com/jobs', 'amqp://host', 'redis://', 'redis'])
      expect(issuesOf(`${MINIMAL}queue: ${queue}\n`)).toEqual([
        expect.objectContaining({
          key: 'queue',
          found: JSON.stringify(queue),
          allowed: 'in-process, or a redis:// or rediss:// URL',
        }),
      ])
  })

  it('accepts plain http only for loopback addresses', () => {
    const urlOf = (url: string) => read(MINIMAL.replace('https://marketplace.example.com', url)).baseUrl
    expect(urlOf('http://127.0.0.1:8080/')).toBe('http://127.0.0.1:8080')
    expect(urlOf('http://localhost/market/')).toBe('http://localhost/market')
    expect(urlOf('http://[::1]:1')).toBe('http://[::1]:1')
    expect(() => urlOf('http://127.0.0.1.example.com')).toThrow(ConfigError)
    expect(() => urlOf('http://10.0.0.1')).toThrow(ConfigError)
  })
})

describe('--set KEY=VALUE', () => {
  const readWith = (more: string, ...set: string[]) => {
    write(`${MINIMAL}${more}`)
    return loadConfig({ cwd: folder, env: { ACME_API_KEY: KEY }, set }).reports.settings
  }

  it('overrides that key of the file and no other', () => {
    const file = 'reports: { discountRate: 0.1, currency: EUR, requirements: { priceMax: advisory, listing: hard } }\n'
    const set = ['discountRate=0.02', 'volume=5000', 'priceBasis=present-value']
    const rule = ['awardTolerance=unlimited', 'requirements.priceMax=off', 'requirements.volumeMax=advisory']
    expect(readWith(file, ...set, ...rule)).toEqual({
      ...DEFAULT_SETTINGS,
      discountRate: 0.02,
      currency: 'EUR',
      volume: 5000,
      priceBasis: 'present-value',
      awardTolerance: 'unlimited',
      requirements: {
        ...DEFAULT_SETTINGS.requirements,
        priceMax: 'off',
        listing: 'hard',
        volumeMax: 'advisory',
      },
    })
  })

  it('needs no section in the file, is parsed as YAML, and the last value of a key wins', () => {
    const set = ['currency=EUR', 'exchangeRates.USD=0.9', 'exchangeRates.GBP={ rate: 1.2, source: a=b }', 'volume=30']
    expect(readWith('reports:\n', ...set, 'volume=1e2')).toMatchObject({
      currency: 'EUR',
      exchangeRates: { USD: { rate: 0.9 }, GBP: { rate: 1.2, source: 'a=b' } },
      volume: 100,
    })
  })

  it('keeps where exchange rates are read from when a rate is set', () => {
    expect(readWith('reports: { currency: EUR, exchangeRates: hist.csv }\n', 'exchangeRates.USD=0.9')).toMatchObject({
      ratesFrom: 'hist.csv',
      exchangeRates: { USD: { rate: 0.9 } },
    })
    const none = readWith('reports: { currency: EUR, exchangeRates: hist.csv }\n', 'exchangeRates={}')
    expect(none).toMatchObject({ ratesFrom: null, exchangeRates: {} })
  })

  it('is validated like the file, and errors name the option', () => {
    const issuesOfSet = (...set: string[]) => {
      try {
        readWith('closing: { maxPerRun: 0 }\n', ...set)
      } catch (error) {
        return (error as ConfigError).issues.map(({ file, line, key, found }) => [file, line, key, found])
      }
      throw new Error('the configuration was accepted')
    }
    const set = [
      'discountRat=0.05',
      'volume=1e99',
      'requirements=',
      'priceBasis=[',
      'requirements.__proto__=1',
      'discountRate.x=1',
    ]
    expect(issuesOfSet(...set)).toEqual([
      ['command line', null, '--set discountRate.x', 'a section with x'],
      ['command line', null, '--set priceBasis', '"["'],
      ['command line', null, '--set volume', '1e+99'],
      ['command line', null, '--set requirements.__proto__', 'an unknown key'],
      ['command line', null, '--set discountRat', 'an unknown key'],
      [join(folder, 'quotekeeper.yaml'), 7, 'closing.maxPerRun', '0'],
    ])
  })
})

describe('environment variables', () => {
  it('override keys of the file, and errors name the variable', () => {
    const config = read(MINIMAL, {
      QUOTEKEEPER_BASE_URL: 'http://localhost:9',
      QUOTEKEEPER_DATABASE: 'elsewhere.db',
      QUOTEKEEPER_QUEUE: 'redis://localhost',
      QUOTEKEEPER_LOG_LEVEL: 'debug',
    })
    expect(config).toMatchObject({
      baseUrl: 'http://localhost:9',
      database: join(folder, 'elsewhere.db'),
      queue: { kind: 'redis' },
      logLevel: 'debug',
    })
    expect(issuesOf(MINIMAL, { env: { QUOTEKEEPER_QUEUE: 'rabbit' } })).toEqual([
      expect.objectContaining({ file: 'environment', line: null, key: 'QUOTEKEEPER_QUEUE', found: '"rabbit"' }),
    ])
  })

  it('may be set in .env beside the file; the process environment wins, and an empty value counts as not set', () => {
    write('ACME_API_KEY=from-dot-env\nQUOTEKEEPER_LOG_LEVEL=warn\n', '.env')
    write(MINIMAL)
    const keyWith = (env: Record<string, string>) => loadConfig({ cwd: folder, env }).channels[0]?.apiKey
    expect(keyWith({})).toBe('from-dot-env')
    expect(keyWith({ ACME_API_KEY: '' })).toBe('from-dot-env')
    expect(keyWith({ ACME_API_KEY: 'real-key' })).toBe('real-key')
    expect(loadConfig({ cwd: folder, env: {} }).logLevel).toBe('warn')
  })

  it('refuse a value with # in .env that is not in quotes, because programs disagree where it ends', () => {
    const keyIn = (env: string) => {
      write(env, '.env')
      write(MINIMAL)
      return loadConfig({ cwd: folder, env: {} }).channels[0]?.apiKey
    }
    for (const line of ['ACME_API_KEY=abcd1234#efgh5678', "export ACME_API_KEY = 'abcd#1234", 'ACME_API_KEY=#abcd1234'])
      expect(() => keyIn(`# keys#\nOTHER=x\n${line}\n`)).toThrow(
        `${join(folder, '.env')}:3  ACME_API_KEY\n    found:   a value with #`,
      )
    for (const line of ["ACME_API_KEY='abcd1234#efgh5678'", 'ACME_API_KEY="abcd1234#efgh5678" # of acme#1'])
      expect(keyIn(line)).toBe('abcd1234#efgh5678')
    expect(keyIn('ACME_API_KEY=abcd1234 # of acme, issue#1')).toBe('abcd1234')
  })

  it('refuse an address of a proxy that is no URL, without showing it', () => {
    const key = 'HTTPS_PROXY'
    for (const proxy of ['user:password@proxy:3128', 'ftp://proxy', 'http://'])
      expect(issuesOf(MINIMAL, { env: { [key]: proxy } })).toEqual([
        expect.objectContaining({ file: 'environment', key, found: 'something else (not shown)' }),
      ])
    expect(read(MINIMAL, { [key]: 'http://user:password@proxy:3128' }).channels).toHaveLength(1)
  })
})

describe('the password of the queue', () => {
  const shared = `${MINIMAL}queue: redis://host:6380/1\n`
  const PASSWORD = 'a/b?c#d@e:f%20 "g'

  it('is read from a file or variable, and need not be encoded', () => {
    write(`${PASSWORD}\n`, 'password')
    const configs = [
      read(`${shared}queuePassword: { file: password }\n`),
      read(`${shared}queuePassword: { env: PASSWORD }\n`, { PASSWORD }),
      read(shared, { QUOTEKEEPER_QUEUE_PASSWORD_FILE: 'password' }),
      read(MINIMAL, {
        QUOTEKEEPER_QUEUE: 'redis://host:6380/1',
        QUOTEKEEPER_QUEUE_PASSWORD_FILE: join(folder, 'password'),
      }),
    ]
    for (const { queue } of configs) {
      const url = new URL('url' in queue ? queue.url : '')
      expect([url.host, url.pathname, url.username, decodeURIComponent(url.password)]).toEqual([
        'host:6380',
        '/1',
        '',
        PASSWORD,
      ])
    }
    expect(configs[0]).not.toHaveProperty('queuePassword')
  })

  it('is refused if it is written here, missing, useless or the second one, and never shown', () => {
    write(PASSWORD, 'password')
    const cases: [string, string, Record<string, string>?][] = [
      [`${shared}queuePassword: SECRET\n`, 'a literal value'],
      [`${shared}queuePassword: { file: nowhere }\n`, 'does not exist'],
      [`${shared}queuePassword: { env: NOWHERE }\n`, 'NOWHERE is not set'],
      [shared, 'does not exist', { QUOTEKEEPER_QUEUE_PASSWORD_FILE: '/nowhere' }],
      [`${MINIMAL}queuePassword: { file: password }\n`, 'a password'],
      [`${MINIMAL}queue: redis://:SECRET@host\nqueuePassword: { file: password }\n`, 'a second password'],
    ]
    for (const [text, message, env = {}] of cases) {
      const issues = issuesOf(text, { env })
      expect(issues).toHaveLength(1)
      expect(issues[0]?.found).toContain(message)
      expect(JSON.stringify(issues)).not.toContain('SECRET')
    }
  })

  it('may be missing for commands that only read the database', () => {
    write(`${shared}queuePassword: { env: NOWHERE }\n`)
    const { queue } = loadConfig({ cwd: folder, env: {}, secrets: 'if-set' })
    expect(queue).toEqual({ kind: 'redis', url: 'redis://host:6380/1' })
  })
})

describe('the database', () => {
  const SERVER = 'postgres://quotekeeper@host:5433/desk?schema=acme'
  const on = (database: string, more = '') => `${MINIMAL}database: ${JSON.stringify(database)}\n${more}`

  it('is a path, resolved against the folder of the configuration, or the URL of a PostgreSQL database', () => {
    expect(read(on('some/where.db')).database).toBe(join(folder, 'some/where.db'))
    for (const url of [SERVER, 'postgresql://host/desk', 'postgres://me:p%2Fw@host/desk?sslmode=require'])
      expect(read(on(url)).database).toBe(url)
    expect(read(MINIMAL, { QUOTEKEEPER_DATABASE: SERVER }).database).toBe(SERVER)
  })

  it('gets its password from a file or variable, also for commands that only read it', () => {
    const password = 'a/b?c#d@e:f%20 "g'
    write(`${password}\n`, 'password')
    const configs = [
      read(on(SERVER, 'databasePassword: { file: password }\n')),
      read(on(SERVER, 'databasePassword: { env: PASSWORD }\n'), { PASSWORD: password }),
      read(on(SERVER), { QUOTEKEEPER_DATABASE_PASSWORD_FILE: 'password' }),
    ]
    for (const { database } of configs) {
      const url = new URL(database)
      expect([url.username, decodeURIComponent(url.password), url.host, url.search]).toEqual([
        'quotekeeper',
        password,
        'host:5433',
        '?schema=acme',
      ])
    }
    expect(configs[0]).not.toHaveProperty('databasePassword')
    write(on(SERVER, 'databasePassword: { env: NOWHERE }\n'))
    expect(() => loadConfig({ cwd: folder, env: {}, secrets: 'if-set' })).toThrow('NOWHERE is not set')
  })

  it('that cannot be used is refused, and a password in it never shown', () => {
    write('a password', 'password')
    const cases: [string, string][] = [
      [on('mysql://me:SECRET@host/desk'), 'the path of a SQLite file, or postgres://USER@HOST/DATABASE'],
      [on('postgres://me:SECRET@host'), 'postgres://USER@HOST/DATABASE'],
      [on('postgres://me:SECRET@/desk'), 'postgres://USER@HOST/DATABASE'],
      [on('postgres://me:1/SECRET@host/desk'), '%2F'],
      [on('postgres://me:SECRET@host/desk?schema=Desk'), 'Use lower-case letters'],
      [on('file.db', 'databasePassword: { file: password }\n'), 'this database needs none'],
      [
        on('postgres://me:SECRET@host/desk', 'databasePassword: { file: password }\n'),
        'remove the password from database',
      ],
    ]
    for (const [text, message] of cases) {
      const issues = issuesOf(text)
      expect(issues).toHaveLength(1)
      expect(issues[0]?.allowed).toContain(message)
      expect(JSON.stringify(issues)).not.toContain('SECRET')
    }
  })
})

describe('API key', () => {
  const withKey = (apiKey: string) => MINIMAL.replace('{ env: ACME_API_KEY }', apiKey)

  it('is read from a file beside the configuration or from the environment, and trimmed', () => {
    write(`  ${KEY}\n`, 'key.txt')
    expect(read(withKey('{ file: key.txt }')).channels[0]?.apiKey).toBe(KEY)
    expect(read(MINIMAL, { ACME_API_KEY: ` ${KEY}\r\n` }).channels[0]?.apiKey).toBe(KEY)
  })

  it('whose variable is not set is reported with variable and channel', () => {
    const [issue] = issuesOf(withKey('{ env: OTHER_KEY }'))
    expect(issue).toMatchObject({ line: 5, key: 'channels[0].apiKey (acme/forest)' })
    expect(issue?.found).toContain('OTHER_KEY')
    expect(issue?.allowed).toContain('OTHER_KEY')
  })

  it('may be missing for commands that only read the database', () => {
    write(withKey('{ env: OTHER_KEY }'))
    expect(loadConfig({ cwd: folder, env: {}, secrets: 'if-set' }).channels[0]?.apiKey).toBe('')
  })

  it.each(['sk_live_SECRET', '{ sk_live_SECRET }', '{ value: SECRET }', '[SECRET]', '{ env: "sk live SECRET" }'])(
    'written into the configuration is refused also by commands that only read the database, and not shown: %s',
    (written) => {
      for (const text of [withKey(written), `${MINIMAL}web: { token: ${written} }\n`]) {
        write(text)
        const load = () => loadConfig({ cwd: folder, env: {}, secrets: 'if-set' })
        expect(load).toThrow('{ env: NAME }')
        expect(load).not.toThrow('SECRET')
      }
    },
  )

  it('of fewer than eight characters is refused, because it could not be removed from logs; so is a password', () => {
    const short = { ACME_API_KEY: 'sk-1234', PASSWORD: 'p-56789' }
    const server = 'queue: redis://host\nqueuePassword: { env: PASSWORD }\n'
    const issues = issuesOf(MINIMAL + server, { env: short })
    expect(issues.map(({ key, found }) => [key, found])).toEqual([
      ['channels[0].apiKey (acme/forest)', 'a secret of 7 characters'],
      ['queuePassword', 'a secret of 7 characters'],
    ])
    expect(JSON.stringify(issues)).not.toMatch(/sk-1234|p-56789/)
    expect(read(MINIMAL, { ACME_API_KEY: 'sk-12345' }).channels[0]?.apiKey).toBe('sk-12345')
    expect(loadConfig({ cwd: folder, env: short, secrets: 'if-set' }).channels[0]?.apiKey).toBe('sk-1234')
  })

  it.each(['a\nb', 'clé', 'a\u0007b'])('with an impossible character is rejected and not shown: %j', (key) => {
    const [issue] = issuesOf(MINIMAL, { env: { ACME_API_KEY: key } })
    expect(issue?.found).toContain('ACME_API_KEY')
    expect(JSON.stringify(issue)).not.toContain(JSON.stringify(key).slice(1, -1))
  })

  it.each([
    ['a missing file', '{ file: nowhere.txt }', 'does not exist'],
    ['a folder', '{ file: . }', 'cannot be read'],
  ])('in %s is rejected with the reason', (_what, written, message) => {
    expect(issuesOf(withKey(written))[0]?.found).toContain(message)
  })

  it('from an empty file is rejected', () => {
    write('\n', 'empty.txt')
    expect(issuesOf(withKey('{ file: empty.txt }'))[0]?.found).toContain('is empty')
  })
})

describe('configuration errors', () => {
  it('are reported together, each with file, line, key, what was found and what is allowed', () => {
    const issues = issuesOf(`baseUrl: http://marketplace.example.com
databse: ./x.db
channels:
  - org: acme
    channel: forest
    apiKey: { env: ACME_API_KEY }
    autoClose: maybe
    timeZone: Europe/Pariss
    graceHours: -1
  - org: acme
    channel: forest
    apiKey: { env: NO_SUCH_KEY }
    colour: red
schedule:
  listings: "61 * * * *"
requests: { retries: 1.5 }
reports:
  exchangeRates: { USD: -3, eur: 1 }
  awardTolerance: 2
  discountRate: 5%
  volume: most
  priceBasis: maybe
  discountRates: 3
web:
  host: 0.0.0.0
`)
    const file = join(folder, 'quotekeeper.yaml')
    expect(issues.every((issue) => issue.file === file && issue.found !== '' && issue.allowed !== '')).toBe(true)
    expect(issues.map(({ line, key, found }) => `${line} ${key}: ${found}`)).toEqual([
      '1 baseUrl: "http://marketplace.example.com"',
      '2 databse: an unknown key',
      '7 channels[0].autoClose (acme/forest): "maybe"',
      '8 channels[0].timeZone (acme/forest): "Europe/Pariss"',
      '9 channels[0].graceHours (acme/forest): -1',
      '10 channels[1].autoClose (acme/forest): nothing',
      '10 channels[1] (acme/forest): a second acme/forest',
      '12 channels[1].apiKey (acme/forest): environment variable NO_SUCH_KEY is not set',
      '13 channels[1].colour (acme/forest): an unknown key',
      '15 schedule.listings: "61 * * * *" (61 is a invalid expression for minute)',
      '16 requests.retries: 1.5',
      '17 reports.currency: nothing',
      '18 reports.exchangeRates.USD.rate: -3',
      '18 reports.exchangeRates.eur: "eur"',
      '19 reports.awardTolerance: 2',
      '20 reports.discountRate: "5%"',
      '21 reports.volume: "most"',
      '22 reports.priceBasis: "maybe"',
      '23 reports.discountRates: an unknown key',
      '24 web.token: nothing',
    ])
    expect(issues.slice(-6, -1).map(({ allowed }) => allowed)).toEqual([
      'a share from 0 to 1, or unlimited',
      'a number from 0 to 1',
      'a number from 0 to 1000000000000',
      'one of quoted, present-value',
      expect.stringContaining('did you mean discountRate?'),
    ])
    expect(issues.find(({ key }) => key === 'databse')?.allowed).toContain('did you mean database?')
    expect(issues.find(({ key }) => key.includes('timeZone'))?.allowed).toContain('Europe/Paris')
  })

  it.each([
    ['invalid YAML', 'a: [1\nb: }', /bad indent in YAML, column 1 .*brackets closed/],
    ['a duplicate key', `${MINIMAL}queue: in-process\nqueue: in-process\n`, /duplicate key in YAML.*each key once/],
    ['an empty file', '', /baseUrl/],
    ['a list', '- 1\n', /baseUrl/],
    ['no channels', 'baseUrl: https://a.example\nchannels: []\n', /at least one channel/],
    ['a number as a name', MINIMAL.replace('acme', '0042'), /42 text without .*a number needs quotes/],
    ['a slash in a name', MINIMAL.replace('acme', 'a/b'), /without "\/"/],
    ['a fixed offset as time zone', `${MINIMAL}scheduleTimeZone: "+02:00"\n`, /IANA/],
    [
      'an invalid date of a rate',
      `${MINIMAL}reports: { currency: EUR, exchangeRates: { USD: { rate: 1, date: soon } } }\n`,
      /YYYY-MM-DD/,
    ],
    [
      'rates from an address without a currency',
      `${MINIMAL}reports: { exchangeRates: hist.csv }\n`,
      /the currency that/,
    ],
    [
      'rates beside others without a currency',
      `${MINIMAL}reports: { exchangeRates: { from: hist.csv } }\n`,
      /the currency that/,
    ],
    [
      'rates from an address that anybody can change',
      `${MINIMAL}reports: { currency: EUR, exchangeRates: { from: http://rates.example.com/hist.csv } }\n`,
      /not allowed \(not shown\)[\s\S]*https URL/,
    ],
    [
      'a number as the address of rates',
      `${MINIMAL}reports: { currency: EUR, exchangeRates: { from: 5 } }\n`,
      /5 the path of a file/,
    ],
    [
      'a number as rates',
      `${MINIMAL}reports: { currency: EUR, exchangeRates: 5 }\n`,
      /5 currency codes with their rates/,
    ],
    ['a query in the base URL', MINIMAL.replace('.com', '.com/?a=1'), /without user, query/],
    ['a weekday in full', `${MINIMAL}schedule: { rfqs: "0 6 * * monday" }\n`, /'monday'.*a quoted cron expression/],
    ['an infinite number', `${MINIMAL}requests: { perSecond: .inf }\n`, /a number from/],
    [
      'an unknown requirement',
      `${MINIMAL}reports: { requirements: { priceMaximum: hard } }\n`,
      /did you mean priceMax\?/,
    ],
    ['an unknown level', `${MINIMAL}reports: { requirements: { priceMax: must } }\n`, /one of hard, advisory, off/],
    [
      'the rule of an earlier version',
      `${MINIMAL}reports: { awardRule: lowest-cost }\n`,
      /awardTolerance: 0 for the lowest price per tonne, unlimited for the lowest total/,
    ],
    ['a setting that is gone', `${MINIMAL}reports: { wantedVolume: max }\n`, /an unknown key .*volume/],
    [
      'a requirement that is gone',
      `${MINIMAL}reports: { requirements: { status: off } }\n`,
      /an unknown key .*notExpired/,
    ],
    ['text instead of a number', `${MINIMAL}web: { port: "80" }\n`, /whole number from 0 to 65535/],
  ])('include errors of form: %s', (_what, text, message) => {
    const issues = issuesOf(text)
    expect(issues.map(({ allowed, found }) => `${found} ${allowed}`).join('\n')).toMatch(message)
    expect(issues[0]?.file).toBe(join(folder, 'quotekeeper.yaml'))
  })

  it.each([
    'https://me:SECRET@host',
    'https://SECRET@host',
    'https://host/?token=SECRET',
    'https://host/#SECRET',
    'https://host/me:SECRET@path',
    'htps:/me:SECRET@host',
    'me:SECRET@host',
    'redis://:SECRET@host',
    'redis://:SEC?RET@host',
    'redis://SEC?RET@host',
    'redis://SEC/RET@host',
    'redis://SEC#RET@host',
    'redis:/:SECRET@',
    'postgres://me:SECRET@',
    'rabbit://host?password=SECRET',
    'postgres://me:SECRET@host:port/db?sslpassword=SECRET',
  ])('never show a password or token, in whatever key it is: %s', (text) => {
    const url = JSON.stringify(text)
    const issues = issuesOf(
      MINIMAL.replace('https://marketplace.example.com', url) +
        `database: ${url}\nqueue: ${url}\nlogLevel: ${url}\nweb: { token: ${url}, port: ${url} }\n`,
    )
    const accepted = [
      ...(/^redis:\/\/:SECRET@host/.test(text) ? ['queue'] : []),
      ...(text.includes('://') ? [] : ['database']),
    ]
    const keys = ['baseUrl', 'database', 'queue', 'logLevel', 'web.token', 'web.port']
    expect(issues.map(({ key }) => key).sort()).toEqual(keys.filter((key) => !accepted.includes(key)).sort())
    expect(JSON.stringify(issues)).not.toMatch(/SEC|RET/)
    const overridden = issuesOf(MINIMAL, { env: { QUOTEKEEPER_BASE_URL: text, QUOTEKEEPER_QUEUE: text } })
    expect(JSON.stringify(overridden)).not.toMatch(/SEC|RET/)
  })
})

const TOKEN = 'a-token-of-24-characters'

describe('web page', () => {
  it('has users with names and roles', () => {
    const web = 'web: { tokens: [{ name: ana, role: viewer, token: { env: ANA } }], host: 0.0.0.0 }\n'
    expect(read(MINIMAL + web, { ANA: TOKEN }).web).toMatchObject({
      token: null,
      tokens: [{ name: 'ana', role: 'viewer', token: TOKEN }],
    })
    expect(issuesOf(MINIMAL + web)[0]).toMatchObject({ key: 'web.tokens[0].token' })
    expect(issuesOf(MINIMAL + web.replace('{ env: ANA }', 'abc'))[0]?.found).toBe('a literal value (not shown)')
  })

  it('refuses users that could be confused, and a header that anybody could send', () => {
    const user = (name: string) => `{ name: ${name}, role: viewer, token: { env: T } }`
    const check = (keys: string) =>
      issuesOf(`${MINIMAL}web: { ${keys} }\n`, {
        env: { T: TOKEN, U: 'another token of 24 characters', S: 'short' },
      })[0]
    expect(check(`tokens: [${user('ana')}, ${user('ana')}]`)).toMatchObject({
      key: 'web.tokens[1].name',
      found: 'a second ana',
    })
    expect(check(`tokens: [${user('"an\\u0007a"')}]`)).toMatchObject({
      key: 'web.tokens[0].name',
      found: expect.stringContaining('not shown'),
    })
    expect(check(`token: { env: T }, tokens: [${user('operator')}]`)).toMatchObject({ key: 'web.tokens[0].name' })
    const other = '{ name: omar, role: operator, token: { env: T } }'
    expect(check(`tokens: [${user('ana')}, ${other}]`)).toMatchObject({
      key: 'web.tokens[1].token',
      found: 'the token of another user',
    })
    expect(check(`token: { env: U }, tokens: [${other}, ${user('ana').replace('T', 'U')}]`)).toMatchObject({
      key: 'web.tokens[1].token',
    })
    for (const keys of ['token: { env: S }', `tokens: [${user('ana').replace('T', 'S')}]`])
      expect(check(keys)).toMatchObject({ found: 'a secret of 5 characters' })
    expect(check('trustedUserHeader: X-Forwarded-For')).toMatchObject({ key: 'web.trustedUserHeader' })
    expect(check('trustedProxies: [127.0.0.1]')).toMatchObject({
      ...{ key: 'web.trustedProxies', found: 'a removed key' },
      allowed: 'delete it: a proxy proves itself by web.proxySecret, whatever its address',
    })
  })

  it('believes proxies only with a secret and the URL at which browsers reach them', () => {
    const env = { PROXY: 'a secret of the proxy' }
    const keys = {
      proxySecret: '{ env: PROXY }',
      publicUrl: 'https://quotes.example.com',
    }
    const web = (found: Record<string, string>, more = '') =>
      `${MINIMAL}web: { ${Object.entries(found)
        .map((entry) => entry.join(': '))
        .join(', ')}${more} }\n`
    const header = { ...keys, trustedUserHeader: 'X-User' }
    expect(read(web(header), env).web).toMatchObject({
      ...{ trustedUserHeader: 'X-User', proxySecret: env.PROXY, publicUrl: keys.publicUrl },
    })
    for (const missing of ['proxySecret', 'publicUrl'] as const) {
      const { [missing]: _, ...others } = header
      expect(issuesOf(web(others), { env })).toMatchObject([{ key: `web.${missing}`, found: 'nothing' }])
    }
    const [secret, url] = issuesOf(`${MINIMAL}web: { token: { env: T }, trustedUserHeader: X-User }\n`, {
      env: { T: TOKEN },
    })
    expect(secret?.allowed).toMatch(/the header X-Quotekeeper-Proxy-Secret, as \{ env: NAME \}.*openssl rand -hex 32/)
    expect(url?.allowed).toMatch(/such as https:\/\/quotes\.example\.com/)
    expect(issuesOf(web({ ...header, proxySecret: '{ env: S }' }), { env: { S: 'short' } })).toMatchObject([
      { key: 'web.proxySecret', found: 'a secret of 5 characters' },
    ])
  })

  it('has a public URL of a whole host, in https unless it is this machine', () => {
    const read1 = (url: string, more = ', token: { env: T }') =>
      read(`${MINIMAL}web: { publicUrl: ${JSON.stringify(url)}${more} }\n`, { T: TOKEN }).web.publicUrl
    expect(read1('https://Quotes.example.com:8443/')).toBe('https://quotes.example.com:8443')
    expect(read1('http://localhost:8080', '')).toBe('http://localhost:8080')
    for (const url of ['http://quotes.example.com', 'https://a.example/quotes', 'quotes.example.com', 'https://u:p@a'])
      expect(() => read1(url)).toThrow('web.publicUrl')
    expect(() => read1('https://quotes.example.com', '')).toThrow(
      /web\.token.*because other machines can reach https:\/\/quotes\.example\.com/s,
    )
  })

  const open = `${MINIMAL}web: { host: 0.0.0.0, token: { env: WEB_TOKEN } }\n`

  it('needs a token unless bound to loopback', () => {
    expect(read(open, { WEB_TOKEN: TOKEN }).web.token).toBe(TOKEN)
    expect(issuesOf(open)[0]).toMatchObject({ key: 'web.token', found: expect.stringContaining('WEB_TOKEN') })
  })

  it('needs no token on loopback', () => {
    expect(read(open.replace('0.0.0.0', '"::1"')).web.token).toBeNull()
  })
})
