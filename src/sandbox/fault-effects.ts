import { z } from 'zod'
import type { RequestLogEntry } from './request-log.js'

const count = z.int().positive()
const milliseconds = z.number().nonnegative()
const headers = z.record(z.string(), z.string())
/** Where the fault stands in for the answer of a close: the close takes effect nevertheless. */
const apply = z.boolean().optional()
/** Which items of a list: those with these identifiers, or the first so many (default 1). */
const which = { ids: z.array(z.string()).optional(), count: count.optional() }

/** Happens before the answer is made. */
const before = [
  /** The answer comes later. */
  z.strictObject({ kind: z.literal('delay'), ms: milliseconds }),
  /** What the request asks for is removed from the world first: the answer is 404. */
  z.strictObject({ kind: z.literal('vanish') }),
] as const

/** Changes the answer. */
const changes = [
  /** JSON merge patch (RFC 7396) of the body, or of the item of a list with this id. */
  z.strictObject({ kind: z.literal('patch'), patch: z.unknown(), id: z.string().optional() }),
  /** Items lack in a list. */
  z.strictObject({ kind: z.literal('drop'), ...which }),
  /** A list without items. */
  z.strictObject({ kind: z.literal('empty') }),
  /** Items come twice in a list; the second time patched. */
  z.strictObject({ kind: z.literal('duplicate'), ...which, patch: z.unknown().optional() }),
  /** The `Date` header is off by so much, is this text, or (null) is absent. */
  z.strictObject({ kind: z.literal('date'), skewMs: z.number() }),
  z.strictObject({ kind: z.literal('date'), value: z.string().nullable() }),
] as const

/** Comes instead of the answer, or spoils how it is sent. Only one of them can. */
const ends = [
  /** An answer of this status; the documented error body unless another is given. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    headers: headers.optional(),
    apply,
  }),
  /** This text, whatever it is; HTML unless another type is given. */
  z.strictObject({
    kind: z.literal('text'),
    text: z.string().optional(),
    contentType: z.string().optional(),
    status: z.int().min(200).max(599).optional(),
    apply,
  }),
  /** 200 `{"ok": false}`. */
  z.strictObject({ kind: z.literal('not-ok'), apply }),
  z.strictObject({
    kind: z.literal('redirect'),
    location: z.string(),
    status: z.int().min(300).max(399).optional(),
    apply,
  }),
  /** No answer ever; the connection stays open. */
  z.strictObject({ kind: z.literal('hang'), apply }),
  /** The connection is reset, no byte sent. */
  z.strictObject({ kind: z.literal('reset'), apply }),
  /** The answer, reset after half of its body. */
  z.strictObject({ kind: z.literal('reset-mid-body') }),
  /** Half of the answer's body, without a length, and a regular end of the connection (as HTTP/1.0). */
  z.strictObject({ kind: z.literal('truncate') }),
  /** The answer, so many bytes (default 1) every so many milliseconds (default 1000). */
  z.strictObject({ kind: z.literal('drip'), bytes: count.optional(), everyMs: milliseconds.optional() }),
  /** A valid JSON list of so many decoded bytes, mostly blanks. */
  z.strictObject({ kind: z.literal('huge'), bytes: count }),
  /** The same, compressed about a thousandfold. */
  z.strictObject({ kind: z.literal('gzip-bomb'), bytes: count }),
] as const

/** The effects that can be said in JSON. */
export const wireEffect = z.union([...before, ...changes, ...ends])
export type WireEffect = z.infer<typeof wireEffect>
export type EndingEffect = z.infer<(typeof ends)[number]>
export type ChangingEffect = z.infer<(typeof changes)[number]> | TransformEffect
export type EarlyEffect = z.infer<(typeof before)[number]> | CallEffect

/** Changes the parsed body of a 200 (a list is `{items}`). */
export interface TransformEffect {
  kind: 'transform'
  // biome-ignore lint/suspicious/noExplicitAny: a test knows which document it matches
  change: (body: any) => unknown
}
/** Does something at the moment the request arrives; a promise is waited for before it is answered. */
export interface CallEffect {
  kind: 'call'
  call: (request: RequestLogEntry) => unknown
}

export type Effect = EarlyEffect | ChangingEffect | EndingEffect

const endings = new Set<string>(ends.map((schema) => schema.shape.kind.value))
export const isEnding = (effect: Effect): effect is EndingEffect => endings.has(effect.kind)
const early = new Set(['delay', 'vanish', 'call'])
export const isEarly = (effect: Effect): effect is EarlyEffect => early.has(effect.kind)
export const isChanging = (effect: Effect): effect is ChangingEffect => !isEnding(effect) && !isEarly(effect)
