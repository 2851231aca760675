import { z } from 'zod'
import type { RequestLogEntry } from '../request-log.js'

const count = z.int().positive()
const milliseconds = z.number().nonnegative()
const headers = z.record(z.string(), z.string())
/** Whether a close still takes effect although the fault replaces its reply. */
const apply = z.boolean().optional()
/** Which items of a list: those with these ids, otherwise the first `count` (default 1). */
const selection = { ids: z.array(z.string()).optional(), count: count.optional() }

/** Effects before the reply is made. */
const preReply = [
  /** Delays the reply. */
  z.strictObject({ kind: z.literal('delay'), ms: milliseconds }),
  /** Removes the requested document from the world first, so that the reply is 404. */
  z.strictObject({ kind: z.literal('vanish') }),
] as const

/** Effects that change the reply. */
const modifying = [
  /** Applies a JSON merge patch (RFC 7396) to the body, or to the list item with this id. */
  z.strictObject({ kind: z.literal('patch'), patch: z.unknown(), id: z.string().optional() }),
  /** Removes items from a list. */
  z.strictObject({ kind: z.literal('drop'), ...selection }),
  /** Removes all items from a list. */
  z.strictObject({ kind: z.literal('empty') }),
  /** Repeats items of a list; the repeated ones are patched. */
  z.strictObject({ kind: z.literal('duplicate'), ...selection, patch: z.unknown().optional() }),
  /** Shifts the `Date` header, replaces it, or (null) omits it. */
  z.strictObject({ kind: z.literal('date'), skewMs: z.number() }),
  z.strictObject({ kind: z.literal('date'), value: z.string().nullable() }),
] as const

/** Effects that replace the reply or break its transmission. At most one applies to a request. */
const terminal = [
  /** A reply with this status; its body is the documented error unless another is given. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    headers: headers.optional(),
    apply,
  }),
  /** This text as the body; its type is HTML unless another is given. */
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
  /** Never replies; the connection stays open. */
  z.strictObject({ kind: z.literal('hang'), apply }),
  /** Resets the connection before any byte is sent. */
  z.strictObject({ kind: z.literal('reset'), apply }),
  /** Resets the connection after half of the body. */
  z.strictObject({ kind: z.literal('reset-mid-body') }),
  /** Sends half of the body without a content length and closes normally, as HTTP/1.0 does. */
  z.strictObject({ kind: z.literal('truncate') }),
  /** Sends `bytes` (default 1) of the reply every `everyMs` (default 1000). */
  z.strictObject({ kind: z.literal('drip'), bytes: count.optional(), everyMs: milliseconds.optional() }),
  /** A valid JSON list of `bytes` decoded bytes, mostly blanks. */
  z.strictObject({ kind: z.literal('huge'), bytes: count }),
  /** The same, compressed to about a thousandth. */
  z.strictObject({ kind: z.literal('gzip-bomb'), bytes: count }),
] as const

/** The effects that can be set over HTTP. */
export const jsonEffect = z.union([...preReply, ...modifying, ...terminal])
export type TerminalEffect = z.infer<(typeof terminal)[number]>
export type ModifyingEffect = z.infer<(typeof modifying)[number]> | TransformEffect
export type PreReplyEffect = z.infer<(typeof preReply)[number]> | CallEffect

/** Transforms the parsed body of a reply with status 200; a list is `{items}`. */
interface TransformEffect {
  kind: 'transform'
  // biome-ignore lint/suspicious/noExplicitAny: the test knows which document it changes
  change: (body: any) => unknown
}
/** Calls a function when the request arrives; a promise it returns is awaited before the reply is made. */
interface CallEffect {
  kind: 'call'
  call: (request: RequestLogEntry) => unknown
}

export type Effect = PreReplyEffect | ModifyingEffect | TerminalEffect

const terminalKinds = new Set<string>(terminal.map((schema) => schema.shape.kind.value))
export const isTerminal = (effect: Effect): effect is TerminalEffect => terminalKinds.has(effect.kind)
const preReplyKinds = new Set(['delay', 'vanish', 'call'])
export const isPreReply = (effect: Effect): effect is PreReplyEffect => preReplyKinds.has(effect.kind)
export const isModifying = (effect: Effect): effect is ModifyingEffect => !isTerminal(effect) && !isPreReply(effect)
