import { isLoopback } from '../core/requests/loopback.js'
import { didYouMean } from '../core/text/suggest.js'
import { isPostgresUrl } from '../store/postgres/postgres-url.js'
import { isRecord } from './environment.js'
import { splitRates } from './report-settings.js'
import { fetchSecret, isAbsent, parseSecretRef, type SchemaContext } from './secret.js'
import type { Path } from './yaml-document.js'

/** A mistake that involves several keys. */
interface Mistake {
  path: Path
  found: string
  allowed: string
}
type Section = Record<string, unknown>

const sectionOf = (found: unknown): Section => (isRecord(found) ? found : {})
const listOf = (found: unknown): Section[] => (Array.isArray(found) ? found.map(sectionOf) : [])

/** Checks the rules that involve several keys, on the values of the file, so that another error does not hide these. */
export function checkRules(found: unknown, context: SchemaContext): Mistake[] {
  const config = sectionOf(found)
  const web = sectionOf(config.web)
  const channels = listOf(config.channels).map(({ org, channel }) => `${org}/${channel}`)
  return [
    ...duplicates(channels, (index) => ['channels', index]),
    ...webToken(web, context),
    ...duplicates(userNames(web), (index) => ['web', 'tokens', index - 1, 'name']),
    ...duplicates(
      tokensOf(web, context),
      (index) => ['web', 'tokens', index - 1, 'token'],
      'the token of another user',
    ),
    ...proxy(web),
    ...uselessPassword(config, 'queue', (queue) => /^rediss?:/.test(queue), 'redis://…'),
    ...uselessPassword(config, 'database', (database) => isPostgresUrl(database), 'postgres://…'),
    ...ratesWithoutCurrency(sectionOf(config.reports)),
    ...Object.entries(sectionOf(sectionOf(config.notify).targets)).flatMap(([name, target]) => [
      ...smtp(['notify', 'targets', name, 'smtp'], sectionOf(target).smtp),
      ...unknownChannels(['notify', 'targets', name, 'channels'], sectionOf(target).channels, channels),
    ]),
  ]
}

/** @param found how a repeated value is described, unless by itself */
function duplicates(all: readonly unknown[], pathOf: (index: number) => Path, found?: string): Mistake[] {
  return all.flatMap((each, index) =>
    typeof each === 'string' && all.indexOf(each) < index
      ? [{ path: pathOf(index), found: found ?? `a second ${each}`, allowed: 'each only once' }]
      : [],
  )
}

/** Two users of one name could not be told apart in the closing log; that of `web.token` is `operator`. */
const userNames = (web: Section) => [
  isAbsent(web.token) ? null : 'operator',
  ...listOf(web.tokens).map(({ name }) => (typeof name === 'string' ? name.trim() : null)),
]

/** If two users had one token, both would be identified as the first. */
const tokensOf = (web: Section, context: SchemaContext) =>
  [web.token, ...listOf(web.tokens).map(({ token }) => token)].map((found) => {
    const ref = parseSecretRef(found)
    const token = 'value' in ref && context.secretsRequired ? fetchSecret(ref.value, context) : ref
    return 'value' in token ? token.value : null
  })

function webToken(web: Section, context: SchemaContext): Mistake[] {
  const name = remoteName(web)
  const path = ['web', 'token']
  if (name === null) return []
  if (isAbsent(web.token)) {
    if (listOf(web.tokens).length > 0 || !isAbsent(web.trustedUserHeader)) return []
    const allowed = `a token, as { env: NAME } or { file: PATH }, because other machines can reach ${name}; or web.tokens`
    return [{ path, found: 'nothing', allowed }]
  }
  const ref = parseSecretRef(web.token)
  if (!('value' in ref) || !context.secretsRequired) return []
  const fetched = fetchSecret(ref.value, context)
  if ('value' in fetched) return []
  return [{ path, found: fetched.found, allowed: `${fetched.allowed}; other machines can reach ${name}` }]
}

/** The name by which other machines reach the page: its host, or that of a proxy on this machine. Null if they cannot. */
function remoteName({ host, publicUrl }: Section): string | null {
  if (typeof host === 'string' && !isLoopback(host.trim())) return host
  const isPublic = typeof publicUrl === 'string' && URL.canParse(publicUrl) && !isLoopback(new URL(publicUrl).hostname)
  return isPublic ? publicUrl : null
}

/** An address would not identify a proxy: every program on its machine has it, and a website by DNS rebinding. */
function proxy(web: Section): Mistake[] {
  if (isAbsent(web.trustedUserHeader) && isAbsent(web.proxySecret)) return []
  const required = {
    proxySecret:
      'the secret that the proxy sends in the header X-Quotekeeper-Proxy-Secret, as { env: NAME } or { file: PATH }; make one with: openssl rand -hex 32',
    publicUrl: 'the https URL of the proxy, at which browsers reach the page, such as https://quotes.example.com',
  }
  return Object.entries(required)
    .filter(([key]) => isAbsent(web[key]))
    .map(([key, allowed]) => ({ path: ['web', key], found: 'nothing', allowed }))
}

/** A password without a server is a mistake, and with a password in the URL it is unclear which one is meant. */
function uselessPassword(
  config: Section,
  key: 'queue' | 'database',
  isServer: (address: string) => boolean,
  form: string,
): Mistake[] {
  const address = String(config[key] ?? '').trim()
  const path = [`${key}Password`]
  if (isAbsent(config[`${key}Password`])) return []
  if (!isServer(address))
    return [{ path, found: 'a password', allowed: `no password, because this ${key} needs none; or ${key}: ${form}` }]
  if (!URL.canParse(address) || new URL(address).password === '') return []
  return [{ path, found: 'a second password', allowed: `only one: remove the password from ${key}` }]
}

function ratesWithoutCurrency({ currency, exchangeRates }: Section): Mistake[] {
  const { from, fixed } = splitRates(exchangeRates)
  if (!isAbsent(currency) || (isAbsent(from) && Object.keys(sectionOf(fixed)).length === 0)) return []
  const allowed = 'the currency that exchangeRates convert to, such as EUR'
  return [{ path: ['reports', 'currency'], found: 'nothing', allowed }]
}

function smtp(path: Path, found: unknown): Mistake[] {
  const { host, security, user, password } = sectionOf(found)
  const isLocal = typeof host === 'string' && isLoopback(host)
  const plain = 'starttls or tls, because the mail server is another machine; none on loopback only'
  const lonely = isAbsent(user) ? 'a password without a user' : 'a user without a password'
  return [
    ...(security === 'none' && !isLocal ? [{ path: [...path, 'security'], found: 'none', allowed: plain }] : []),
    ...(isAbsent(user) === isAbsent(password)
      ? []
      : [{ path, found: lonely, allowed: 'both user and password, or neither' }]),
  ]
}

function unknownChannels(path: Path, found: unknown, known: readonly string[]): Mistake[] {
  if (!Array.isArray(found)) return []
  return found.flatMap((name, index) =>
    typeof name !== 'string' || known.includes(name.trim())
      ? []
      : [
          {
            path: [...path, index],
            found: JSON.stringify(name.slice(0, 80)),
            allowed: `${didYouMean(name, known)}a channel under channels: ${known.join(', ')}`,
          },
        ],
  )
}
