import type { RunKind } from '../../core/records.js'
import type { Timestamp } from '../../core/time/clock.js'
import { deleteMeta, findMeta, setMeta } from '../meta.js'
import { MAX_CLOCK_DIFFERENCE_MS } from '../requests/clock-difference.js'
import type { Transaction } from '../sql-database.js'
import { type Holder, mayBeAlive } from './run-holder.js'

/** A place that was not renewed for this long is lost, in milliseconds. That of a process that ended on this machine is lost at once. */
export const PLACE_MS = 10_000
/** A place is renewed when so much of its time has passed, so that not every attempt writes. */
const RENEW_AFTER_MS = 1_000

/** One of those who wait to begin a run. */
export interface Place {
  turn: string
  holder: Holder
  byHand: boolean
  since: Timestamp
  until: Timestamp
}

interface LineOf {
  channel: string
  kind: RunKind
}

/**
 * Those who wait to begin a run of one channel and kind, in the order in which they came. Kept in `meta`; use it only in a
 * transaction that has the lock of that run.
 */
export async function readLine(
  tx: Transaction,
  of: LineOf,
  { now, self }: { now: Date; self: Holder },
): Promise<Place[]> {
  const text = await findMeta(tx, keyOf(of))
  const places = text === null ? [] : (JSON.parse(text) as Place[])
  return places.filter(({ until, holder }) => {
    const left = Date.parse(until) - now.getTime()
    // One farther ahead was taken before the clock was set back.
    return left >= 0 && left <= PLACE_MS + MAX_CLOCK_DIFFERENCE_MS && mayBeAlive(holder, self)
  })
}

/** Takes a place at the end of the line, or renews the one that `turn` has. */
export async function takePlace(
  tx: Transaction,
  of: LineOf,
  { line, turn, byHand, self, now }: { line: readonly Place[]; turn: string; byHand: boolean; self: Holder; now: Date },
): Promise<void> {
  const found = line.find((place) => place.turn === turn)
  const left = found === undefined ? 0 : Date.parse(found.until) - now.getTime()
  if (left > PLACE_MS - RENEW_AFTER_MS) return
  const until = new Date(now.getTime() + PLACE_MS).toISOString()
  const renewed = line.map((place) => (place === found ? { ...place, until } : place))
  const added = found ? [] : [{ turn, holder: self, byHand, since: now.toISOString(), until }]
  await writeLine(tx, of, [...renewed, ...added])
}

/** Removes the place of `turn`, if it has one. */
export async function leavePlace(
  tx: Transaction,
  of: LineOf,
  { line, turn }: { line: readonly Place[]; turn: string },
): Promise<void> {
  const others = line.filter((place) => place.turn !== turn)
  if (others.length < line.length) await writeLine(tx, of, others)
}

const keyOf = ({ channel, kind }: LineOf) => `waiting ${kind} ${channel}`

const writeLine = (tx: Transaction, of: LineOf, places: readonly Place[]): Promise<void> =>
  places.length === 0 ? deleteMeta(tx, keyOf(of)) : setMeta(tx, keyOf(of), JSON.stringify(places))
