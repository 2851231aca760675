import type { HandlerDeps } from '../../../jobs/handlers.js'
import type { ClosingResult } from '../../closing/contract.js'
import type { PollResult } from '../../sync/contract.js'
import { FailedError } from '../cli-error.js'

/** Something the service did. */
export type Deed =
  | { kind: 'polled'; result: PollResult }
  | { kind: 'closed'; result: ClosingResult }
  | { kind: 'reported'; channel: string; rfqId: string | null; path: string }
  | { kind: 'failed'; what: string; error: Error }

type Deps = Omit<HandlerDeps, 'enqueue'>

/** Sees what the service does, by standing between its jobs and the rooms that do the work. */
export class Watch {
  readonly deeds: Deed[] = []
  readonly #listeners = new Set<(deed: Deed) => void>()

  /** Calls back for each further deed, until the function it returns is called. */
  onDeed(listener: (deed: Deed) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** The same rooms, seen. */
  over(deps: Deps): Deps {
    return {
      ...deps,
      pollListings: (context) => this.#seen('poll of listings', deps.pollListings(context), polled),
      pollRfqs: (context, options) => this.#seen('poll of RFQs', deps.pollRfqs(context, options), polled),
      closeExpired: (context, policy) =>
        this.#seen('closing round', deps.closeExpired(context, policy), (result) => ({ kind: 'closed', result })),
      rfqReport: (channel, rfqId, signal) =>
        this.#seen('report', deps.rfqReport(channel, rfqId, signal), (path) => ({
          kind: 'reported',
          channel: channel.key,
          rfqId,
          path,
        })),
      channelReport: (channel, signal) =>
        this.#seen('overview', deps.channelReport(channel, signal), (path) => ({
          kind: 'reported',
          channel: channel.key,
          rfqId: null,
          path,
        })),
    }
  }

  /**
   * Waits until enough was done.
   * @param enough asked after each deed
   * @param options.within in milliseconds
   * @throws {FailedError} when a deed failed, or time is up; the signal's reason when it is aborted
   */
  until(enough: (deeds: readonly Deed[]) => boolean, options: { within: number; signal: AbortSignal }): Promise<void> {
    const { within, signal } = options
    return new Promise((resolve, reject) => {
      const end = (settle: () => void) => {
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        forget()
        settle()
      }
      const stop = () => end(() => reject(signal.reason))
      const look = () => {
        const failed = this.deeds.find((deed) => deed.kind === 'failed')
        if (failed) end(() => reject(new FailedError(`the ${failed.what} failed: ${failed.error.message}`)))
        else if (enough(this.deeds)) end(resolve)
      }
      const late = () => end(() => reject(new FailedError(`the demo came no further within ${within / 1000} s`)))
      const timer = setTimeout(late, within)
      const forget = this.onDeed(look)
      signal.addEventListener('abort', stop)
      if (signal.aborted) stop()
      else look()
    })
  }

  async #seen<T>(what: string, doing: Promise<T>, toDeed: (result: T) => Deed): Promise<T> {
    try {
      const result = await doing
      this.#tell(toDeed(result))
      return result
    } catch (error) {
      // Two of a kind at once are no failure: the other one does it.
      if ((error as Error).name !== 'RunBusyError') this.#tell({ kind: 'failed', what, error: error as Error })
      throw error
    }
  }

  #tell(deed: Deed): void {
    this.deeds.push(deed)
    for (const listener of this.#listeners) listener(deed)
  }
}

const polled = (result: PollResult): Deed => ({ kind: 'polled', result })
