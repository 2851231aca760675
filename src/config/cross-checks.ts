import { isLoopback } from '../domain/loopback.js'
import { isRecord } from './environment.js'
import type { SchemaContext } from './schema.js'
import { fetchSecret, parseSecretRef } from './secret.js'
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
    ...ratesWithoutCurrency(value.reports),
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
  if (!isRecord(web) || typeof web.host !== 'string' || isLoopback(web.host.trim())) return []
  const path = ['web', 'token']
  if (web.token === undefined || web.token === null) {
    const allowed = `a token, as { env: NAME } or { file: PATH }, because other machines can reach ${web.host}; or host: 127.0.0.1`
    return [issue(path, 'nothing', allowed)]
  }
  const ref = parseSecretRef(web.token)
  if (!('value' in ref) || !context.secretsRequired) return []
  const fetched = fetchSecret(ref.value, context.folder, context.env)
  return 'value' in fetched
    ? []
    : [issue(path, fetched.found, `${fetched.allowed}; required because other machines can reach ${web.host}`)]
}

function ratesWithoutCurrency(reports: unknown): CrossCheckIssue[] {
  if (!isRecord(reports) || !isRecord(reports.exchangeRates)) return []
  const given = Object.keys(reports.exchangeRates).length > 0
  if (!given || (reports.currency !== undefined && reports.currency !== null)) return []
  return [issue(['reports', 'currency'], 'nothing', 'the currency that exchangeRates convert to, such as EUR')]
}
