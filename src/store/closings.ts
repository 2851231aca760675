import { createApprovalPlans } from './approval-plans.js'
import { createCloseIntents } from './close-intents.js'
import type { Connection } from './connection.js'
import type { Closings } from './contract.js'
import { createDecisionLog } from './decision-log.js'
import type { EventWriter } from './event-writer.js'
import { createUnsettledCloses } from './unsettled-closes.js'

/** What closing stores: intents before a POST, decisions after it, and approval plans of held rounds. */
export function createClosings(connection: Connection, events: EventWriter): Closings {
  const { append, ...log } = createDecisionLog(connection, events)
  return {
    ...log,
    ...createCloseIntents(connection, append),
    ...createApprovalPlans(connection),
    ...createUnsettledCloses(connection),
  }
}
