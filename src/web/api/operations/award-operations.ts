import { z } from 'zod'
import { awardRecordSchema } from '../../../core/decision/award-record.js'
import { MAX_NAME_LENGTH, MAX_REASON_LENGTH, reasonProblem } from '../../../core/text/clean-text.js'
import { standingText } from '../../../tables/awards/awards.js'
import { type ActionCall, actionOperation, findSubject } from '../actions.js'
import { asOf } from '../parameters.js'
import { ProblemError, unknownName } from '../problem.js'

const PATH = '/rfqs/{org}/{channel}/{rfq}/awards'

const reason = z
  .string()
  .trim()
  .min(1)
  .max(MAX_REASON_LENGTH)
  .refine((text) => reasonProblem(text) === null, { error: 'a text that can be read' })
  .describe('Why.')

/** The RFQ of a path, at a moment, and who sent the request. */
async function subjectOf({ path, user, deps }: ActionCall<unknown>, as_of?: string) {
  const channel = `${path.org}/${path.channel}`
  const { rfqId = '', ...found } = await findSubject({ channel, rfq: path.rfq, as_of }, deps)
  return { ...found, rfqId, by: (user?.name ?? 'unknown').slice(0, MAX_NAME_LENGTH) }
}

/** What an operator records about awards. */
export const AWARD_OPERATIONS = [
  actionOperation({
    id: 'recordAward',
    path: PATH,
    summary: 'Record which offers the desk awards, or that it awards none',
    description:
      'Nothing is sent to the marketplace: accept the offers there. The award is recorded with the recommendation, the settings and ' +
      'the workbook of the comparison. 409 if it cannot be recorded, with every reason: while another award of the RFQ stands, withdraw that first.',
    body: z.strictObject({
      offers: z
        .array(z.string())
        .max(1_000)
        .describe('Ids, or numbers of the comparison. None, with `because`: nothing is awarded.'),
      because: reason
        .optional()
        .describe('Needed unless the award is the recommended one, with nothing said against it.'),
      as_of: asOf.as_of.describe('The moment of the comparison that the decision is based on. Default: now.'),
    }),
    result: awardRecordSchema,
    status: 201,
    async handle(call) {
      const { body, deps } = call
      const now = deps.now()
      const order = {
        ...{ now, asOf: now, ...(await subjectOf(call, body.as_of)), settings: deps.settings },
        ...{ offers: body.offers, because: body.because ?? null },
      }
      const prepared = await deps.awards.prepare(order)
      if (prepared.refusals.length > 0)
        throw new ProblemError(409, `nothing was recorded: ${prepared.refusals.join(' ')}`)
      const result = await deps.awards.record(order, prepared)
      if ('recorded' in result) return result.recorded
      throw new ProblemError(409, `nothing was recorded: ${standingText(result.standing)}`)
    },
  }),
  actionOperation({
    id: 'withdrawAward',
    path: `${PATH}/{award}/withdraw`,
    summary: 'Record that an award is withdrawn',
    description: 'Nothing is sent to the marketplace.',
    body: z.strictObject({ because: reason }),
    result: awardRecordSchema,
    async handle(call) {
      const { path, body, deps } = call
      const subject = await subjectOf(call)
      const id = path.award ?? ''
      const award = /^[1-9]\d{0,8}$/.test(id) ? Number(id) : 0
      const withdrawn = award === 0 ? null : await deps.awards.withdraw({ ...subject, award, because: body.because })
      if (withdrawn === null) throw unknownName('standing award', id)
      return withdrawn
    },
  }),
]
