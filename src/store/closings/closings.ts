import { AWARD_LOG } from '../awards/awards.js'
import type { Closings } from '../contract.js'
import { createUnclosedRfqs } from '../documents/queries/due-rfqs.js'
import type { EventWriter } from '../events/event-writer.js'
import { numberOfHash, verifyChain } from '../sql/hash-chain.js'
import type { SqlDatabase } from '../sql/sql-database.js'
import { createCloseIntents } from './close-intents.js'
import { createClosingStop } from './closing-stop.js'
import { createDecisionLog, DECISION_LOG } from './decision-log.js'
import { createUnsettledCloses } from './unsettled-closes.js'

/** The stored state of closing: intents before a POST, decisions after it, and the order to stop. */
export function createClosings(database: SqlDatabase, events: EventWriter): Closings {
  const { append, ...log } = createDecisionLog(database, events)
  return {
    ...log,
    ...createCloseIntents(database, append),
    ...createUnsettledCloses(database),
    unclosedRfqs: createUnclosedRfqs(database),
    ...createClosingStop(database, events),
    decisionWithHash: (hash) => numberOfHash(database, hash),
    verifyDecisions: () => verifyChain(database, [DECISION_LOG, AWARD_LOG]),
  }
}
