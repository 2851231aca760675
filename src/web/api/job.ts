import { z } from 'zod'
import { channelKey, nullableText, text, timestamp } from '../../tables/schema.js'

export const acceptedJob = z
  .strictObject({ job: text, href: text.describe('Answers the status of the job.') })
  .meta({ id: 'AcceptedJob' })

export const jobStatus = z
  .strictObject({
    job: text,
    name: text,
    channel: channelKey,
    rfqId: nullableText,
    asOf: timestamp.nullable().describe('Of a report: the moment it is about; null: when it is made.'),
    state: z.enum(['waiting', 'active', 'completed', 'failed']),
    addedAt: timestamp,
    finishedAt: timestamp.nullable(),
    error: nullableText.describe('Why it failed.'),
    report: nullableText.describe('The file that was written, below `reports.directory`.'),
    reportHref: nullableText.describe('Downloads it.'),
  })
  .meta({ id: 'Job' })

/** The status of a job, and whose work it is. */
export type JobStatusView = z.input<typeof jobStatus>
