import type { IndexedRfq, PresentRfqs } from '../rfq-index.js'
import type { Queries } from '../sql-database.js'

/** The RFQs of a channel that are not missing, from the columns beside their documents. */
export const createPresentRfqs =
  (queries: Queries): PresentRfqs =>
  (channel) =>
    queries.all<IndexedRfq>(
      `select id, state, due_date as "dueDate" from entities
      where channel = @channel and kind = 'rfq' and missing_since is null`,
      { channel },
    )
