import type { IndexedRfq, ListRfqs } from '../rfq-index.js'
import type { Queries } from '../sql-database.js'

/** The RFQs of a channel, from the columns beside their documents. */
export const createRfqIndexQuery =
  (queries: Queries): ListRfqs =>
  (channel) =>
    queries.all<IndexedRfq>(
      `select id, state, due_date as "dueDate", missing_since is not null as "isMissing" from entities
      where channel = @channel and kind = 'rfq'`,
      { channel },
    )
