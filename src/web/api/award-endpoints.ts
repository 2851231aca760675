import { z } from 'zod'
import { MAX_REASON_LENGTH, reasonProblem } from '../../core/text/clean-text.js'
import { awardRecordSchema } from '../../tables/awards/award-schema.js'
import { type ActionEndpoint, action, rfqOfPath, userName } from './actions.js'
import { asOf } from './parameters.js'
import { ProblemError, unknownName } from './problem.js'

const PATH = '/rfqs/{org}/{channel}/{rfq}/awards'

const reason = z
  .string({ error: 'a text' })
  .trim()
  .min(1, { error: 'a text' })
  .max(MAX_REASON_LENGTH, { error: `at most ${MAX_REASON_LENGTH} characters` })
  .refine((text) => reasonProblem(text) === null, { error: 'a text that can be read' })

/** What an operator records about awards. */
export const AWARD_ENDPOINTS: readonly ActionEndpoint[] = [
  action({
    id: 'recordAward',
    method: 'POST',
    path: PATH,
    summary: 'Record which offers the desk awards, or that it awards none',
    description:
      'Nothing is sent to the marketplace: accept the offers there. The award is recorded with the recommendation, the settings and ' +
      'the workbook of the comparison. 409 if it cannot be recorded, with every reason: while another award of the RFQ stands, withdraw that first.',
    body: z.strictObject({
      offers: z
        .array(z.string({ error: 'the id of an offer' }), { error: 'a list of ids of offers' })
        .max(1_000, { error: 'at most 1000 offers' })
        .describe('Ids. None, with `because`: nothing is awarded.'),
      because: reason
        .optional()
        .describe('Why. Needed unless the award is the recommended one, with nothing said against it.'),
      as_of: asOf.as_of.describe('The moment of the comparison that the decision is based on. Default: now.'),
    }),
    result: awardRecordSchema,
    status: 201,
    problems: [404, 409, 413, 415],
    async handle(call) {
      const { body, deps } = call
      const { asOf, ...rfq } = await rfqOfPath(call, body.as_of)
      const now = deps.now()
      const order = {
        ...{ ...rfq, offers: { ids: body.offers }, because: body.because ?? null, by: userName(call) },
        ...{ asOf: asOf ?? now, now, settings: deps.settings },
      }
      const prepared = await deps.awards.prepare(order)
      if (prepared.refusals.length > 0)
        throw new ProblemError(409, `nothing was recorded: ${prepared.refusals.join(' ')}`)
      const result = await deps.awards.record(order, prepared)
      if ('recorded' in result) return result.recorded
      throw new ProblemError(409, `nothing was recorded: award ${result.standing.id} stands; withdraw it first`)
    },
  }),
  action({
    id: 'withdrawAward',
    method: 'POST',
    path: `${PATH}/{award}/withdraw`,
    summary: 'Record that an award is withdrawn',
    body: z.strictObject({ because: reason.describe('Why.') }),
    result: awardRecordSchema,
    problems: [404, 409, 413, 415],
    async handle(call) {
      const { path, body, deps } = call
      const { channel, rfqId } = await rfqOfPath(call)
      const id = path.award ?? ''
      const award = /^[1-9]\d{0,8}$/.test(id) ? Number(id) : 0
      const order = { channel, rfqId, award, because: body.because, by: userName(call) }
      const withdrawn = award === 0 ? null : await deps.awards.withdraw(order)
      if (withdrawn === null) throw unknownName('standing award', id, [])
      return withdrawn
    },
  }),
]
