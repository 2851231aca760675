import { MarketplaceError } from '../errors.js'
import type { CancelToken } from '../http/cancel-token.js'

/** A reply with more bytes than this, decoded, is large. Eight smaller ones at once take little memory. */
export const LARGE_REPLY_BYTES = 4 * 2 ** 20

/** A reply became large while another large one was in use. It was aborted and must be requested again after that one. */
export class LargeReplyError extends MarketplaceError {}

/**
 * Allows one large reply at a time, from when it grows beyond `LARGE_REPLY_BYTES` until it has been parsed. Owners are served first in,
 * first out. They wait without a reply and without a slot of the rate limiter, so that they block no one and no deadline passes meanwhile (docs/MARKETPLACE.md, Limits).
 */
export class LargeReplyLock {
  #holder: object | null = null
  readonly #waiting = new Map<object, () => void>()

  /** Whether the owner's reply may be large, because no other one is. */
  tryAcquire(owner: object): boolean {
    this.#holder ??= owner
    return this.#holder === owner
  }

  /**
   * Waits until no other reply is large; call `release` after the reply has been parsed.
   * @throws AbortedError on cancellation
   */
  async acquire(owner: object, cancelToken: CancelToken): Promise<void> {
    cancelToken.throwIfCancelled()
    if (this.tryAcquire(owner)) return
    await new Promise<void>((resolve, reject) => {
      const unlisten = cancelToken.onCancel((reason) => {
        this.#waiting.delete(owner)
        unlisten()
        reject(reason)
      })
      this.#waiting.set(owner, () => {
        unlisten()
        resolve()
      })
    })
  }

  /** Lets the next owner have a large reply. Does nothing for an owner that does not hold the lock. */
  release(owner: object): void {
    if (this.#holder !== owner) return
    const [next] = this.#waiting
    this.#holder = next?.[0] ?? null
    if (next === undefined) return
    this.#waiting.delete(next[0])
    next[1]()
  }
}
