import { z } from 'zod'
import { operations, type Route } from './api-routes.js'
import { type Effect, isEnding, wireEffect } from './fault-effects.js'

const oneOrMore = <S extends z.ZodType>(schema: S) => z.union([schema, z.array(schema).min(1)])

/** Which requests a fault meets: those that fit all that is given. */
const matching = {
  operation: oneOrMore(z.enum(operations)).optional(),
  org: z.string().optional(),
  channel: z.string().optional(),
  rfqId: z.string().optional(),
  responseId: z.string().optional(),
  /** Requests that fit and are let through first. */
  skip: z.int().nonnegative().optional(),
}

/** A fault as it is set over HTTP: the path is the source of a regular expression; `times` may be `"always"`. */
export const wireFault = z.strictObject({
  ...matching,
  path: z.string().optional(),
  times: z.union([z.int().positive(), z.literal('always')]).optional(),
  effect: oneOrMore(wireEffect),
})

/** A fault: which requests it meets, how many of them, and what becomes of them. */
export interface Fault extends Partial<z.infer<z.ZodObject<typeof matching>>> {
  /** Searched in the path as sent. */
  path?: RegExp
  /** How many requests; default 1, `Infinity` for always. */
  times?: number
  /** What happens. Several are combined; at most one of them may end the answer. */
  effect: Effect | readonly Effect[]
}

export interface FaultHandle {
  readonly id: number
  /** Requests met so far. */
  readonly hits: number
  remove(): void
}

/** The faults in force, in the order in which they were added. */
export class FaultController {
  readonly #faults = new Map<number, ActiveFault>()
  #last = 0

  /** Puts a fault into force. */
  add(fault: Fault): FaultHandle {
    const active = new ActiveFault(++this.#last, fault, () => this.remove(active.id))
    this.#faults.set(active.id, active)
    return active
  }
  /** @returns false where there is none of this id */
  remove(id: number): boolean {
    return this.#faults.delete(id)
  }
  clear(): void {
    this.#faults.clear()
  }
  list(): { id: number; hits: number; left: number | 'always'; kinds: string[] }[] {
    return [...this.#faults.values()].map((fault) => fault.describe())
  }

  /** The effects on a request, in order; counts it. What comes after an effect that ends the answer is not used. */
  take(path: string, route: Route | null): readonly Effect[] {
    if (this.#faults.size === 0) return NONE
    const effects: Effect[] = []
    for (const fault of this.#faults.values()) {
      if (!fault.meets(path, route)) continue
      effects.push(...fault.effects)
      if (fault.left === 0) this.#faults.delete(fault.id)
      if (effects.some(isEnding)) break
    }
    return effects
  }
}

const NONE: readonly Effect[] = []

class ActiveFault implements FaultHandle {
  readonly effects: readonly Effect[]
  left: number
  hits = 0
  #toSkip: number

  constructor(
    readonly id: number,
    readonly fault: Fault,
    readonly remove: () => void,
  ) {
    this.effects = Array.isArray(fault.effect) ? fault.effect : [fault.effect as Effect]
    this.left = fault.times ?? 1
    this.#toSkip = fault.skip ?? 0
  }

  /** Whether it meets the request; counts it if so. */
  meets(path: string, route: Route | null): boolean {
    if (!this.#fits(path, route) || this.#toSkip-- > 0) return false
    this.left--
    this.hits++
    return true
  }
  describe() {
    const left = this.left === Number.POSITIVE_INFINITY ? ('always' as const) : this.left
    return { id: this.id, hits: this.hits, left, kinds: this.effects.map((effect) => effect.kind) }
  }

  #fits(path: string, route: Route | null): boolean {
    const { operation, path: pattern } = this.fault
    if (pattern && path.search(pattern) < 0) return false
    if (operation !== undefined && (!route || ![operation].flat().includes(route.operation))) return false
    const named = ['org', 'channel', 'rfqId', 'responseId'] as const
    return named.every((key) => this.fault[key] === undefined || this.fault[key] === route?.[key])
  }
}

/** A fault read from JSON. Throws `z.ZodError`, or `SyntaxError` for a bad pattern. */
export function parseFault(body: unknown): Fault {
  const { path, times, ...rest } = wireFault.parse(body)
  return {
    ...(rest as Omit<Fault, 'path' | 'times'>),
    ...(path === undefined ? {} : { path: new RegExp(path) }),
    ...(times === undefined ? {} : { times: times === 'always' ? Number.POSITIVE_INFINITY : times }),
  }
}
