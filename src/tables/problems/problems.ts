import { z } from 'zod'
import type { History } from '../../store/contract.js'
import { channelKey, count, text, timestamp } from '../schema.js'

export const dataProblem = z
  .strictObject({
    channel: channelKey,
    kind: z.enum(['listing', 'rfq', 'response']),
    entityId: text,
    path: text,
    code: text,
    message: text,
    firstSeenAt: timestamp,
    lastSeenAt: timestamp,
    times: count,
  })
  .meta({ id: 'DataProblem' })

/** Deviations of documents from the API description of the marketplace, newest first. */
export const problemViews = ({ store }: { store: Pick<History, 'problems'> }) => ({
  problems: (filter: { channel?: string; limit?: number }) => store.problems(filter),
})
