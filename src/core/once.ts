/**
 * Runs an asynchronous function at most once: later calls, and calls made while the first is running, get its promise.
 * A rejection is kept as well; the function is not run again.
 */
export function once<T>(run: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | null = null
  return () => {
    result ??= run()
    return result
  }
}
