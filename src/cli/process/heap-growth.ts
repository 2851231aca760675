import { setFlagsFromString } from 'node:v8'

/** How much the long-lived part of a heap may grow between two collections, in per cent. */
const MAX_GROWTH = 45

/**
 * Limits how much the heaps of this process, also those of its threads, grow between two collections. V8 itself lets a small heap
 * grow fourfold; of documents that are received, stored and forgotten, most of that is garbage. A sync takes less memory
 * and about the same time (docs/BENCHMARKS.md). The small heap of a worker (src/pool/worker-pool.ts) grows less by itself.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${MAX_GROWTH}`)
}
