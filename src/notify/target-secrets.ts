import { MIN_PART_LENGTH } from '../core/text/secret-scrubber.js'
import type { NotifyTarget } from './contract.js'

/** A part of a URL that is at least this long may be a token. */
const MIN_TOKEN_LENGTH = 20

/**
 * The secrets of a target, which must not be logged or stored. The URL of a chat is a secret, and so is that of a webhook if it is configured as
 * one or looks like one: its whole path, and each long part of it. The signing key is a secret with and without its prefix.
 */
export function targetSecrets(target: NotifyTarget): string[] {
  if (target.type === 'email') return [target.smtp.password ?? '']
  if (target.type !== 'webhook') return addressSecrets(target.url, true)
  const { url, isUrlSecret, secret } = target
  return [...addressSecrets(url, isUrlSecret), secret, secret.replace(/^whsec_/, '')]
}

function addressSecrets(url: string, isSecret: boolean): string[] {
  if (url === '') return []
  const { pathname, search, searchParams } = new URL(url)
  const tokens = [...pathname.split('/'), ...searchParams.values()].filter(({ length }) => length >= MIN_TOKEN_LENGTH)
  if (!isSecret && search === '' && tokens.length === 0) return []
  // Skips very short paths, which are not secret and would be removed from other text too.
  const paths = [pathname + search, pathname].filter(({ length }) => length >= MIN_PART_LENGTH)
  return [...new Set([...paths, ...tokens])]
}
