import { z } from 'zod'
import { nameById } from '../../core/text/rfq-name.js'
import { searchWords } from '../../core/text/search-words.js'
import { type OfferFacts, offerFacts } from '../../recommendations/offer-facts.js'
import type { FoundOffer } from '../../store/contract.js'
import { type ListingItem, type ListingSource, listingViews } from '../listings/listings.js'
import { listingPath, offerPath, rfqPath } from '../page-paths.js'
import type { RfqList, RfqListRow } from '../rfqs/rfq-list.js'
import { rfqsViews } from '../rfqs/rfqs.js'
import { channelKey, nullableText, text } from '../schema.js'
import type { ViewSource } from '../source.js'

const found = {
  channel: channelKey,
  id: text,
  title: text.describe('What to call it.'),
  path: text.describe('Its page.'),
  matched: z
    .array(z.strictObject({ field: text, text }))
    .describe('What contains words of the search, besides the title.'),
}
const groupOf = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ items: z.array(z.strictObject({ ...found, ...shape })), more: z.boolean() })

const ofRfq = { state: nullableText, dueDate: nullableText.describe('The response due date.') }

/** What a search found. */
export const searchResults = z
  .strictObject({
    query: text,
    words: z.array(text).describe('Everything that is found contains all of them, in upper or lower case.'),
    only: z
      .strictObject({ channel: channelKey, id: text, path: text })
      .nullable()
      .describe('The only RFQ that has the query as its number, reference or id.'),
    rfqs: groupOf({ name: text, offers: z.int(), ...ofRfq }).describe('By number, reference, title, channel or id.'),
    offers: groupOf({ rfqId: text, rfq: text.describe('The name of its RFQ.'), ...ofRfq, facts: offerFacts }).describe(
      'By developer or project.',
    ),
    listings: groupOf({ organizationName: nullableText, country: nullableText }).describe(
      'By project, developer, country, registry or its id.',
    ),
  })
  .meta({ id: 'SearchResults' })
export type SearchResults = z.infer<typeof searchResults>

/** The groups of results. */
export const SEARCH_GROUPS = ['rfqs', 'offers', 'listings'] as const
export type SearchGroup = (typeof SEARCH_GROUPS)[number]
export type FoundItem<Group extends SearchGroup> = SearchResults[Group]['items'][number]

export interface SearchQuery {
  query: string
  /** Searches this group only. */
  group?: SearchGroup
  /** Results in each group. */
  limit: number
  now: Date
}

type SearchSource = ListingSource & {
  rfqs: RfqList
  store: Parameters<typeof rfqsViews>[0]['store'] &
    Pick<ViewSource['store'], 'rfqsNamed' | 'offersWith' | 'listingsWith'>
}

/** Search across all channels, in what is recorded. */
export const searchViews = (source: SearchSource) => ({
  async search({ query, group, limit, now }: SearchQuery): Promise<SearchResults> {
    const words = searchWords(query)
    const wants = (one: SearchGroup) => words.length > 0 && (group === undefined || group === one)
    const results: SearchResults = {
      ...{ query, words, only: null },
      rfqs: NOTHING,
      offers: NOTHING,
      listings: NOTHING,
    }
    if (wants('rfqs')) Object.assign(results, await findRfqs(source, { query, words, limit, now }))
    if (wants('offers')) results.offers = await findOffers(source, { words, limit, now })
    if (wants('listings')) results.listings = await findListings(source, { words, limit })
    return results
  },
})

const NOTHING = { items: [], more: false }

interface Search {
  words: readonly string[]
  limit: number
  now: Date
}

const groupFrom = <Row, Item>(rows: readonly Row[], limit: number, toItem: (row: Row) => Item) => ({
  items: rows.slice(0, limit).map(toItem),
  more: rows.length > limit,
})

/** The fields that contain one of the words. */
const matchesIn = (words: readonly string[], fields: Readonly<Record<string, string | number | null>>) =>
  Object.entries(fields).flatMap(([field, value]) => {
    const text = value === null ? '' : String(value)
    return words.some((word) => text.toLowerCase().includes(word)) ? [{ field, text }] : []
  })

const keyOf = ({ channel, id }: { channel: string; id: string }) => `${channel}\t${id}`

/** People also write `RFQ 1042` and `#1042`. */
const nameIn = (query: string) => query.trim().replace(/^(?:rfq\s+|#\s*|no\.?\s+)/i, '')

/** RFQs that are called so first, then those whose names contain the words, open ones first. */
async function findRfqs({ rfqs, store }: SearchSource, { query, words, limit, now }: Search & { query: string }) {
  const name = nameIn(query)
  const named = await store.rfqsNamed(name, limit + 1)
  const ids = named.map(({ rfqId }) => rfqId)
  const keys = new Set(named.map(({ channel, rfqId: id }) => keyOf({ channel, id })))
  const called = ids.length === 0 ? [] : (await rfqs.rows({ now, ids })).filter((row) => keys.has(keyOf(row)))
  const page = { from: 0, to: limit + 1 }
  const { items } = await rfqsViews({ rfqs, store }).rfqs({ now, search: query, page, figures: false })
  const rows = [...called, ...items.filter((item) => !keys.has(keyOf(item)))]
  const exact = rows.filter((row) => keys.has(keyOf(row)) || isCalled(row, name))
  const [only] = exact
  return {
    only: only === undefined || exact.length > 1 ? null : refOf(only),
    rfqs: groupFrom(rows, limit, (row) => rfqItem(row, words)),
  }
}

type FoundRfq = Pick<
  RfqListRow,
  'channel' | 'id' | 'name' | 'number' | 'reference' | 'title' | 'state' | 'responseDueDate' | 'offers'
>

const isCalled = ({ id, number, reference }: FoundRfq, name: string) =>
  [id, number, reference].some((one) => one !== null && String(one).toLowerCase() === name.toLowerCase())

const refOf = ({ channel, id, name }: FoundRfq) => ({ channel, id, path: rfqPath(channel, name) })

const titleOf = ({ title, name }: FoundRfq) => title ?? `RFQ ${name}`

const rfqItem = (row: FoundRfq, words: readonly string[]): FoundItem<'rfqs'> => ({
  ...refOf(row),
  ...{ name: row.name, title: titleOf(row), state: row.state, dueDate: row.responseDueDate, offers: row.offers },
  matched: matchesIn(words, { Number: row.number, Reference: row.reference, Channel: row.channel, Id: row.id }),
})

async function findOffers({ rfqs, store }: SearchSource, { words, limit, now }: Search) {
  const offers = await store.offersWith(words, limit + 1)
  const ids = [...new Set(offers.map(({ rfqId }) => rfqId))]
  const rows = ids.length === 0 ? [] : await rfqs.rows({ now, ids })
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return groupFrom(offers, limit, (offer) => offerItem(offer, byKey, words))
}

function offerItem(
  { channel, rfqId, id, facts: text }: FoundOffer,
  rfqs: ReadonlyMap<string, RfqListRow>,
  words: readonly string[],
): FoundItem<'offers'> {
  const facts = JSON.parse(text) as OfferFacts
  const rfq = rfqs.get(keyOf({ channel, id: rfqId }))
  const { developer, project } = facts
  return {
    ...{ channel, id, rfqId, facts },
    title: [developer, project].filter(Boolean).join(' · ') || facts.label,
    path: offerPath(channel, rfq?.name ?? nameById(rfqId), id),
    rfq: rfq === undefined ? nameById(rfqId) : rfq.title === null ? rfq.name : `${rfq.name} ${rfq.title}`,
    ...{ state: rfq?.state ?? null, dueDate: rfq?.responseDueDate ?? null },
    matched: matchesIn(words, { Developer: developer, Project: project }),
  }
}

async function findListings(source: SearchSource, { words, limit }: Pick<Search, 'words' | 'limit'>) {
  const listings = await source.store.listingsWith(words, limit + 1)
  const items: ListingItem[] = []
  const { listings: read } = listingViews(source)
  for (const channel of new Set(listings.map((one) => one.channel))) {
    const ids = listings.filter((one) => one.channel === channel).map(({ id }) => id)
    items.push(...(await read({ channel, ids })))
  }
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  const rows = listings.flatMap((one) => byKey.get(keyOf(one)) ?? [])
  return groupFrom(rows, limit, (row) => listingItem(row, words))
}

const listingItem = (listing: ListingItem, words: readonly string[]): FoundItem<'listings'> => {
  const { channel, id, projectName, organizationName, country, registry, registryId } = listing
  return {
    ...{ channel, id, organizationName, country },
    title: projectName ?? id,
    path: listingPath(channel, id),
    matched: matchesIn(words, {
      Developer: organizationName,
      Country: country,
      Registry: registry,
      'Registry id': registryId,
      Id: id,
    }),
  }
}
