import type { KnownDocument } from '../../core/records.js'
import type { Store } from '../../store/contract.js'
import type { RfqView } from '../../views/rfq/rfq-view.js'
import type { App } from '../app.js'
import type { Cli } from '../cli-context.js'
import { databaseNow } from './read-filter.js'
import { createReportOrder } from './report-request.js'

/** The comparison of the offers for an RFQ as of a moment, default now, with the settings of the configuration. */
export async function readComparison(
  { io }: Pick<Cli, 'io'>,
  { store, app }: { store: Store; app: App },
  { channel, id }: KnownDocument,
  asOf: Date | undefined,
): Promise<RfqView> {
  const now = await databaseNow(store, io.now())
  const order = createReportOrder(app.config, { channel, asOf: asOf ?? now, now })
  const { buildRfqView } = await import('../../views/rfq/build-rfq-view.js')
  return buildRfqView({ ...order, store, rfqId: id })
}
