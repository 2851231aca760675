import { z } from 'zod'
import { EVENT_KINDS, type EventKind } from '../core/events/events.js'
import { isLoopback, isSecureUrl } from '../core/requests/loopback.js'
import { didYouMean } from '../core/text/suggest.js'
import { parseSecretRef, readSecret, type SchemaContext, secret } from './secret.js'
import * as values from './values.js'

/** The section `notify`: where notifications are sent (docs/NOTIFICATIONS.md). */
export const notify = (context: SchemaContext) =>
  z.strictObject({
    targets: z
      .preprocess((found) => found ?? {}, z.record(targetName, target(context), { error: targetError }))
      .prefault({})
      .transform((found) =>
        Object.entries(found).map(([name, each]) =>
          each.type === 'webhook' ? { name, ...each, ...each.url } : { name, ...each },
        ),
      ),
    dueSoonDays: values.integer(0, 365).prefault(3),
  })

const targetName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/)
const targetError = ({ code }: { code?: string | undefined }) =>
  code === 'invalid_key' ? 'Expected a name of at most 40 letters, digits, - and _' : undefined

const SIGNING_SECRET =
  'whsec_ and the Base64 of 24 to 64 random bytes (make one with: echo "whsec_$(openssl rand -base64 32)")'

const target = (context: SchemaContext) =>
  z.discriminatedUnion(
    'type',
    [
      z.strictObject({
        type: z.literal('webhook'),
        ...choice(),
        url: webhookUrl(context),
        secret: secret(context, checkSigningSecret),
      }),
      ...(['slack', 'teams'] as const).map((type) =>
        z.strictObject({ type: z.literal(type), ...choice(), url: secret(context, checkUrl) }),
      ),
      z.strictObject({
        type: z.literal('email'),
        ...choice(),
        smtp: smtp(context),
        from: address(),
        to: z.array(address()).min(1).max(50),
        // At its ticks, sends everything since the last in one message; null: sends at once.
        digest: values.cron().prefault(null),
        attachWorkbook: values.flag().prefault(false),
      }),
    ],
    { error: `Expected a section with type: webhook, slack, teams, email` },
  )

function checkUrl(text: string): string {
  const { username, password, href } = isSecureUrl(text) ? new URL(text) : {}
  if (href !== undefined && username === '' && password === '') return href
  throw new Error('Expected an https URL without user and password (http on loopback only)')
}

/** The URL itself, or where to find it if it contains a secret. */
const webhookUrl = (context: SchemaContext) =>
  values.readBy((found) => {
    const isUrlSecret = typeof found !== 'string'
    const url = isUrlSecret ? readSecret(parseSecretRef(found), context, checkUrl) : checkUrl(found.trim())
    return { url, isUrlSecret }
  })

/** The format that Standard Webhooks requires. */
function checkSigningSecret(text: string): string {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length
  if (bytes >= 24 && bytes <= 64) return text
  throw new Error(`Expected ${SIGNING_SECRET}`)
}

/** Without quotes, comments and characters that could begin another header. */
const ADDRESS = /^(?=.{1,254}$)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/
const address = () => z.string().regex(ADDRESS, { error: 'Expected an e-mail address, without a name' })

const smtp = (context: SchemaContext) =>
  z
    .strictObject({
      host: z.string().regex(/^[A-Za-z0-9.:_-]+$/, { error: 'Expected the name or address of a mail server' }),
      port: values.integer(1, 65_535).prefault(587),
      security: z.enum(['starttls', 'tls', 'none']).prefault('starttls'),
      user: values.text().nullable().prefault(null),
      password: secret(context).nullable().prefault(null),
    })
    .refine(({ host, security }) => security !== 'none' || isLoopback(host), {
      path: ['security'],
      error: 'Expected starttls or tls, because the mail server is another machine; none on loopback only',
    })
    .refine(({ user, password }) => (user === null) === (password === null), {
      error: 'Expected both user and password, or neither',
    })

/** What a target takes. */
const choice = () => ({
  kinds: z
    .array(kinds())
    .prefault(['*'])
    .transform((found) => [...new Set(found.flat())]),
  channels: z.array(values.text()).nullable().prefault(null),
})

const ALL_KINDS: readonly EventKind[] = (Object.keys(EVENT_KINDS) as EventKind[]).filter(
  (kind) => kind !== 'notify.test',
)

/** A kind, all of a group such as `offer.*`, or all. */
const kinds = () =>
  values.readBy((found) => {
    const text = String(found).trim()
    const isMeant = (kind: string) => kind === text || (/^[a-z]+\.\*$/.test(text) && kind.startsWith(text.slice(0, -1)))
    const named = text === '*' ? ALL_KINDS : ALL_KINDS.filter(isMeant)
    if (named.length > 0) return named
    const closest = `${didYouMean(text, ALL_KINDS)}Kinds: ${ALL_KINDS.join(', ')}`
    throw new Error(`Expected a kind of event, a group such as offer.*, or *; ${closest}`)
  })

/** Refuses targets that take events of channels that are not configured. */
export function refuseUnknownChannels(
  found: { channels: { key: string }[]; notify: { targets: { name: string; channels: string[] | null }[] } },
  { addIssue }: z.RefinementCtx,
): void {
  const known = found.channels.map(({ key }) => key)
  for (const target of found.notify.targets)
    for (const [index, name] of (target.channels ?? []).entries())
      if (!known.includes(name))
        addIssue({
          code: 'custom',
          path: ['notify', 'targets', target.name, 'channels', index],
          message: `${didYouMean(name, known, 'Did you mean')}Expected a channel under channels: ${known.join(', ')}`,
        })
}
