import { type ComputedBatch, computeRfqs } from '../recommendations/compute-rfq.js'
import type { DirtyRfq, Monitoring, Reader } from '../store/contract.js'
import type { ApiConfig } from '../views/api-queries.js'
import type { PageQueries } from '../views/page-contract.js'
import { createPageQueries } from '../views/page-queries.js'
import { createRfqList } from '../views/rfqs/rfq-list.js'
import type { ApiReader } from '../web/api/read.js'
import { computeSourceOf } from './compute-source.js'
import { openApiReader } from './open-api-reader.js'

/** What the recorder of recommendations asks for. */
interface RecommendationComputer {
  computeRecommendations(dirty: DirtyRfq[], now: Date): Promise<ComputedBatch>
}

/** Everything that pages and the API read. */
export type ThreadQueries = PageQueries & ApiReader & RecommendationComputer

/** What pages and the API read, from an open store. */
export function createThreadQueries(store: Omit<Reader, 'close' | keyof Monitoring>, config: ApiConfig): ThreadQueries {
  const rfqs = createRfqList({ store, channels: config.channels, settings: config.reports.settings })
  const source = { store, config, rfqs }
  const computed = computeSourceOf(store, config)
  const computeRecommendations = (dirty: DirtyRfq[], now: Date) => computeRfqs(computed, dirty, now)
  return { ...createPageQueries(source), ...openApiReader(source), computeRecommendations }
}
