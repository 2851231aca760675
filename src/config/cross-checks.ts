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
 * What keys say together. Works on the file as it stands rather than on the validated value, so that a mistake
 * elsewhere hides none of these.
 */
export function crossCheck(value: unknown, context: SchemaContext): CrossCheckIssue[] {
  if (!isRecord(value)) return []
  return [...duplicateChannels(value.channels), ...openWeb(value.web, context), ...ratesWithoutCurrency(value.reports)]
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
      ? [issue(['channels', index], `${name} a second time`, 'each channel once: remove one of the two')]
      : [],
  )
}

function openWeb(web: unknown, context: SchemaContext): CrossCheckIssue[] {
  if (!isRecord(web) || typeof web.host !== 'string' || isLoopback(web.host.trim())) return []
  const path = ['web', 'token']
  if (web.token === undefined || web.token === null) {
    const allowed = `a token, as { env: NAME } or { file: PATH }, or host: 127.0.0.1: others can reach ${web.host}`
    return [issue(path, 'nothing', allowed)]
  }
  const ref = parseSecretRef(web.token)
  if (!('value' in ref) || !context.secretsRequired) return []
  const fetched = fetchSecret(ref.value, context.folder, context.env)
  return 'value' in fetched ? [] : [issue(path, fetched.found, `${fetched.allowed}; others can reach ${web.host}`)]
}

function ratesWithoutCurrency(reports: unknown): CrossCheckIssue[] {
  if (!isRecord(reports) || !isRecord(reports.exchangeRates)) return []
  const given = Object.keys(reports.exchangeRates).length > 0
  if (!given || (reports.currency !== undefined && reports.currency !== null)) return []
  return [issue(['reports', 'currency'], 'nothing', 'the currency that exchangeRates convert into, such as EUR')]
}
