import { z } from 'zod'
import { operations, type Route } from '../api-routes.js'
import { type Effect, isTerminal, jsonEffect } from './fault-effects.js'

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

/** A fault as JSON over HTTP: `path` is the source of a regular expression, and `times` may be `"always"`. */
const jsonFault = z.strictObject({
  ...conditions,
  path: z.string().optional(),
  times: z.union([z.int().positive(), z.literal('always')]).optional(),
  effect: oneOrMore(jsonEffect),
})

/** A fault: which requests it applies to, how many of them, and its effects. */
export interface Fault extends Partial<z.infer<z.ZodObject<typeof conditions>>> {
  /** Matches any part of the request path, before decoding. */
  path?: RegExp
  /** How many requests it applies to; default 1, `Infinity` for always. */
  times?: number
  /** Several effects combine; at most one of them may be terminal. */
  effect: Effect | readonly Effect[]
}

export interface FaultHandle {
  readonly id: number
  /** How many requests it has applied to so far. */
  readonly hits: number
  remove(): void
}

/** The active faults, in the order in which they were added. */
export class FaultController {
  readonly #faults = new Map<number, ActiveFault>()
  #lastId = 0

  /** Activates a fault. */
  add(fault: Fault): FaultHandle {
    const active = new ActiveFault(++this.#lastId, fault, () => this.remove(active.id))
    this.#faults.set(active.id, active)
    return active
  }
  /** @returns false if there is no fault with this id */
  remove(id: number): boolean {
    return this.#faults.delete(id)
  }
  clear(): void {
    this.#faults.clear()
  }
  list(): { id: number; hits: number; left: number | 'always'; kinds: string[] }[] {
    return [...this.#faults.values()].map((fault) => fault.describe())
  }

  /** Applies the faults that match a request, in order, until the first terminal effect, and returns their effects. */
  applyTo(path: string, route: Route | null): readonly Effect[] {
    if (this.#faults.size === 0) return NO_EFFECTS
    const effects: Effect[] = []
    for (const fault of this.#faults.values()) {
      if (!fault.claim(path, route)) continue
      effects.push(...fault.effects)
      if (fault.left === 0) this.#faults.delete(fault.id)
      if (effects.some(isTerminal)) break
    }
    return effects
  }
}

const NO_EFFECTS: readonly Effect[] = []

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

  /** Whether the fault applies to the request; counts the request if it does. */
  claim(path: string, route: Route | null): boolean {
    if (!this.#matches(path, route) || this.#toSkip-- > 0) return false
    this.left--
    this.hits++
    return true
  }
  describe() {
    const left = this.left === Number.POSITIVE_INFINITY ? ('always' as const) : this.left
    return { id: this.id, hits: this.hits, left, kinds: this.effects.map((effect) => effect.kind) }
  }

  #matches(path: string, route: Route | null): boolean {
    const { operation, path: pattern } = this.fault
    if (pattern && path.search(pattern) < 0) return false
    if (operation !== undefined && (!route || ![operation].flat().includes(route.operation))) return false
    const names = ['org', 'channel', 'rfqId', 'responseId'] as const
    return names.every((key) => this.fault[key] === undefined || this.fault[key] === route?.[key])
  }
}

/** Parses a fault from JSON. Throws `z.ZodError`, or `SyntaxError` for an invalid regular expression. */
export function parseFault(body: unknown): Fault {
  const { path, times, ...rest } = jsonFault.parse(body)
  return {
    ...(rest as Omit<Fault, 'path' | 'times'>),
    ...(path === undefined ? {} : { path: new RegExp(path) }),
    ...(times === undefined ? {} : { times: times === 'always' ? Number.POSITIVE_INFINITY : times }),
  }
}
