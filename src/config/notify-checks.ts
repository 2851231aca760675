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
  return [
    ...Object.entries(targets).flatMap(([name, target]) => smtpMistakes(['notify', 'targets', name, 'smtp'], target)),
    ...routeMistakes(notify.routes, Object.keys(targets), channelKeys(channels)),
  ]
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

function routeMistakes(routes: unknown, targets: readonly string[], channels: readonly string[]): Mistake[] {
  if (!Array.isArray(routes)) return []
  return routes.flatMap((route, at) => {
    if (!isRecord(route)) return []
    const unknown = (key: 'to' | 'channels', known: readonly string[], noun: string) =>
      listOf(route[key]).flatMap((name, index): Mistake[] => {
        if (typeof name !== 'string' || known.includes(name.trim())) return []
        const allowed = known.length === 0 ? `${noun}, of which there is none` : `${noun}: ${known.join(', ')}`
        return [
          {
            path: ['notify', 'routes', at, key, index],
            found: JSON.stringify(name.slice(0, 80)),
            allowed: didYouMean(name, known) + allowed,
          },
        ]
      })
    return [
      ...unknown('to', targets, 'a target under notify.targets'),
      ...unknown('channels', channels, 'a channel under channels'),
    ]
  })
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
