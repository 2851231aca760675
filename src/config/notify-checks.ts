import { isLoopback } from '../core/requests/loopback.js'
import { didYouMean } from '../core/text/suggest.js'
import { isRecord } from './environment.js'

interface Mistake {
  path: (string | number)[]
  found: string
  allowed: string
}

/** Mistakes that involve several keys of `notify:`. Works on the values of the file. */
export function notifyMistakes({ notify, channels }: Record<string, unknown>): Mistake[] {
  if (!isRecord(notify)) return []
  const targets = isRecord(notify.targets) ? notify.targets : {}
  return Object.entries(targets).flatMap(([name, target]) => [
    ...smtpMistakes(['notify', 'targets', name, 'smtp'], target),
    ...channelMistakes(['notify', 'targets', name, 'channels'], target, channelKeys(channels)),
  ])
}

const channelKeys = (channels: unknown): string[] =>
  Array.isArray(channels) ? channels.flatMap((each) => (isRecord(each) ? [`${each.org}/${each.channel}`] : [])) : []

function smtpMistakes(path: string[], target: unknown): Mistake[] {
  const smtp = isRecord(target) && isRecord(target.smtp) ? target.smtp : null
  if (smtp === null) return []
  const isLocal = typeof smtp.host === 'string' && isLoopback(smtp.host)
  const plain: Mistake = {
    path: [...path, 'security'],
    found: 'none',
    allowed: 'starttls or tls, because the mail server is another machine; none on loopback only',
  }
  const lonely: Mistake = {
    path,
    found: smtp.user == null ? 'a password without a user' : 'a user without a password',
    allowed: 'both user and password, or neither',
  }
  return [
    ...(smtp.security === 'none' && !isLocal ? [plain] : []),
    ...((smtp.user == null) !== (smtp.password == null) ? [lonely] : []),
  ]
}

function channelMistakes(path: string[], target: unknown, known: readonly string[]): Mistake[] {
  if (!isRecord(target) || !Array.isArray(target.channels)) return []
  return target.channels.flatMap((name, index): Mistake[] => {
    if (typeof name !== 'string' || known.includes(name.trim())) return []
    const found = JSON.stringify(name.slice(0, 80))
    return [
      {
        path: [...path, index],
        found,
        allowed: `${didYouMean(name, known)}a channel under channels: ${known.join(', ')}`,
      },
    ]
  })
}
