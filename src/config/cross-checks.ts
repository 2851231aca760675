import { isLoopback } from '../core/requests/loopback.js'
import { isPostgresUrl } from '../store/postgres/postgres-url.js'
import { isRecord } from './environment.js'
import { notifyMistakes } from './notify-checks.js'
import { splitRates } from './report-settings.js'
import { fetchSecret, parseSecretRef } from './secret.js'
import { isAbsent, type SchemaContext } from './section.js'
import type { Path } from './yaml-document.js'

export interface CrossCheckIssue {
  code: 'custom'
  path: (string | number)[]
  message: string
  params: { found: string }
}

/**
 * Checks rules that involve several keys. Works on the file's values before validation, so that another error does not
 * hide these.
 */
export function crossCheck(value: unknown, context: SchemaContext): CrossCheckIssue[] {
  if (!isRecord(value)) return []
  return [
    ...duplicateChannels(value.channels),
    ...webWithoutToken(value.web, context),
    ...ambiguousUsers(value.web),
    ...sharedTokens(value.web, context),
    ...incompleteProxies(value.web),
    ...uselessQueuePassword(value),
    ...uselessDatabasePassword(value),
    ...ratesWithoutCurrency(value.reports),
    ...notifyMistakes(value).map(({ path, found, allowed }) => issue(path, found, allowed)),
  ]
}

const issue = (path: Path, found: string, message: string): CrossCheckIssue => ({
  code: 'custom',
  path: [...path],
  message,
  params: { found },
})

function duplicateChannels(channels: unknown): CrossCheckIssue[] {
  if (!Array.isArray(channels)) return []
  const names = channels.map((each) => (isRecord(each) ? `${each.org}/${each.channel}` : null))
  return names.flatMap((name, index) =>
    name !== null && names.indexOf(name) < index
      ? [issue(['channels', index], `a second ${name}`, 'each channel only once; remove one of the two')]
      : [],
  )
}

function webWithoutToken(web: unknown, context: SchemaContext): CrossCheckIssue[] {
  const name = isRecord(web) ? remoteName(web) : null
  if (!isRecord(web) || name === null) return []
  const path = ['web', 'token']
  const others = Array.isArray(web.tokens) && web.tokens.length > 0
  if (isAbsent(web.token) && (others || !isAbsent(web.trustedUserHeader))) return []
  if (isAbsent(web.token)) {
    const allowed = `a token, as { env: NAME } or { file: PATH }, because other machines can reach ${name}; or web.tokens${name === web.host ? '; or host: 127.0.0.1' : ''}`
    return [issue(path, 'nothing', allowed)]
  }
  const ref = parseSecretRef(web.token)
  if (!('value' in ref) || !context.secretsRequired) return []
  const fetched = fetchSecret(ref.value, context.folder, context.env)
  return 'value' in fetched
    ? []
    : [issue(path, fetched.found, `${fetched.allowed}; required because other machines can reach ${name}`)]
}

/** The name by which other machines reach the page: its host, or that of a proxy on this machine. Null if they cannot. */
function remoteName({ host, publicUrl }: Record<string, unknown>): string | null {
  if (typeof host === 'string' && !isLoopback(host.trim())) return host
  const isPublic = typeof publicUrl === 'string' && URL.canParse(publicUrl) && !isLoopback(new URL(publicUrl).hostname)
  return isPublic ? publicUrl : null
}

/** The user of web.token. */
const SINGLE_TOKEN_USER = 'operator'

/** Two users of one name could not be told apart in the closing log. */
function ambiguousUsers(web: unknown): CrossCheckIssue[] {
  if (!isRecord(web) || !Array.isArray(web.tokens)) return []
  const names = web.tokens.map((each) => (isRecord(each) && typeof each.name === 'string' ? each.name.trim() : null))
  return names.flatMap((name, index) => {
    const path = ['web', 'tokens', index, 'name']
    if (name === SINGLE_TOKEN_USER && !isAbsent(web.token))
      return [issue(path, name, 'another name, because it is that of web.token')]
    return name !== null && names.indexOf(name) < index
      ? [issue(path, `a second ${name}`, 'each name only once; remove one of the two')]
      : []
  })
}

/** If two users had one token, both would be identified as the first. */
function sharedTokens(web: unknown, context: SchemaContext): CrossCheckIssue[] {
  if (!isRecord(web) || !Array.isArray(web.tokens) || !context.secretsRequired) return []
  const tokenOf = (found: unknown) => {
    const ref = parseSecretRef(found)
    const fetched = 'value' in ref ? fetchSecret(ref.value, context.folder, context.env) : ref
    return 'value' in fetched ? fetched.value : null
  }
  const tokens = [web.token, ...web.tokens.map((each) => (isRecord(each) ? each.token : null))].map(tokenOf)
  return tokens.flatMap((token, index) =>
    token !== null && tokens.indexOf(token) < index
      ? [issue(['web', 'tokens', index - 1, 'token'], 'the token of another user', 'a token of its own for each user')]
      : [],
  )
}

/** An address would not identify a proxy: every program on its machine has it, and so does a website that reaches it by DNS rebinding. */
function incompleteProxies(web: unknown): CrossCheckIssue[] {
  if (!isRecord(web)) return []
  if (isAbsent(web.trustedUserHeader) && isAbsent(web.proxySecret)) return []
  const required = {
    ...(isAbsent(web.proxySecret) && {
      proxySecret:
        'the secret that the proxy sends in the header X-Quotekeeper-Proxy-Secret, as { env: NAME } or { file: PATH }; make one with: openssl rand -hex 32',
    }),
    ...(isAbsent(web.publicUrl) && {
      publicUrl: 'the https URL of the proxy, at which browsers reach the page, such as https://quotes.example.com',
    }),
  }
  return Object.entries(required).map(([key, allowed]) => issue(['web', key], 'nothing', allowed))
}

/** A password without a server is a mistake, and with a password in the URL it is unclear which one is meant. */
function uselessQueuePassword({ queue, queuePassword }: Record<string, unknown>): CrossCheckIssue[] {
  if (isAbsent(queuePassword)) return []
  if (isAbsent(queue) || queue === 'in-process') {
    const allowed = 'no password, because queue: in-process needs none; or queue: redis://…'
    return [issue(['queuePassword'], 'a password', allowed)]
  }
  return hasPassword(queue)
    ? [issue(['queuePassword'], 'a second password', 'only one: remove the password from queue')]
    : []
}

function uselessDatabasePassword({ database, databasePassword }: Record<string, unknown>): CrossCheckIssue[] {
  if (isAbsent(databasePassword)) return []
  if (typeof database !== 'string' || !isPostgresUrl(database.trim())) {
    const allowed = 'no password, because a SQLite file needs none; or database: postgres://…'
    return [issue(['databasePassword'], 'a password', allowed)]
  }
  return hasPassword(database)
    ? [issue(['databasePassword'], 'a second password', 'only one: remove the password from database')]
    : []
}

const hasPassword = (url: unknown) => typeof url === 'string' && URL.canParse(url) && new URL(url).password !== ''

function ratesWithoutCurrency(reports: unknown): CrossCheckIssue[] {
  if (!isRecord(reports) || !isAbsent(reports.currency)) return []
  const { from, fixed } = splitRates(reports.exchangeRates)
  if (isAbsent(from) && !(isRecord(fixed) && Object.keys(fixed).length > 0)) return []
  return [issue(['reports', 'currency'], 'nothing', 'the currency that exchangeRates convert to, such as EUR')]
}
