import { z } from 'zod'
import { RUN_KINDS, RUN_OUTCOMES, type RunRecord, STOP_CODES } from '../../core/records.js'
import type { RunQueries } from '../../store/contract.js'
import { channelKey, count, nullableText, timestamp } from '../schema.js'

/** A poll or a closing round. */
export const run = z
  .strictObject({
    id: z.int(),
    channel: channelKey,
    kind: z.enum(RUN_KINDS),
    startedAt: timestamp,
    finishedAt: timestamp.nullable(),
    outcome: z.enum(RUN_OUTCOMES).nullable().describe('Null while it runs.'),
    requests: count,
    seen: count,
    inserted: count,
    changed: count,
    unchanged: count,
    missing: count,
    invalid: count,
    error: nullableText,
    cause: nullableText.describe('`error` without the RFQs that a closing round leaves to a person.'),
    stop: z
      .strictObject({
        code: z.enum(STOP_CODES),
        clocks: nullableText.describe('What the comparison of the clocks found, if that is why.'),
      })
      .nullable()
      .describe('Why a closing round closed nothing more; null if nothing stopped it.'),
    suspicious: z.boolean(),
    failedItems: count.nullable(),
    notBefore: timestamp.nullable(),
    postponed: count.describe('Documents left to the next poll, because the request budget was exceeded.'),
    requestRates: z
      .strictObject({ required: z.number(), allowed: z.number(), ageMinutes: z.number() })
      .nullable()
      .describe(
        'Requests per second that are needed so that nothing exceeds its maximum age, those that the limit allows, and how old documents become. Null if the run planned none.',
      ),
    futureStoredAt: timestamp
      .nullable()
      .describe(
        'The newest time that was stored on the channel when the run began, if the clock of its process was behind it by more than a minute.',
      ),
  })
  .meta({ id: 'Run' }) satisfies z.ZodType<RunRecord>

/** Polls and closing rounds, newest first. */
export const runViews = ({ store }: { store: Pick<RunQueries, 'runs'> }) => ({
  runs: (filter: Parameters<RunQueries['runs']>[0]) => store.runs(filter),
})
