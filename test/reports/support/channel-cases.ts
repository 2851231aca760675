import type { ChannelInput, ReportedDecision } from '../../../src/compare/input/comparison-input.js'
import { channelInput, EURO_SETTINGS, manyResponses, response } from '../../helpers/data/comparison-inputs.js'
import { HOSTILE, hostileInput } from './rfq-cases.js'

const decision = (id: number, of: Partial<ReportedDecision> = {}): ReportedDecision => ({
  id,
  runId: 3,
  rfqId: 'a',
  rfqNumber: 1,
  dueDate: '2026-03-01',
  timeZone: 'UTC',
  decidedAt: '2026-03-02T06:00:00.000Z',
  decision: 'close',
  reason: 'Due on 2026-03-01, which has ended.',
  outcome: 'closed',
  httpStatus: 200,
  message: null,
  versionBefore: 1,
  versionAfter: 2,
  ...of,
})

function busy(): ChannelInput {
  return channelInput(
    [
      { rfq: { id: 'a', number: 1, state: 'closed', responseDueDate: '2026-03-01' } },
      { rfq: { id: 'b', number: 2, title: 'Blue carbon' }, responses: manyResponses(20, 3) },
      { rfq: { id: 'c', number: 3, responseDueDate: '2026-03-10' }, responses: [] },
      {
        rfq: { id: 'd', number: 4, responseDueDate: null, minVolume: null, maxVolume: null },
        responses: [response(1, { offer: null })],
      },
      {
        rfq: { id: 'f', number: 6, responses: [{ id: 'x' }, { id: 'y' }] },
        rfqStored: { shape: 'list' },
        responses: [],
      },
      { rfq: { id: 'e', number: 5, pricing: { currency: 'EUR', maxUnitPrice: 10, minUnitPrice: 1 } } },
    ],
    {
      settings: EURO_SETTINGS,
      decisions: [decision(1), decision(2, { rfqId: 'c', rfqNumber: 3, decision: 'blocked', outcome: null })],
    },
  )
}
function hostile(): ChannelInput {
  const { rfq, responses, listings } = hostileInput()
  const decisions = HOSTILE.map((message, at) =>
    decision(at, { reason: message, message: message, rfqId: message, dueDate: message }),
  )
  return { ...busy(), rfqs: [{ rfq, responses }], listings, decisions: decisions as ReportedDecision[] }
}
const empty = (): ChannelInput => ({ ...channelInput([]), listings: [] })

/** The channels for which the overview is tested. */
export const CHANNEL_CASES = { busy, hostile, empty }
