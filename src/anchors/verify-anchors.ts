import type { Timestamp } from '../core/time/clock.js'
import type { Anchor, AnchorLine } from './anchor.js'
import { createBackdatingCheck, findAwardMismatch } from './award-anchor.js'
import type { AnchorStore } from './write-anchor.js'

export interface AnchorVerification {
  ok: boolean
  /** The number of anchors in the file, and of those that the log contains. */
  anchors: number
  fitting: number
  /** What the anchors prove; null if none fits. */
  proven: {
    /** Decisions 1 to this one are unchanged since they were anchored. */
    decisions: number
    /** When the first and the last of them were decided; null if there is none. */
    decidedFrom: Timestamp | null
    decidedUntil: Timestamp | null
    /** Rows 1 to this one of the award log are unchanged too; null if no fitting anchor includes that log. */
    awards: number | null
    /** The first and the last anchor that fit. */
    anchoredFrom: Timestamp
    anchoredUntil: Timestamp
  } | null
  /** The first line that does not fit; null if all do. */
  mismatch: { line: number; at: Timestamp | null; message: string } | null
  message: string
}

/**
 * Compares anchors with the closing log and the award log.
 * @param chain the result of verifying the hash chain of decisions; an anchor after the first broken decision proves nothing
 * @param awards the result of verifying the award log
 */
export async function verifyAnchors(
  store: AnchorStore,
  lines: readonly AnchorLine[],
  chain: { brokenAt: number | null },
  awards: { brokenAt: number | null },
): Promise<AnchorVerification> {
  const length = await store.chainLength()
  const context: Context = {
    store,
    database: await store.identity(),
    length,
    chain,
    awards,
    checkBackdating: await createBackdatingCheck(store),
  }
  const fitting: Anchor[] = []
  const mismatches: NonNullable<AnchorVerification['mismatch']>[] = []
  for (const { line, anchor } of lines) {
    const message = anchor === null ? DAMAGED : await findMismatch(anchor, fitting.at(-1), context)
    if (message !== null) mismatches.push({ line, at: anchor?.at ?? null, message })
    else if (anchor !== null) fitting.push(anchor)
  }
  const proven = await provenBy(fitting, store)
  const [mismatch = null] = mismatches
  const anchors = lines.filter(({ anchor }) => anchor !== null).length
  const result = { ok: mismatch === null, anchors, fitting: fitting.length, proven, mismatch }
  const lengths = { decisions: length, awards: await store.awardChainLength() }
  return { ...result, message: describe(result, lengths, mismatches.length) }
}

interface Context {
  store: AnchorStore
  database: string
  length: number
  chain: { brokenAt: number | null }
  awards: { brokenAt: number | null }
  checkBackdating: Awaited<ReturnType<typeof createBackdatingCheck>>
}

const DAMAGED = 'the line is damaged: it is not an anchor'

/**
 * Why an anchor does not fit; null if it does.
 * @param newestFit the newest earlier anchor that fits
 */
async function findMismatch(
  anchor: Anchor,
  newestFit: Anchor | undefined,
  { store, database, length, chain, awards, checkBackdating }: Context,
): Promise<string | null> {
  if (anchor.database !== database)
    return `it belongs to another database (${anchor.database}; this one is ${database})`
  if (anchor.decisions > length) {
    const first = length + 1
    const since = newestFit && newestFit.decisions === length ? ` later than ${newestFit.at} and` : ''
    return (
      `closing decisions ${first} to ${anchor.decisions} are missing: the log has only ${length}. They were made${since} ` +
      `before ${anchor.at}, and were removed, or an older backup was restored`
    )
  }
  if (chain.brokenAt !== null && anchor.decisions >= chain.brokenAt)
    return `the closing log is broken at closing decision ${chain.brokenAt}`
  const entry = await store.chainEntry(anchor.decisions)
  if (entry?.hash === anchor.hash)
    return (await findAwardMismatch(anchor, store, awards.brokenAt)) ?? checkBackdating(anchor)
  const after = newestFit?.decisions ?? 0
  const which =
    after < anchor.decisions ? `a closing decision from ${after + 1} to ${anchor.decisions}` : 'a closing decision'
  return `the hash of closing decision ${anchor.decisions} differs from the anchor: ${which} was rewritten after ${anchor.at}, or an older backup was restored and has been written to since`
}

async function provenBy(fitting: readonly Anchor[], store: AnchorStore): Promise<AnchorVerification['proven']> {
  if (fitting.length === 0) return null
  const times = fitting.map(({ at }) => at).sort()
  const decisions = Math.max(...fitting.map((anchor) => anchor.decisions))
  const [first, last] = decisions === 0 ? [] : await Promise.all([store.chainEntry(1), store.chainEntry(decisions)])
  const awards = fitting.flatMap((anchor) => anchor.awards ?? [])
  return {
    decisions,
    awards: awards.length === 0 ? null : Math.max(...awards),
    decidedFrom: first?.decidedAt ?? null,
    decidedUntil: last?.decidedAt ?? null,
    anchoredFrom: times[0] as Timestamp,
    anchoredUntil: times.at(-1) as Timestamp,
  }
}

function describe(
  { anchors, fitting, proven, mismatch }: Omit<AnchorVerification, 'ok' | 'message'>,
  lengths: { decisions: number; awards: number },
  mismatches: number,
): string {
  const sentences: string[] = []
  if (mismatch !== null) {
    const more = mismatches > 1 ? `, and ${mismatches - 1} later` : ''
    const made = mismatch.at === null ? '' : `, made ${mismatch.at},`
    sentences.push(`The anchor in line ${mismatch.line}${made} does not fit${more}: ${mismatch.message}.`)
  }
  if (proven === null) return [...sentences, 'No anchor fits, so nothing is proven.'].join('\n')
  const span = proven.anchoredFrom === proven.anchoredUntil ? '' : ` to ${proven.anchoredUntil}`
  sentences.push(`${fitting} of ${anchors} anchors fit, made ${proven.anchoredFrom}${span}.`)
  if (proven.decisions > 0) {
    sentences.push(
      `Closing decisions 1 to ${proven.decisions}, made ${proven.decidedFrom} to ${proven.decidedUntil}, are as they were when ` +
        `anchored: none was changed or removed since.`,
    )
  }
  const later = lengths.decisions - proven.decisions
  if (later > 0)
    sentences.push(`${later} newer ${later === 1 ? 'closing decision is' : 'closing decisions are'} not anchored yet.`)
  if (lengths.awards > 0) sentences.push(describeAwards(proven.awards ?? 0, lengths.awards))
  return sentences.join('\n')
}

function describeAwards(proven: number, length: number): string {
  const what = `The award log is as it was when anchored up to row ${proven} of ${length}`
  if (proven === 0) return `No row of the award log (${length}) is anchored yet.`
  return proven === length ? `${what}.` : `${what}; newer ones are not anchored yet.`
}
