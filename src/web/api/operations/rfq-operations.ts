import { z } from 'zod'
import { awardRecordSchema } from '../../../core/decision/award-record.js'
import { settingsSchema } from '../../../core/decision/settings.js'
import { EVENT_KINDS, type EventKind } from '../../../core/events/events.js'
import { eventFeed } from '../../../tables/events/events.js'
import { findChannel } from '../../../tables/filter.js'
import { parseMoment } from '../../../tables/moments.js'
import { offerJson, offerSchema } from '../../../tables/offer/offer.js'
import { rfqSchema } from '../../../tables/rfq/rfq.js'
import { comparisonJson, comparisonSchema } from '../../../tables/rfq/rfq-view.js'
import { isSettingName, SETTING_NAMES, settingOfText, whatIfSettings } from '../../../tables/settings.js'
import { todayJson, todaySchema } from '../../../tables/today/today.js'
import { type ReadCall, readOperation } from '../operation.js'
import { asOf, channelFilter, limit, listOfWords, momentSince, wholeNumber } from '../parameters.js'

const RFQ_PATH = '/rfqs/{org}/{channel}/{rfq}'
const moments = z.strictObject(asOf)

/** The RFQ of a path, and the moment that the request is about. */
const rfqOf = ({ path, channel, at }: ReadCall<unknown>) => ({ ...at, channel, name: path.rfq ?? '' })

/** All of a list that has no pages. */
const whole = <Item extends z.ZodType>(item: Item) => z.strictObject({ items: z.array(item) })

/** The schema of a setting of comparisons. */
function settingSchema(name: string): z.ZodType {
  let schema: z.ZodType = settingsSchema
  for (const key of name.split('.')) {
    while (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault) schema = schema.unwrap() as z.ZodType
    schema = (schema as z.ZodObject).shape[key] as z.ZodType
  }
  return (schema as z.ZodDefault).unwrap() as z.ZodType
}

/** The settings that a request can replace. */
const replaceableSettings = Object.fromEntries(
  SETTING_NAMES.map((name) => {
    const value = z.preprocess(
      (given) => (typeof given === 'string' ? settingOfText(given) : given),
      settingSchema(name),
    )
    return [name, value.optional()]
  }),
)

export const RFQ_OPERATIONS = [
  readOperation({
    id: 'readToday',
    path: '/today',
    summary: 'What waits for a person',
    description:
      'RFQs by urgency, what keeps overdue ones open, and matters of the system. The list of RFQs with `waiting=true` has pages of them.',
    query: z.strictObject({
      ...channelFilter,
      since: momentSince('What moved since; default the last working day'),
      limit: limit.describe('RFQs at most.'),
    }),
    result: todaySchema,
    async handle({ query: { channel, limit, since }, at: { now }, views, channels }) {
      const of = channel === undefined ? {} : { channel: findChannel(channel, channels) }
      const moment =
        since === undefined ? {} : { since: parseMoment(since, { option: 'since', now, dayMeans: 'start' }) }
      return todayJson(await views.today({ ...of, ...moment, now, limit }))
    },
  }),
  readOperation({
    id: 'readRfq',
    path: RFQ_PATH,
    summary: 'One RFQ',
    description: '`rfq` is its number, reference or id; `id:…`, `number:…` or `reference:…` if several have the name.',
    query: moments,
    result: rfqSchema,
    handle: (call) => call.views.rfq(rfqOf(call)),
  }),
  readOperation({
    id: 'readOffer',
    path: `${RFQ_PATH}/offers/{offer}`,
    summary: 'One offer',
    description:
      '`offer` is its id or its number. With what it costs and delivers, and all its versions, newest first.',
    query: moments,
    result: offerSchema,
    handle: async (call) => offerJson(await call.views.offer({ ...rfqOf(call), offer: call.path.offer ?? '' })),
  }),
  readOperation({
    id: 'compareOffers',
    path: `${RFQ_PATH}/comparison`,
    summary: 'The comparison of the offers for an RFQ',
    description:
      'Whom to award, why, the alternatives, and every offer: what `quotekeeper compare --json` prints. Every setting under ' +
      '`reports:` of the configuration can be replaced for this request, also rates: `exchangeRates.USD=0.92`. `without=2,5` ' +
      'leaves offers out, by their numbers.',
    query: z.looseObject({ ...asOf, ...replaceableSettings }).superRefine((values, context) => {
      const keys = Object.keys(values).filter((name) => name !== 'as_of' && !isSettingName(name))
      if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: values })
    }),
    result: comparisonSchema,
    async handle(call) {
      const { as_of: _moment, ...replaced } = call.query
      const texts = Object.entries(replaced).map(([name, value]) => [name, String(value)])
      const given = texts.length > 0 && { settings: whatIfSettings(call.settings, Object.fromEntries(texts)) }
      return comparisonJson((await call.views.comparison({ ...rfqOf(call), ...given })).view)
    },
  }),
  readOperation({
    id: 'readAwards',
    path: `${RFQ_PATH}/awards`,
    summary: 'The awards on record for an RFQ',
    description: 'In full, newest first; at most one stands. `comparison` says what the marketplace shows of it.',
    result: whole(awardRecordSchema),
    async handle(call) {
      const { channel, id: rfqId } = await call.views.findRfq(rfqOf(call))
      return { items: await call.views.rfqAwards({ channel, rfqId }) }
    },
  }),
  readOperation({
    id: 'readEvents',
    path: '/events',
    tag: 'Lists',
    summary: 'Everything that was observed and decided, in the order in which it was committed',
    description: 'Nothing is missing but what was pruned. Ask again with `next` as `after` to go on.',
    query: z.strictObject({
      after: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(0).describe('Only events after this sequence.'),
      kinds: listOfWords(Object.keys(EVENT_KINDS) as EventKind[])
        .optional()
        .describe('Only these kinds.'),
      limit: limit.describe('Events on a page.'),
    }),
    result: eventFeed,
    handle: ({ query: { after, kinds, limit }, views }) => views.events({ after, limit, ...(kinds && { kinds }) }),
  }),
]
