import { z } from 'zod'
import { RFQ_STATES } from '../../../core/documents/documents.js'
import { awardItem } from '../../../tables/awards/award-list.js'
import { offerDetail, offerItem } from '../../../tables/offer/offer.js'
import { rfqDetail } from '../../../tables/rfq/rfq.js'
import { rfqViewSchema } from '../../../tables/rfq/rfq-view.js'
import { RFQ_SORTS, rfqItem, sortOf } from '../../../tables/rfqs/rfqs.js'
import { countedListOf } from '../../../tables/schema.js'
import { isSettingName, whatIfSettings } from '../../../tables/settings.js'
import { defined } from '../../http/request-values.js'
import { type ReadCall, readEndpoint } from '../endpoint.js'
import { asOf, channelFilter, date, flag, momentSince, oneOf, paging, word } from '../parameters.js'
import { ProblemError, unknownName } from '../problem.js'
import { channelOf, listPage, requireFound, rfqNameOf, sinceOf, wholeList } from './request.js'

/**
 * A state that is neither documented nor that of any RFQ is a typo, not a filter that nothing matches.
 * @throws ProblemError 400
 */
async function refuseUnknownState({
  deps,
  query: { state },
  at,
}: ReadCall<{ state?: string | undefined }>): Promise<void> {
  if (state === undefined || RFQ_STATES.some((known) => known === state)) return
  const known = [...new Set<string>([...RFQ_STATES, ...(await deps.views.rfqStates(at.now))])]
  if (known.includes(state)) return
  const suggestions = deps.suggest(state, known)
  throw new ProblemError(400, `no RFQ has the state ${JSON.stringify(state)}; known: ${known.join(', ')}`, {
    errors: [{ in: 'query', name: 'state', detail: 'not the state of any RFQ' }],
    ...(suggestions.length > 0 && { suggestions }),
  })
}

const RFQ_PATH = '/rfqs/{org}/{channel}/{rfq}'
const moments = z.object(asOf)

export const rfqEndpoints = [
  readEndpoint({
    id: 'listRfqs',
    path: '/rfqs',
    summary: 'List RFQs',
    description:
      'Open ones first, due soonest first, unless `sort` says otherwise. RFQs that change their place while pages are read may be on two of them or on none.',
    query: z.object({
      ...channelFilter,
      state: word.optional().describe('`open`, `closed`, or another state that the marketplace sent.'),
      q: word
        .optional()
        .describe('Words of number, reference, title, channel, developers and projects, all of them; or the id.'),
      due_before: date.optional().describe('Response due date before this one.'),
      due_after: date.optional().describe('Response due date after this one.'),
      overdue: flag.optional().describe('Open and past due.'),
      missing: flag.optional().describe('Whether they have disappeared from the marketplace. Default: both.'),
      changed_since: momentSince('RFQs that, or offers of which, changed since'),
      figures: flag.default(false).describe('With coverage, best price and the like.'),
      sort: oneOf(RFQ_SORTS).default('urgency'),
      ...paging,
    }),
    result: countedListOf(rfqItem),
    async handle(call) {
      const { state, q, due_before, due_after, overdue, missing, changed_since, figures, sort, cursor, limit } =
        call.query
      await refuseUnknownState(call)
      const { items, next, total } = await call.deps.views.rfqs({
        now: call.at.now,
        ...channelOf(call),
        ...defined({ state, search: q, dueBefore: due_before, dueAfter: due_after, overdue, missing }),
        ...defined({ changedSince: sinceOf(call, 'changed_since', changed_since), sort: sortOf(sort) }),
        ...{ figures, page: { cursor: cursor ?? null, limit } },
      })
      return listPage({ items, total, next })
    },
  }),
  readEndpoint({
    id: 'readRfq',
    path: RFQ_PATH,
    summary: 'Read one RFQ',
    description:
      '`rfq` is its number, reference or id; `id:…`, `number:…` or `reference:…` if several RFQs have the name.',
    query: moments,
    result: rfqDetail,
    problems: [404, 409],
    async handle(call) {
      return requireFound(await call.deps.views.rfq(rfqNameOf(call)))
    },
  }),
  readEndpoint({
    id: 'listOffers',
    path: `${RFQ_PATH}/offers`,
    summary: 'List the offers for an RFQ',
    description: 'All offers that were ever known, in the order of their numbers.',
    query: moments,
    result: countedListOf(offerItem),
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      return wholeList(requireFound(await call.deps.views.offers(name)), name)
    },
  }),
  readEndpoint({
    id: 'readOffer',
    path: `${RFQ_PATH}/offers/{offer}`,
    summary: 'Read one offer with all its versions',
    description: '`offer` is its id or its number.',
    query: moments,
    result: offerDetail,
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      const offer = call.path.offer ?? ''
      const { offer: found } = requireFound(await call.deps.views.offer({ ...name, offer }))
      if (found === null) throw unknownName('offer', offer, [], ` for RFQ ${name.name} of ${name.channel}`)
      return found
    },
  }),
  readEndpoint({
    id: 'compareOffers',
    path: `${RFQ_PATH}/comparison`,
    summary: 'Compare the offers for an RFQ',
    description:
      'Whom to award, why, the alternatives, and every offer: what `quotekeeper compare --json` prints. Every setting under ' +
      '`reports:` of the configuration can be replaced for this request: `volume=5000`, `awardTolerance=0`, ' +
      '`requirements.priceMax=advisory`, `exchangeRates.USD=0.92`.',
    query: moments,
    acceptsSettings: true,
    result: rfqViewSchema,
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      const replaced = Object.entries(call.query as Record<string, unknown>).filter(
        (entry): entry is [string, string] => isSettingName(entry[0]) && typeof entry[1] === 'string',
      )
      const changed = whatIfSettings(call.deps.settings, Object.fromEntries(replaced))
      if ('errors' in changed)
        throw new ProblemError(400, changed.errors.map(({ name: of, detail }) => `${of}: ${detail}`).join('; '), {
          errors: changed.errors.map((error) => ({ in: 'query', ...error })),
        })
      const given = replaced.length > 0 && { settings: changed.settings }
      return requireFound(await call.deps.views.comparison({ ...name, ...given })).view
    },
  }),
  readEndpoint({
    id: 'listAwards',
    path: `${RFQ_PATH}/awards`,
    summary: "List the desk's awards for an RFQ",
    description: 'Newest first; at most one stands. `comparison` says what the marketplace shows of it.',
    query: z.object({}),
    result: countedListOf(awardItem),
    problems: [404, 409],
    async handle(call) {
      const name = rfqNameOf(call)
      const { channel, id: rfqId } = requireFound(await call.deps.views.findRfq(name))
      return wholeList(await call.deps.views.awards({ channel, rfqId, now: name.now }))
    },
  }),
]
