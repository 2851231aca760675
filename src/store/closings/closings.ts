import { AWARD_LOG, findChangedAward } from '../awards/award-queries.js'
import { createDueRfqs } from '../documents/queries/due-rfqs.js'
import { type ChainReport, numberOfHash, verifyChain } from '../sql/hash-chain.js'
import type { Queries, SqlDatabase } from '../sql/sql-database.js'
import { createCloseIntents } from './close-intents.js'
import { createClosingStop } from './closing-stop.js'
import { createDecisionLog, DECISION_LOG } from './decision-log.js'

/** The stored state of closing: intents before a POST, decisions after it, and the order to stop. */
export const createClosings = (database: SqlDatabase) => ({
  ...createDecisionLog(database),
  ...createCloseIntents(database),
  ...createDueRfqs(database),
  ...createClosingStop(database),
  /** The number of the decision or award with this hash; null if there is none. */
  decisionWithHash: (hash: string) => numberOfHash(database, hash),
  verifyDecisions: () => verifyDecisions(database),
})

/** Verifies the hash chain of closing decisions and awards, with the workbooks and settings of awards. */
export async function verifyDecisions(queries: Queries): Promise<ChainReport> {
  const report = await verifyChain(queries, [DECISION_LOG, AWARD_LOG])
  const changed = report.brokenAt === null ? await findChangedAward(queries) : null
  if (changed === null) return report
  const message = `The ${changed.part} of award ${changed.id} was changed or removed after the award was recorded.`
  return { ...report, brokenAt: changed.id, message }
}
