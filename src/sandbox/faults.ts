import { z } from 'zod'
import { operations, type ReceivedRequest } from './api.js'

const count = z.int().positive()
/** Whether a close takes effect although the fault replaces its reply. */
const apply = z.boolean().optional()
/** Which items of a list: those with these ids, otherwise the first `count` (default 1). */
const selection = { ids: z.array(z.string()).optional(), count: count.optional() }

/** The effects that can be set over HTTP (docs/SANDBOX.md). */
const jsonEffect = z.union([
  /** Delays the reply by so many milliseconds. */
  z.strictObject({ kind: z.literal('delay'), ms: z.number().nonnegative() }),

  // These change the reply.
  /** Applies a JSON merge patch (RFC 7396) to the body, or to the list item with this id. */
  z.strictObject({ kind: z.literal('patch'), patch: z.unknown(), id: z.string().optional() }),
  z.strictObject({ kind: z.literal('drop'), ...selection }),
  z.strictObject({ kind: z.literal('empty') }),
  /** Repeats items of a list; the repeated ones are patched. */
  z.strictObject({ kind: z.literal('duplicate'), ...selection, patch: z.unknown().optional() }),
  /** Shifts the `Date` header, replaces it, or (null) omits it. */
  z.strictObject({ kind: z.literal('date'), skewMs: z.number() }),
  z.strictObject({ kind: z.literal('date'), value: z.string().nullable() }),

  // These replace the operation and its reply.
  /** Replies with this status, and with this body as JSON, or this text; by default with the documented error. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(200).max(599),
    body: z.unknown().optional(),
    text: z.string().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    apply,
  }),
  /** Never replies; the connection stays open. */
  z.strictObject({ kind: z.literal('hang'), apply }),
  /** Resets the connection before any byte is sent. */
  z.strictObject({ kind: z.literal('reset'), apply }),

  // These break the transmission of the reply.
  z.strictObject({ kind: z.literal('reset-mid-body') }),
  /** Sends half of the body without a content length and closes normally, as HTTP/1.0 does. */
  z.strictObject({ kind: z.literal('truncate') }),
  /** Sends one byte of the body each second. */
  z.strictObject({ kind: z.literal('drip') }),
])

export type Effect =
  | z.infer<typeof jsonEffect>
  /** Transforms the parsed body of a reply with status 200; a list is `{items}`. */
  // biome-ignore lint/suspicious/noExplicitAny: the test knows which document it changes
  | { kind: 'transform'; change: (body: any) => unknown }
  /** Calls a function when the request arrives; a promise it returns is awaited before the reply is made. */
  | { kind: 'call'; call: (request: ReceivedRequest) => unknown }

const oneOrMore = <S extends z.ZodType>(schema: S) => z.union([schema, z.array(schema).min(1)])

/** The conditions of a fault; a request must meet all that are given. */
const conditions = {
  operation: oneOrMore(z.enum(operations)).optional(),
  org: z.string().optional(),
  channel: z.string().optional(),
  rfqId: z.string().optional(),
  responseId: z.string().optional(),
  /** How many matching requests pass before the fault applies. */
  skip: z.int().nonnegative().optional(),
}

/** A fault as JSON over HTTP. */
export const jsonFault = z.strictObject({
  ...conditions,
  times: z.union([count, z.literal('always').transform(() => Number.POSITIVE_INFINITY)]).optional(),
  effect: oneOrMore(jsonEffect),
})

/** A fault: which requests it applies to, how many of them, and its effects. */
interface Fault extends Partial<z.infer<z.ZodObject<typeof conditions>>> {
  /** How many requests it applies to; default 1, `Infinity` for always. */
  times?: number | undefined
  /** Several effects combine; only one of them may replace the reply or break its transmission. */
  effect: Effect | readonly Effect[]
}

interface ActiveFault {
  readonly id: number
  /** How many requests it has applied to so far. */
  readonly hits: number
  remove(): void
}

/** The active faults, in the order in which they were added. */
export class Faults {
  readonly #active = new Map<number, Fault & { hits: number; toSkip: number }>()
  #lastId = 0

  /** Activates a fault. */
  add(fault: Fault): ActiveFault {
    const id = ++this.#lastId
    const active = { ...fault, hits: 0, toSkip: fault.skip ?? 0 }
    this.#active.set(id, active)
    return {
      id,
      get hits() {
        return active.hits
      },
      remove: () => void this.#active.delete(id),
    }
  }
  /** Removes the fault with this id, or all. */
  clear(id?: number): void {
    if (id === undefined) this.#active.clear()
    else this.#active.delete(id)
  }

  /** Applies the faults that match a request, in order, until one ends the exchange, and returns their effects. */
  applyTo(request: ReceivedRequest): readonly Effect[] {
    const effects: Effect[] = []
    for (const [id, fault] of this.#active) {
      if (!matches(fault, request) || fault.toSkip-- > 0) continue
      fault.hits++
      if (fault.hits >= (fault.times ?? 1)) this.#active.delete(id)
      effects.push(...[fault.effect].flat())
      if (effects.some(({ kind }) => !COMBINED.has(kind))) break
    }
    return effects
  }
}

/** The effects after which others can still apply. */
const COMBINED = new Set<Effect['kind']>(['delay', 'call', 'transform', 'patch', 'drop', 'empty', 'duplicate', 'date'])

function matches(fault: Fault, request: ReceivedRequest): boolean {
  if (fault.operation !== undefined && ![fault.operation].flat().some((each) => each === request.operation))
    return false
  const keys = ['org', 'channel', 'rfqId', 'responseId'] as const
  return keys.every((key) => fault[key] === undefined || fault[key] === request[key])
}
