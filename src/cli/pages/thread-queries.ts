import { createRfqList } from '../../read-models/rfq-list.js'
import { type ComputedBatch, computeRfqs } from '../../recommendations/compute-rfq.js'
import type { DirtyRfq, Monitoring, Reader } from '../../store/contract.js'
import type { ApiReader } from '../../web/api/read.js'
import type { PageQueries } from '../../web/page-queries.js'
import type { ApiConfig } from '../api/api-queries.js'
import { openApiReader } from '../api/open-api-reader.js'
import { computeSourceOf } from '../compute-source.js'
import { createPageQueries } from './page-queries.js'

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
