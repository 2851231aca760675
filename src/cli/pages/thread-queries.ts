import { createRfqList, type RfqList } from '../../read-models/rfq-list.js'
import type { Monitoring, Reader } from '../../store/contract.js'
import type { ApiReader } from '../../web/api/read.js'
import type { PageQueries } from '../../web/page-queries.js'
import type { ApiConfig } from '../api/api-queries.js'
import { openApiReader } from '../api/open-api-reader.js'
import { createPageQueries } from './page-queries.js'

/** Everything that pages and the API read. */
export type ThreadQueries = PageQueries & ApiReader & Pick<RfqList, 'computeFigures'>

/** What pages and the API read, from an open store. They share the list of RFQs, which keeps documents in memory. */
export function createThreadQueries(store: Omit<Reader, 'close' | keyof Monitoring>, config: ApiConfig): ThreadQueries {
  const rfqs = createRfqList({ store, channels: config.channels, settings: config.reports.settings })
  const source = { store, config, rfqs }
  return { ...createPageQueries(source), ...openApiReader(source), computeFigures: rfqs.computeFigures }
}
