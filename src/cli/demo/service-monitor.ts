import type { HandlerDeps } from '../../../jobs/handlers.js'
import type { ClosingResult } from '../../closing/contract.js'
import type { PollResult } from '../../sync/contract.js'
import { FailedError } from '../cli-error.js'

/** Something the service did. */
export type ServiceEvent =
  | { kind: 'polled'; result: PollResult }
  | { kind: 'closed'; result: ClosingResult }
  | { kind: 'reported'; channel: string; rfqId: string | null; path: string }
  | { kind: 'failed'; action: string; error: Error }

type Deps = Omit<HandlerDeps, 'enqueue'>

/** Records what the service does, by wrapping the functions that its job handlers call. */
export class ServiceMonitor {
  readonly events: ServiceEvent[] = []
  readonly #listeners = new Set<(event: ServiceEvent) => void>()

  /** Calls the listener for each further event, until the returned function is called. */
  onEvent(listener: (event: ServiceEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Wraps the handlers' dependencies so that their results are recorded. */
  wrap(deps: Deps): Deps {
    return {
      ...deps,
      pollListings: (context) => this.#record('poll of listings', deps.pollListings(context), polled),
      pollRfqs: (context, options) => this.#record('poll of RFQs', deps.pollRfqs(context, options), polled),
      closeExpired: (context, policy) => this.#record('closing round', deps.closeExpired(context, policy), closed),
      rfqReport: (channel, rfqId, options) =>
        this.#record('report', deps.rfqReport(channel, rfqId, options), reported(channel.key, rfqId)),
      channelReport: (channel, options) =>
        this.#record('channel report', deps.channelReport(channel, options), reported(channel.key, null)),
    }
  }

  /**
   * Waits until a condition on the recorded events holds.
   * @param isDone evaluated now and after each event
   * @throws {FailedError} when something failed or the timeout is over; the signal's reason when it is aborted
   */
  waitUntil(
    isDone: (events: readonly ServiceEvent[]) => boolean,
    { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
  ): Promise<void> {
    return new Promise((resolve, reject) => {
      const finish = (settle: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', onAbort)
        unsubscribe()
        settle()
      }
      const onAbort = () => finish(() => reject(signal.reason))
      const check = () => {
        const failed = this.events.find((event) => event.kind === 'failed')
        if (failed) finish(() => reject(new FailedError(`the ${failed.action} failed: ${failed.error.message}`)))
        else if (isDone(this.events)) finish(resolve)
      }
      const onTimeout = () =>
        finish(() => reject(new FailedError(`the demo made no progress within ${timeoutMs / 1000} s`)))
      const timer = setTimeout(onTimeout, timeoutMs)
      const unsubscribe = this.onEvent(check)
      signal.addEventListener('abort', onAbort)
      if (signal.aborted) onAbort()
      else check()
    })
  }

  async #record<T>(action: string, running: Promise<T>, toEvent: (result: T) => ServiceEvent): Promise<T> {
    try {
      const result = await running
      this.#emit(toEvent(result))
      return result
    } catch (error) {
      // RunBusyError is not a failure: another job is doing the same work.
      if ((error as Error).name !== 'RunBusyError') this.#emit({ kind: 'failed', action, error: error as Error })
      throw error
    }
  }

  #emit(event: ServiceEvent): void {
    this.events.push(event)
    for (const listener of this.#listeners) listener(event)
  }
}

const polled = (result: PollResult): ServiceEvent => ({ kind: 'polled', result })
const closed = (result: ClosingResult): ServiceEvent => ({ kind: 'closed', result })
const reported =
  (channel: string, rfqId: string | null) =>
  (path: string): ServiceEvent => ({ kind: 'reported', channel, rfqId, path })
