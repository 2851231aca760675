/** Callers during a running call share its result, so that frequent calls cost no more. */
export function shareConcurrent<T>(call: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  return () => {
    running ??= call().finally(() => {
      running = null
    })
    return running
  }
}
