import { z } from 'zod'
import type { AwardState } from '../../compare/decision/award-state.js'
import { awardFactsSchema } from '../../core/decision/award-record.js'

const text = z.string()

const FINDINGS = ['other-accepted', 'missing', 'not-open', 'changed', 'expired', 'expires', 'part-accepted', 'accepted']

/** The desk's award that stands, and what the marketplace shows of it. */
export const awardStateSchema = z
  .strictObject({
    award: awardFactsSchema,
    status: z
      .enum(['waiting', 'accepted', 'differs', 'no-award'])
      .describe(
        '`waiting`: the marketplace does not show every awarded offer as accepted yet. `accepted`: it shows exactly those. ' +
          '`differs`: what it shows cannot become the recorded award. `no-award`: nothing is awarded.',
      ),
    findings: z.array(
      z.strictObject({
        code: z.enum(FINDINGS as AwardState['findings'][number]['code'][]),
        loud: z.boolean().describe('Whether a person must act now.'),
        message: text,
        since: text.nullable(),
      }),
    ),
    next: text.describe('What to do next.'),
    facts: z
      .array(z.strictObject({ label: text, kind: z.literal('text'), value: text }))
      .describe('All of it in sentences.'),
  })
  .meta({ id: 'StandingAward' }) satisfies z.ZodType<AwardState>

/** The standing award in lines for a terminal; none if no award stands. */
export const awardLines = (state: Pick<AwardState, 'facts'> | null): string[] =>
  (state?.facts ?? []).map(({ label, value }) => `${label}: ${value}`)
