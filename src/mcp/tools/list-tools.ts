import { z } from 'zod'
import { CLOSE_OUTCOMES } from '../../core/records.js'
import { nameById } from '../../core/text/rfq-name.js'
import type { ChangeEntry } from '../../tables/changes/changes.js'
import type { ChannelItem } from '../../tables/channels/channels.js'
import type { closing } from '../../tables/closings/closings.js'
import { RFQ_SORTS, type RfqItem } from '../../tables/rfqs/rfqs.js'
import type { TodayPage } from '../../web/api/endpoints/list-endpoints.js'
import { fitAnswer } from '../answer-size.js'
import { ToolCall } from '../tool-call.js'
import { asOf, momentSince, ofChannel, paging, rfqName } from './arguments.js'
import { sourceOf, tool } from './tool.js'

interface List<Item> {
  asOf: string | null
  items: Item[]
  nextCursor: string | null
  total?: number
}

export const listTools = [
  tool({
    name: 'list_channels',
    title: 'Channels',
    description:
      'The channels that are recorded: how fresh each is, RFQs by state, whether RFQs are closed automatically.',
    input: z.strictObject({}),
    async answer(_args, deps) {
      const call = await ToolCall.begin(deps, undefined)
      const { items } = await call.read<List<ChannelItem>>('listChannels')
      return fitAnswer(items.length, () => call.answer(undefined, { items }))
    },
  }),
  tool({
    name: 'list_rfqs',
    title: 'RFQs',
    description:
      'RFQs with state, due date, number of offers and, with figures, coverage, best price and award. Open ones first, due ' +
      'soonest first, unless sorted otherwise.',
    input: z.strictObject({
      ...ofChannel,
      state: z.string().min(1).max(200).optional().describe('`open`, `closed`, or what else the marketplace sent.'),
      q: z
        .string()
        .min(1)
        .max(200)
        .optional()
        .describe('Words of number, reference, title, developers and projects, all of them; parts of words too.'),
      due_before: z.iso.date().optional().describe('Due before this date, such as 2026-01-31.'),
      due_after: z.iso.date().optional().describe('Due after this date.'),
      overdue: z.boolean().optional().describe('Open and past due.'),
      missing: z.boolean().optional().describe('Whether they have disappeared from the marketplace. Default: both.'),
      changed_since: momentSince('Only RFQs that changed since'),
      figures: z.boolean().default(false).describe('With coverage, best price and recommended award.'),
      sort: z.enum(RFQ_SORTS).default('urgency'),
      ...paging('RFQs'),
    }),
    async answer({ changed_since, limit, ...filter }, deps) {
      const call = await ToolCall.begin(deps, undefined)
      const since = call.since('changed_since', changed_since)
      return fitAnswer(limit, async (maxItems) => {
        const parameters = { ...filter, changed_since: since, limit: maxItems }
        const { items, nextCursor, total } = await call.read<List<RfqItem>>('listRfqs', parameters)
        const rows = items.map(({ version, changedAt, ...row }) => ({
          ...row,
          ...sourceOf('rfq', row.id, version, changedAt),
        }))
        return call.answer(filter.channel, { items: rows, nextCursor, total })
      })
    },
  }),
  tool({
    name: 'list_changes',
    title: 'Changes',
    description:
      'What changed in RFQs and offers, in recommendations and awards, newest first: each entry says in sentences what differs, and ' +
      'between which two observations it happened.',
    input: z.strictObject({
      ...ofChannel,
      rfq: rfqName.optional().describe('Only this RFQ and its offers: number, reference or id.'),
      since: momentSince('Only what was observed since'),
      ...asOf,
      ...paging('Entries'),
    }),
    async answer({ channel, rfq, since, as_of, limit, cursor }, deps) {
      const call = await ToolCall.begin(deps, as_of)
      const after = call.since('since', since)
      const about = rfq === undefined ? { channel } : await filterOf(call, { channel, rfq })
      return fitAnswer(limit, async (maxItems) => {
        const parameters = { ...about, since: after, cursor, limit: maxItems }
        const { items, nextCursor } = await call.read<List<ChangeEntry>>('listChanges', parameters)
        const rows = items.map(({ version, notBefore, observedAt, messages, ...row }) => ({
          ...{ channel: row.channel, rfqId: row.rfqId, rfqNumber: row.rfqNumber, rfqTitle: row.rfqTitle },
          ...{ label: row.label, notBefore, messages },
          // Recommendations and awards are of their RFQ.
          ...sourceOf(row.entity === 'offer' ? 'offer' : 'rfq', row.id, version, observedAt),
        }))
        return call.answer(about.channel, { items: rows, nextCursor })
      })
    },
  }),
  tool({
    name: 'list_closings',
    title: 'Closings',
    description:
      'Closings, which are decisions to close or keep RFQs, newest first: what was decided, why, with which outcome, and on which version of the RFQ. ' +
      'Repeated decisions of one kind count as one.',
    input: z.strictObject({
      ...ofChannel,
      rfq: rfqName.optional().describe('Only this RFQ: number, reference or id.'),
      outcome: z.enum(CLOSE_OUTCOMES).optional().describe('Only closes with this outcome.'),
      ...asOf,
      ...paging('Closings'),
    }),
    async answer({ channel, rfq, outcome, as_of, limit, cursor }, deps) {
      const call = await ToolCall.begin(deps, as_of)
      const about = rfq === undefined ? { channel } : await filterOf(call, { channel, rfq })
      return fitAnswer(limit, async (maxItems) => {
        const parameters = { ...about, outcome, cursor, limit: maxItems }
        const { items, nextCursor } = await call.read<List<z.output<typeof closing>>>('listClosings', parameters)
        const rows = items.map(({ evidence: _evidence, previousHash: _previous, ...row }) => ({
          ...row,
          ...sourceOf('rfq', row.rfqId, row.versionBefore, row.decidedAt),
        }))
        return call.answer(about.channel, { items: rows, nextCursor })
      })
    },
  }),
  tool({
    name: 'today',
    title: 'What needs attention',
    description:
      'What needs attention now: one item for each RFQ that is overdue, due soon, new or changed, or whose recorded award waits, ' +
      'most urgent first, with its award and what to do; apart, closes that failed, rounds that wait for approval, channels that are ' +
      'behind, problems of documents; and figures of all open RFQs.',
    input: z.strictObject({
      ...ofChannel,
      since: momentSince('What changed since; default 24 hours before'),
      due_within_days: z.int().min(0).max(366).default(7).describe('RFQs that are due within so many days.'),
      limit: z.int().min(1).max(200).default(30).describe('RFQs on a page.'),
      cursor: z
        .string()
        .regex(/^\d{1,6}$/)
        .optional()
        .describe('`nextCursor` of the previous page.'),
    }),
    async answer({ channel, since, due_within_days, limit, cursor }, deps) {
      const call = await ToolCall.begin(deps, undefined)
      const parameters = { channel, since: call.since('since', since), due_within_days, cursor, limit }
      const found = await call.read<TodayPage>('readToday', parameters)
      const rows = found.rfqs.map(({ rfqVersion, rfqObservedAt, action, ...row }) => ({
        ...{ ...row, action: action.message, command: action.command },
        ...(rfqObservedAt !== null && sourceOf('rfq', row.rfqId, rfqVersion, rfqObservedAt)),
      }))
      const { since: from, summary, closings, system, totalRfqs: total } = found
      return fitAnswer(limit, (maxItems) => {
        const end = Number(cursor ?? 0) + Math.min(maxItems, rows.length)
        const nextCursor = end < total ? String(end) : null
        const page = { items: rows.slice(0, maxItems), nextCursor, total }
        return call.answer(channel, { since: from, summary, closings, system, ...page })
      })
    },
  }),
]

const filterOf = async (call: ToolCall, name: Parameters<ToolCall['findRfq']>[0]) => {
  const { channel, id } = await call.findRfq(name)
  return { channel, rfq: nameById(id) }
}
