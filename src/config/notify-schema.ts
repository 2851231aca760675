import { z } from 'zod'
import { EVENT_KINDS, type EventKind } from '../core/events/events.js'
import { didYouMean } from '../core/text/suggest.js'
import { SECURITIES, TARGET_TYPES } from '../notify/contract.js'
import { readSecret, type SchemaContext, secret } from './secret.js'
import * as values from './values.js'

/** The section `notify`: where notifications are sent (docs/NOTIFICATIONS.md). */
export const notify = (context: SchemaContext) =>
  z
    .preprocess(
      (found) => found ?? {},
      z.strictObject({
        targets: z
          .preprocess((found) => found ?? {}, z.record(targetName, target(context)))
          .prefault({})
          .transform((found) =>
            Object.entries(found).map(([name, each]) =>
              each.type === 'webhook' ? { name, ...each, ...each.url } : { name, ...each },
            ),
          ),
        dueSoonDays: values.integer(0, 365).prefault(3),
      }),
    )
    .prefault({})

const SIGNING_SECRET =
  'whsec_ and the Base64 of 24 to 64 random bytes (make one with: echo "whsec_$(openssl rand -base64 32)")'

const targetName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$/)

const target = (context: SchemaContext) =>
  z.discriminatedUnion(
    'type',
    [
      z.strictObject({
        type: z.literal('webhook'),
        ...choice(),
        url: webhookUrl(context),
        secret: secret(context, checkSigningSecret, `where the signing secret is, ${SIGNING_SECRET}`),
      }),
      ...(['slack', 'teams'] as const).map((type) =>
        z.strictObject({ type: z.literal(type), ...choice(), url: secret(context, checkUrl) }),
      ),
      z.strictObject({
        type: z.literal('email'),
        ...choice(),
        smtp: smtp(context),
        from: address(),
        to: z.array(address()).min(1, { error: 'at least one address' }).max(50),
        digest: values.cron().prefault(null),
        attachWorkbook: values.flag().prefault(false),
      }),
    ],
    { error: `a section with type: ${TARGET_TYPES.join(', ')}` },
  )

/** A rejected URL is not shown, because it may contain a secret. */
function checkUrl(text: string): values.ReadResult<string> {
  const { username, password, href } = values.isSecureUrl(text) ? new URL(text) : {}
  if (href !== undefined && username === '' && password === '') return { value: href }
  const allowed = 'an https URL without user and password (http on loopback only)'
  return { found: 'a URL that is not allowed (not shown)', allowed }
}

/** The URL itself, or where to find it if it contains a secret. */
const webhookUrl = (context: SchemaContext) =>
  values.readValue((found): values.ReadResult<{ url: string; isUrlSecret: boolean }> => {
    const isUrlSecret = typeof found !== 'string'
    const result = isUrlSecret ? readSecret(found, context, checkUrl) : checkUrl(found.trim())
    return 'value' in result ? { value: { url: result.value, isUrlSecret } } : result
  })

/** The format that Standard Webhooks requires. */
function checkSigningSecret(text: string): values.ReadResult<string> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = base64 === undefined ? 0 : Buffer.from(base64, 'base64').length
  if (bytes >= 24 && bytes <= 64) return { value: text }
  return { found: 'a secret of another form (not shown)', allowed: SIGNING_SECRET }
}

/** Without quotes, comments and characters that could begin another header. */
const ADDRESS = /^(?=.{1,254}$)[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/
const address = () => values.matching(ADDRESS, 'an e-mail address, without a name')

const smtp = (context: SchemaContext) =>
  z.strictObject({
    host: values.matching(/^[A-Za-z0-9.:_-]+$/, 'the name or address of a mail server'),
    port: values.integer(1, 65_535).prefault(587),
    security: values.choice(SECURITIES).prefault('starttls'),
    user: values.text('the name of a user').nullable().prefault(null),
    password: secret(context).nullable().prefault(null),
  })

/** What a target takes. */
const choice = () => ({
  kinds: z
    .array(kinds())
    .prefault(['*'])
    .transform((found) => [...new Set(found.flat())]),
  channels: z.array(values.text('org/slug')).nullable().prefault(null),
})

const ALL_KINDS = (Object.keys(EVENT_KINDS) as EventKind[]).filter((kind) => kind !== 'notify.test')

/** A kind, all of a group such as `offer.*`, or all. */
const kinds = () =>
  values.readValue((found): values.ReadResult<EventKind[]> => {
    const text = typeof found === 'string' ? found.trim() : ''
    if (text === '*') return { value: ALL_KINDS }
    const isGroup = /^[a-z]+\.\*$/.test(text)
    const named = ALL_KINDS.filter((kind) => (isGroup ? kind.startsWith(text.slice(0, -1)) : kind === text))
    if (named.length > 0) return { value: named }
    const kindList = `${didYouMean(text, ALL_KINDS)}Kinds: ${ALL_KINDS.join(', ')}`
    return { found: '', allowed: `a kind of event, a group such as offer.*, or *; ${kindList}` }
  })
