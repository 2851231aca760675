import { z } from 'zod'
import { EVENT_KINDS, type EventKind } from '../core/events/events.js'
import { isLoopback } from '../core/requests/loopback.js'
import { didYouMean } from '../core/text/suggest.js'
import { SECURITIES, TARGET_TYPES } from '../notify/contract.js'
import type { ReadResult } from './secret.js'
import { readSecret, requiredSection, type SchemaContext, secret, section } from './section.js'
import * as values from './values.js'

/** The section `notify`: where notifications are sent (docs/NOTIFICATIONS.md). */
export const notify = (context: SchemaContext) =>
  section({
    targets: z
      .preprocess((found) => found ?? {}, z.record(targetName, target(context), { error: targetsError }))
      .prefault({})
      .transform((found) =>
        Object.entries(found).map(([name, each]) =>
          each.type === 'webhook' ? { name, ...each, ...each.url } : { name, ...each },
        ),
      ),
    dueSoonDays: values.integer(0, 365).prefault(3),
  })

const SIGNING_SECRET =
  'whsec_ and the Base64 of 24 to 64 random bytes (make one with: echo "whsec_$(openssl rand -base64 32)")'

const TARGET_NAME = 'a name of at most 40 letters, digits, - and _'
const targetName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/, { error: TARGET_NAME })
const targetsError = ({ code }: { code: string }) => (code === 'invalid_key' ? TARGET_NAME : 'targets by name')

const target = (context: SchemaContext) =>
  z.discriminatedUnion(
    'type',
    [
      requiredSection({
        type: z.literal('webhook'),
        ...choice(),
        url: webhookUrl(context),
        secret: secret(context, checkSigningSecret, `where the signing secret is, ${SIGNING_SECRET}`),
      }),
      ...(['slack', 'teams'] as const).map((type) =>
        requiredSection({ type: z.literal(type), ...choice(), url: secret(context, checkUrl) }),
      ),
      requiredSection({
        type: z.literal('email'),
        ...choice(),
        smtp: smtp(context),
        from: address(),
        to: z.array(address(), { error: 'a list of addresses' }).min(1, { error: 'at least one address' }).max(50),
        digest: values.cron().prefault(null),
        attachWorkbook: values.flag().prefault(false),
      }),
    ],
    { error: `a section with type: ${TARGET_TYPES.join(', ')}` },
  )

const URLS = 'an https URL without user and password (http on loopback only)'

/** A rejected URL is not shown, because it may contain a secret. */
function checkUrl(text: string): ReadResult<string> {
  const url = URL.canParse(text) ? new URL(text) : null
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))
  if (url && isSecure && url.username === '' && url.password === '') return { value: url.href }
  return { found: 'a URL that is not allowed (not shown)', allowed: URLS }
}

/** The URL itself, or where to find it if it contains a secret. */
const webhookUrl = (context: SchemaContext) =>
  values.readValue((found): ReadResult<{ url: string; isUrlSecret: boolean }> => {
    const isUrlSecret = typeof found !== 'string'
    const result = isUrlSecret ? readSecret(found, context, checkUrl) : checkUrl(found.trim())
    return 'value' in result ? { value: { url: result.value, isUrlSecret } } : result
  })

/** The format that Standard Webhooks requires. */
function checkSigningSecret(text: string): ReadResult<string> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length
  if (bytes >= 24 && bytes <= 64) return { value: text }
  return { found: 'a secret of another form (not shown)', allowed: SIGNING_SECRET }
}

/** Without quotes, comments and characters that could begin another header. */
const ADDRESS = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/
const address = () =>
  values.readValue((found): ReadResult<string> => {
    if (typeof found === 'string' && found.length <= 254 && ADDRESS.test(found)) return { value: found }
    // Quoted as JSON, because text with a line break would be described as several lines.
    const text = typeof found === 'string' ? `an invalid mail address: ${JSON.stringify(found.slice(0, 80))}` : ''
    return { found: text, allowed: 'an e-mail address, without a name' }
  })

const smtp = (context: SchemaContext) =>
  requiredSection({
    host: values.value('the name or address of a mail server', (found) =>
      typeof found === 'string' && /^[A-Za-z0-9.:_-]+$/.test(found) ? found : undefined,
    ),
    port: values.integer(1, 65_535).prefault(587),
    security: values.choice(SECURITIES).prefault('starttls'),
    user: values.text('the name of a user').nullable().prefault(null),
    password: secret(context).nullable().prefault(null),
  })

/** What a target takes. */
const choice = () => ({
  kinds: z
    .array(kinds(), { error: 'a list of kinds' })
    .prefault(['*'])
    .transform((found) => [...new Set(found.flat())]),
  channels: z.array(values.text('org/slug'), { error: 'a list of channels' }).nullable().prefault(null),
})

const ALL_KINDS = (Object.keys(EVENT_KINDS) as EventKind[]).filter((kind) => kind !== 'notify.test')

/** A kind, all of a group such as `offer.*`, or all. */
const kinds = () =>
  values.readValue((found): ReadResult<EventKind[]> => {
    const text = typeof found === 'string' ? found.trim() : ''
    if (text === '*') return { value: ALL_KINDS }
    const isGroup = /^[a-z]+\.\*$/.test(text)
    const named = ALL_KINDS.filter((kind) => (isGroup ? kind.startsWith(text.slice(0, -1)) : kind === text))
    if (named.length > 0) return { value: named }
    const kindList = `${didYouMean(text, ALL_KINDS)}Kinds: ${ALL_KINDS.join(', ')}`
    return { found: '', allowed: `a kind of event, a group such as offer.*, or *; ${kindList}` }
  })
