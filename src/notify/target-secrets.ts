import { MIN_PART_LENGTH } from '../core/text/secret-scrubber.js'
import type { NotifyTarget } from './contract.js'

/** A part of an address that is this long may be a token. */
const MIN_TOKEN_LENGTH = 20

/**
 * What must not be written of a target. The address of a chat is a secret, and that of a webhook if it is configured as one or
 * looks like one: its path, whole, and its long parts alone. Messages name only the host. A signing key may be written without
 * its prefix.
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
  // A very short path is no secret, and would be removed from other text too.
  const paths = [pathname + search, pathname].filter(({ length }) => length >= MIN_PART_LENGTH)
  return [...new Set([...paths, ...tokens])]
}
