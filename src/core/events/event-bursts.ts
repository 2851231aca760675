import type { EventKind, EventRecord } from './events.js'

/** An event, or many that people are told of as one. */
export type Burst = readonly [EventRecord, ...EventRecord[]]

/** More events of one kind become one burst. */
const MAX_SINGLE_EVENTS = 20
/** Kinds of which people are told once, however few they are. */
const ALWAYS_ONE = new Set<EventKind>(['problems.found'])

/**
 * Events as people are told of them, in the order of their firsts: many of one kind that one run observed, or that were recorded at
 * one moment, are one burst.
 */
export function groupBursts(events: readonly EventRecord[]): Burst[] {
  const groups = new Map<string, EventRecord[]>()
  for (const event of events) {
    const key = JSON.stringify([event.kind, event.channel, event.runId ?? event.at])
    const group = groups.get(key)
    if (group) group.push(event)
    else groups.set(key, [event])
  }
  const isOne = (group: readonly EventRecord[]) =>
    group.length > MAX_SINGLE_EVENTS || ALWAYS_ONE.has((group[0] as EventRecord).kind)
  return [...groups.values()]
    .flatMap((group): Burst[] => (isOne(group) ? [group as unknown as Burst] : group.map((event): Burst => [event])))
    .sort(([a], [b]) => a.sequence - b.sequence)
}
