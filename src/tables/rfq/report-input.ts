import type { ComparisonInput, ParsedResponse, ReportParameters } from '../../compare/input/comparison-input.js'
import { parseStoredListing, parseStoredResponse, parseStoredRfq } from '../../compare/input/stored-documents.js'
import { findReviewedOffers } from '../../compare/offer/reviewed-terms.js'
import { type AwardFacts, awardFacts } from '../../core/decision/award-record.js'
import type { Settings } from '../../core/decision/settings.js'
import type { KnownDocument } from '../../core/records.js'
import { pricesReadOf, termsReadOf } from '../../core/time/read-times.js'
import { settingsAt } from '../../figures/exchange-rates.js'
import type {
  Awards,
  Closings,
  ExchangeRates,
  FigureQueries,
  History,
  PollStates,
  RunQueries,
} from '../../store/contract.js'

/** The part of the configuration that reports use. */
interface ReportConfig {
  /** `directory` is absolute. */
  reports: {
    directory: string
    settings: Settings
  }
}

/** What a report is made from. */
interface ReportSource {
  store: History &
    Pick<PollStates, 'responseStates'> &
    Pick<Closings, 'decisions'> &
    Pick<Awards, 'awards'> &
    Pick<RunQueries, 'newestCompleteRun'> &
    Pick<FigureQueries, 'creditClaims'> &
    Pick<ExchangeRates, 'ratesAt'>
  config: ReportConfig
  /** `key` is `org/slug`; `timeZone` an IANA name. */
  channel: { key: string; timeZone: string }
  /** The report shows what was known at this moment. */
  asOf: Date
  /** When the report is made. */
  now: Date
  /** Program version. */
  version: string
  /** Who asked for it, or what else caused it. */
  madeBy?: string
  /** The award of an RFQ to show, which is about to be recorded. Default: the one that stands. */
  award?: AwardFacts
}

export interface RfqReportSource extends ReportSource {
  rfqId: string
}

/** The RFQ was not known at that moment. The user should name another RFQ or moment. */
class UnknownRfqError extends Error {
  override name = 'UnknownRfqError'
}

/**
 * Loads what was known about one RFQ at a moment, for `compareOffers`.
 * @throws UnknownRfqError, StoreError
 */
export async function gatherRfqInput(source: RfqReportSource): Promise<ComparisonInput> {
  const { store, rfqId, asOf } = source
  const channel = source.channel.key
  const found = (await store.rfqs({ channel, asOf, ids: [rfqId] })).find(({ rfq }) => rfq.id === rfqId)
  if (found === undefined) {
    throw new UnknownRfqError(`RFQ ${rfqId} of ${channel} was not known at ${asOf.toISOString()}`)
  }
  const rfq = parseStoredRfq(found.rfq)
  const listingIds = unique([...(rfq.document?.listingIds ?? []), ...found.responses.map(listingIdOf)])
  const [listings, problems, decisions, award] = await Promise.all([
    store.listings({ channel, asOf, ids: listingIds }),
    store.problems({ channel, asOf, entityIds: [rfqId, ...found.responses.map(({ id }) => id), ...listingIds] }),
    store.decisions({ channel, rfqId }),
    source.award ?? standingAward(source),
  ])
  const known = {
    rfq,
    reviewed: await findReviewedOffers(found.responses, () => store.rfqHistory(channel, rfqId, asOf)),
    responses: parseLazily(found.responses),
    listings: listings.map(parseStoredListing),
  }
  return {
    ...(await reportParameters(source)),
    ...known,
    ...{ problems, decisions, award },
    ...(isOnPresent(source) && (await readPresent(source))),
  }
}

const isOnPresent = ({ asOf, now }: ReportSource): boolean => asOf >= now

/** The award that stands at the moment of the report. */
async function standingAward({ store, channel, rfqId, asOf }: RfqReportSource) {
  const [award] = await store.awards({ channel: channel.key, rfqId, standing: true, asOf, limit: 1 })
  return award === undefined ? null : awardFacts(award)
}

/** What later reads and decisions change, so for the present only: a report as of a past moment must never change. */
async function readPresent({ store, channel: { key: channel }, rfqId }: RfqReportSource) {
  const [states, poll, current, claims] = await Promise.all([
    store.responseStates(channel, [rfqId]),
    store.newestCompleteRun({ channel, kind: 'rfqs' }),
    // The RFQ as of a moment does not say when it was last read.
    store.rfqs({ channel, ids: [rfqId], withoutResponses: true }),
    store.creditClaims(),
  ])
  const rfqs = current.map(({ rfq }) => rfq)
  return { termsRead: termsReadOf(states), pricesRead: pricesReadOf(rfqs, () => poll?.startedAt ?? null), claims }
}

async function reportParameters(source: ReportSource): Promise<ReportParameters> {
  const { store, config, channel, asOf, now, version, madeBy } = source
  return {
    channel: channel.key,
    timeZone: channel.timeZone,
    asOf,
    generatedAt: now,
    programVersion: version,
    ...(madeBy !== undefined && { madeBy }),
    settings: await settingsAt(store, config.reports.settings, asOf),
  }
}

/** Parses each document on iteration and drops its text, because thousands of both would fill the memory. */
function* parseLazily(responses: KnownDocument[]): Generator<ParsedResponse> {
  responses.reverse()
  for (let next = responses.pop(); next !== undefined; next = responses.pop()) yield parseStoredResponse(next)
}

function listingIdOf({ body }: KnownDocument): string | null {
  const { listingId } = Object(body) as { listingId?: unknown }
  return typeof listingId === 'string' ? listingId : null
}

const unique = (ids: readonly (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]
