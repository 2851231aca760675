import { quoteForShell } from '../core/text/quote-for-shell.js'
import type { Closings, Store } from '../store/contract.js'
import { type Anchor, AnchorError } from './anchor.js'
import { appendAnchor, newestAnchor } from './anchor-file.js'
import type { AnchorTarget } from './anchor-target.js'
import { type AwardLog, awardLogHead, findAwardMismatch } from './award-anchor.js'
import { postAnchor } from './post-anchor.js'

export type AnchorStore = Pick<Store, 'identity'> & Pick<Closings, 'chainEntry' | 'chainLength'> & AwardLog

/**
 * Writes the heads of the closing log and the award log to a file or a URL. Refuses a file whose newest anchor is of another database or is
 * not part of the log, because the log was rewritten, or an older backup was restored.
 * @throws AnchorError
 */
export async function writeAnchor(
  { store, target, now }: { store: AnchorStore; target: AnchorTarget; now: Date },
  options: { signal?: AbortSignal } = {},
): Promise<Anchor> {
  const decisions = await store.chainLength()
  const head = await store.chainEntry(decisions)
  if (head === null) throw new AnchorError('The closing log changed while it was read. Try again.')
  const heads = { decisions, hash: head.hash, ...(await awardLogHead(store)) }
  const anchor = { database: await store.identity(), ...heads, at: now.toISOString() }
  if (target.kind === 'url') {
    await postAnchor(target.url, anchor, options)
    return anchor
  }
  await requireContinuing(store, target.path)
  appendAnchor(target.path, anchor)
  return anchor
}

/** @throws AnchorError unless the file is new or empty, or its newest anchor is part of the log */
export async function requireContinuing(store: AnchorStore, path: string): Promise<void> {
  const previous = newestAnchor(path)
  if (previous === null) return
  const database = await store.identity()
  if (previous.database !== database) {
    throw new AnchorError(
      `${path} belongs to the database ${previous.database}, this one is ${database}. Use another file.`,
    )
  }
  const entry = await store.chainEntry(previous.decisions)
  const mismatch = await findAwardMismatch(previous, store, null)
  if (entry?.hash === previous.hash && mismatch === null) return
  if (entry?.hash === previous.hash)
    throw new AnchorError(`The newest anchor of ${path} does not fit: ${mismatch}. ${remedyOf(path)}`)
  throw new AnchorError(
    `The closing log does not contain the newest anchor of ${path} (${previous.decisions} closings, ${previous.at}). ` +
      remedyOf(path),
  )
}

const remedyOf = (path: string) =>
  `See what differs: quotekeeper closings --verify --anchors ${quoteForShell(path)}; ` +
  'after restoring an older backup, keep that file as evidence and write anchors to a new one.'
