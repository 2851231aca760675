import type { RunKind } from '../../core/records.js'
import { formatMinute } from '../../core/time/clock.js'
import type { RunStart, Store } from '../../store/contract.js'
import { RunBusyError } from '../../store/errors.js'
import { MAX_RUN_WAIT_MS, runWhenFree } from '../../store/runs/with-run.js'
import type { Cli } from '../cli-context.js'
import { printNote } from '../output/output.js'

export interface WaitOptions {
  /** Waits while another run of the kind is in progress on the channel. Default true. */
  wait?: boolean
  /** Called when the run has begun. */
  onBegin?: () => void
}

const TRY_AGAIN_MS = 250
const MINUTES = MAX_RUN_WAIT_MS / 60_000

/**
 * Does work that begins a run, as soon as no other run of that kind is in progress on the channel; before a scheduled one, and after
 * other commands that came earlier. Says on stderr what it waits for.
 * @param work must use the store that it is passed; done anew after waiting
 * @throws RunBusyError after ten minutes, at once without `wait`, or when the command is stopped
 */
export async function waitAndRun<T>(
  cli: Pick<Cli, 'io' | 'scrub' | 'globals'>,
  store: Store,
  { wait = true, onBegin }: WaitOptions,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const begun = performance.now()
  const onWait = (busy: RunBusyError, run: RunStart) => printNote(cli, describeWaiting(cli, busy, run))
  const options = { byHand: true, signal: cli.io.stop, retryMs: TRY_AGAIN_MS, shouldWait: () => wait, onWait }
  try {
    return await runWhenFree(store, { ...options, ...(onBegin && { onBegin }) }, work)
  } catch (error) {
    if (error instanceof RunBusyError && performance.now() - begun > MAX_RUN_WAIT_MS)
      error.message = `${error.message} This command waited ${MINUTES} minutes for it.`
    throw error
  }
}

const RUN_LABELS: Record<RunKind, string> = {
  listings: 'poll of the listings of',
  rfqs: 'poll of',
  close: 'closing round of',
}

/** `Waiting up to 10 minutes for the poll of acme/forest, begun 14:02 UTC by quotekeeper start (process 12), to end.` */
function describeWaiting(
  cli: Pick<Cli, 'io'>,
  { inProgress: { by, startedAt } }: RunBusyError,
  { channel, kind }: RunStart,
): string {
  const what = `Waiting up to ${MINUTES} minutes for the ${RUN_LABELS[kind]} ${channel}`
  if (startedAt === null) return `${what} that ${by} is the next to begin; Ctrl-C ends the waiting.`
  const shown = formatMinute(startedAt)
  const isToday = shown.startsWith(formatMinute(cli.io.now().toISOString()).slice(0, 10))
  return `${what}, begun ${isToday ? shown.slice(11) : shown} UTC by ${by}, to end; Ctrl-C ends the waiting.`
}
