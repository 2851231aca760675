import type { NewDecision } from '../../../src/store/contract.js'

/** A decision of a run to keep an RFQ open, to record. */
export const newDecision = (runId: number, changes: Partial<NewDecision> = {}): NewDecision => ({
  ...{ runId, channel: 'acme/forest', rfqId: 'rfq-1', rfqNumber: 1042, dueDate: '2026-11-20', timeZone: 'UTC' },
  ...{ decidedAt: '2026-11-21T08:00:00.000Z', decision: 'keep', reason: 'its due date has not ended', outcome: null },
  ...{ httpStatus: null, message: null, versionBefore: 1, versionAfter: null, evidence: {} },
  ...changes,
})
