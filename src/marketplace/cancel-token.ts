import { setMaxListeners } from 'node:events'
import { AbortedError } from './errors.js'

/**
 * What ends calls early: the client closed, or the run stopped. Many short calls listen to one.
 * An AbortSignal for each would do the same, but costs a request about as much as sending it, warns of many listeners,
 * and keeps a trace of every signal ever combined from it (all seen on Node 20).
 */
export class CancelToken {
  readonly #parent: CancelToken | undefined
  readonly #signal: AbortSignal | undefined
  readonly #listeners = new Set<(reason: AbortedError) => void>()
  #reason: AbortedError | null = null
  #detach: (() => void) | null = null

  /** @param sources what stops this one besides `stop` */
  constructor(sources: { parent?: CancelToken | undefined; signal?: AbortSignal | undefined } = {}) {
    this.#parent = sources.parent
    this.#signal = sources.signal
    // As many sessions as there are channels may share one signal.
    if (sources.signal) setMaxListeners(0, sources.signal)
  }

  cancel(reason: AbortedError): void {
    this.#reason ??= reason
    for (const listener of [...this.#listeners]) listener(reason)
  }

  throwIfCancelled(): void {
    if (this.#signal?.aborted) this.#reason ??= runCancelled()
    if (this.#reason) throw this.#reason
    this.#parent?.throwIfCancelled()
  }

  /**
   * Calls back when stopped; does not if it was stopped before.
   * @param listener a function of its own for each call
   * @returns ends the listening
   */
  onCancel(listener: (reason: AbortedError) => void): () => void {
    this.#listeners.add(listener)
    this.#detach ??= this.#attach()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      this.#detach?.()
      this.#detach = null
    }
  }

  /** Listens to its sources only while somebody listens here, so that nothing outlives the calls. */
  #attach(): () => void {
    const unlisten = this.#parent?.onCancel((reason) => this.cancel(reason))
    const onAbort = () => this.cancel(runCancelled())
    this.#signal?.addEventListener('abort', onAbort)
    return () => {
      unlisten?.()
      this.#signal?.removeEventListener('abort', onAbort)
    }
  }
}

const runCancelled = () => new AbortedError('The run was stopped')
