import { AWARD_LOG } from '../awards/award-rows.js'
import { createDueRfqs } from '../documents/queries/due-rfqs.js'
import { type ChainReport, numberOfHash, verifyChain } from '../sql/hash-chain.js'
import type { Queries, SqlDatabase } from '../sql/sql-database.js'
import { createCloseIntents } from './close-intents.js'
import { createClosingStop } from './closing-stop.js'
import { createDecisionLog, DECISION_LOG } from './decision-log.js'
import { createUnsettledCloses } from './unsettled-closes.js'

/** The stored state of closing: intents before a POST, decisions after it, and the order to stop. */
export function createClosings(database: SqlDatabase) {
  const { append, ...log } = createDecisionLog(database)
  return {
    ...log,
    ...createCloseIntents(database, append),
    ...createUnsettledCloses(database),
    ...createDueRfqs(database),
    ...createClosingStop(database),
    /** The number of the decision or award with this hash; null if there is none. */
    decisionWithHash: (hash: string) => numberOfHash(database, hash),
    verifyDecisions: () => verifyDecisions(database),
  }
}

/** Verifies the hash chain of closing decisions and awards, with the workbooks and settings of awards. */
export const verifyDecisions = (queries: Queries): Promise<ChainReport> =>
  verifyChain(queries, [DECISION_LOG, AWARD_LOG])

export type Closings = ReturnType<typeof createClosings>
