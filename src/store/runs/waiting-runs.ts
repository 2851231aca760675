import type { RunKind } from '../../core/records.js'
import { MAX_CLOCK_DIFFERENCE_MS, type Timestamp } from '../../core/time/clock.js'
import { deleteMeta, findMeta, setMeta } from '../sql/meta.js'
import type { Transaction } from '../sql/sql-database.js'
import { type Holder, mayBeAlive } from './process-holder.js'

/** A waiting run that is not renewed for this long is dropped, in milliseconds; at once if its process ended on this machine. */
const EXPIRY_MS = 10_000
/** An attempt renews its waiting run only after this long, so that most attempts write nothing. */
const RENEW_AFTER_MS = 1_000

/** A run that waits until it may begin. */
export interface WaitingRun {
  ticket: string
  holder: Holder
  byHand: boolean
  since: Timestamp
  until: Timestamp
}

interface QueueKey {
  channel: string
  kind: RunKind
}

/**
 * The waiting runs of one channel and kind, first in, first out. They are stored in `meta`; call this only in a transaction that has the
 * lock of that channel and kind.
 */
export async function readQueue(
  tx: Transaction,
  key: QueueKey,
  { now, self }: { now: Date; self: Holder },
): Promise<WaitingRun[]> {
  const text = await findMeta(tx, metaKey(key))
  const queue = text === null ? [] : (JSON.parse(text) as WaitingRun[])
  return queue.filter(({ until, holder }) => {
    const left = Date.parse(until) - now.getTime()
    // A later expiry was stored before the clock was set back.
    return left >= 0 && left <= EXPIRY_MS + MAX_CLOCK_DIFFERENCE_MS && mayBeAlive(holder, self)
  })
}

/** Appends a run to the queue, or renews it if the queue has its ticket. */
export async function enqueue(
  tx: Transaction,
  key: QueueKey,
  {
    queue,
    ticket,
    byHand,
    self,
    now,
  }: { queue: readonly WaitingRun[]; ticket: string; byHand: boolean; self: Holder; now: Date },
): Promise<void> {
  const known = queue.find((waiting) => waiting.ticket === ticket)
  const left = known === undefined ? 0 : Date.parse(known.until) - now.getTime()
  if (left > EXPIRY_MS - RENEW_AFTER_MS) return
  const until = new Date(now.getTime() + EXPIRY_MS).toISOString()
  const renewed = queue.map((waiting) => (waiting === known ? { ...waiting, until } : waiting))
  const added = known ? [] : [{ ticket, holder: self, byHand, since: now.toISOString(), until }]
  await writeQueue(tx, key, [...renewed, ...added])
}

/** Removes the run with a ticket, if the queue has it. */
export async function dequeue(
  tx: Transaction,
  key: QueueKey,
  { queue, ticket }: { queue: readonly WaitingRun[]; ticket: string },
): Promise<void> {
  const others = queue.filter((waiting) => waiting.ticket !== ticket)
  if (others.length < queue.length) await writeQueue(tx, key, others)
}

const metaKey = ({ channel, kind }: QueueKey) => `waiting ${kind} ${channel}`

const writeQueue = (tx: Transaction, key: QueueKey, queue: readonly WaitingRun[]): Promise<void> =>
  queue.length === 0 ? deleteMeta(tx, metaKey(key)) : setMeta(tx, metaKey(key), JSON.stringify(queue))
