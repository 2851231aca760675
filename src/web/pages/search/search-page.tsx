import type { ComponentChildren } from 'preact'
import { cleanText } from '../../../core/text/clean-text.js'
import { formatCount } from '../../../core/text/number-format.js'
import { type FoundItem, SEARCH_GROUPS, type SearchGroup, type SearchResults } from '../../../views/search/search.js'
import { amount, Badge, plain, price, type Tone } from '../../components/format.js'
import { type PageContent, type PageRequest, type Redirect, readChoice, readSearch } from '../page.js'

/** Results of each group on the first page, and of one group where only that is asked for. */
const MAX_SHOWN = 20
const MAX_OF_GROUP = 200

/** `/search`: finds RFQs, offers and listings in all channels. The number of one RFQ leads straight to it. */
export async function searchPage(page: PageRequest): Promise<PageContent | Redirect> {
  const { query, queries, now, channels } = page
  const group = readChoice(page, 'in', SEARCH_GROUPS)
  const text = readSearch(query)
  const limit = group === null ? MAX_SHOWN : MAX_OF_GROUP
  const results = await queries.search({ query: text, limit, now, ...(group !== null && { group }) })
  if (results.only !== null) return { redirect: results.only.path }
  const isFound = SEARCH_GROUPS.some((one) => results[one].items.length > 0)
  const context = { words: results.words, showChannel: channels.length > 1 }
  return {
    title: text === '' ? 'Search' : `${plain(text)} – search`,
    current: '/search',
    search: text,
    live: 'no',
    body: (
      <>
        <h1>Search</h1>
        <form class="filters" method="get">
          <div class="field">
            <label for="q">Words that a result contains, all of them</label>
            <input id="q" type="search" name="q" value={text} size={40} />
          </div>
          <button type="submit" class="primary">
            Search
          </button>
        </form>
        {results.words.length === 0 ? (
          <Searched />
        ) : isFound ? (
          <>
            <Found results={results} />
            <Group results={results} group="rfqs" more={`/rfqs?q=${encodeURIComponent(text)}`}>
              {results.rfqs.items.map((rfq) => (
                <RfqResult rfq={rfq} {...context} />
              ))}
            </Group>
            <Group
              results={results}
              group="offers"
              more={group === null ? `/search?q=${encodeURIComponent(text)}&in=offers` : null}
            >
              {results.offers.items.map((offer) => (
                <OfferResult offer={offer} {...context} />
              ))}
            </Group>
            <Group results={results} group="listings" more={`/listings?q=${encodeURIComponent(text)}`}>
              {results.listings.items.map((listing) => (
                <ListingResult listing={listing} {...context} />
              ))}
            </Group>
          </>
        ) : (
          <>
            <p class="notice" role="status">
              {`Nothing contains ${results.words.map((word) => `“${plain(word)}”`).join(' and ')}. Search with fewer words, or with a part of one.`}
            </p>
            <Searched />
          </>
        )}
      </>
    ),
  }
}

/** What is searched, and how. */
const Searched = () => (
  <>
    <h2>What is searched</h2>
    <ul>
      <li>RFQs: number, reference, title, channel and id. The number of one RFQ opens it.</li>
      <li>Offers: developer and project. An offer is found some seconds after it was recorded.</li>
      <li>Listings: project, developer, country, registry and its id.</li>
    </ul>
    <p class="muted">
      Parts of words are found too; upper and lower case are the same. Past states are not searched: see{' '}
      <a href="/changes">what changed</a>.
    </p>
  </>
)

const GROUP_TITLES: Record<SearchGroup, string> = { rfqs: 'RFQs', offers: 'Offers', listings: 'Listings' }

const countOf = ({ items, more }: SearchResults[SearchGroup]) => `${more ? 'first ' : ''}${items.length}`

/** How many were found of each group, with links to them. */
const Found = ({ results }: { results: SearchResults }) => (
  <p class="lead" role="status">
    {SEARCH_GROUPS.filter((group) => results[group].items.length > 0).map((group, at) => (
      <>
        {at > 0 && ' · '}
        <a href={`#${group}`}>{GROUP_TITLES[group]}</a> {countOf(results[group])}
      </>
    ))}
  </p>
)

interface GroupProps {
  results: SearchResults
  group: SearchGroup
  /** Where the others are; null if they are listed nowhere. */
  more: string | null
  children: ComponentChildren
}

function Group({ results, group, more, children }: GroupProps) {
  const { items, more: hasMore } = results[group]
  const title = GROUP_TITLES[group]
  if (items.length === 0) return null
  return (
    <section>
      <h2 id={group}>
        {title} <span class="muted">{countOf(results[group])}</span>
      </h2>
      <ul class="plain results">{children}</ul>
      {hasMore && (
        <p class="small">
          {more === null ? 'Add a word to see fewer.' : <a href={more}>{`All ${title} with these words`}</a>}
        </p>
      )}
    </section>
  )
}

interface Context {
  words: readonly string[]
  /** Whether there are several channels. */
  showChannel: boolean
}

/** A result: a link, badges, then facts on a line. Fields that match and are not among the facts follow. */
function Result({
  item,
  badges,
  facts,
  shown,
  words,
}: {
  item: Pick<FoundItem<'rfqs'>, 'path' | 'title' | 'matched'>
  badges?: ComponentChildren
  /** Text, or what is marked. */
  facts: readonly ComponentChildren[]
  /** Fields among the facts, or in the title. */
  shown: readonly string[]
  words: readonly string[]
}) {
  const others = item.matched.filter(({ field }) => !shown.includes(field))
  const all = [
    ...facts,
    ...others.map(({ field, text }) => (
      <>
        {field} <Marked text={text} words={words} />
      </>
    )),
  ]
  return (
    <li>
      <span>
        <a href={item.path}>
          <Marked text={item.title} words={words} />
        </a>{' '}
        {badges}
      </span>
      <span class="muted small">{all.map((fact, at) => (at === 0 ? fact : <> · {fact}</>))}</span>
    </li>
  )
}

const stateOf = (state: string | null, dueDate: string | null): string[] => [
  ...(state === null ? [] : [plain(state)]),
  ...(dueDate === null ? [] : [`due ${plain(dueDate)}`]),
]

const channelOf = ({ channel }: { channel: string }, { showChannel }: Context) => (showChannel ? [channel] : [])

const RfqResult = ({ rfq, ...context }: { rfq: FoundItem<'rfqs'> } & Context) => (
  <Result
    item={rfq}
    words={context.words}
    shown={['Number', ...(context.showChannel ? ['Channel'] : [])]}
    facts={[
      <>
        RFQ <Marked text={rfq.name} words={context.words} />
      </>,
      ...stateOf(rfq.state, rfq.dueDate),
      formatCount(rfq.offers, 'offer'),
      ...channelOf(rfq, context).map((channel) => <Marked text={channel} words={context.words} />),
    ]}
  />
)

const STANDINGS: Record<FoundItem<'offers'>['facts']['standing'], { tone: Tone; label: string } | null> = {
  ranked: null,
  accepted: { tone: 'good', label: 'accepted' },
  'not-compliant': { tone: 'warn', label: 'does not meet requirements' },
  excluded: { tone: 'neutral', label: 'cannot be awarded' },
}

function OfferResult({ offer, ...context }: { offer: FoundItem<'offers'> } & Context) {
  const { tonnes, pricePerTonne, currency, standing } = offer.facts
  const badge = STANDINGS[standing]
  const figures = [
    ...(tonnes === null ? [] : [`${amount(tonnes)} t`]),
    ...(pricePerTonne === null ? [] : [`${price(pricePerTonne)} ${plain(currency)}/t`]),
  ]
  return (
    <Result
      item={offer}
      words={context.words}
      shown={['Developer', 'Project']}
      badges={badge && <Badge tone={badge.tone}>{badge.label}</Badge>}
      facts={[
        `for RFQ ${plain(offer.rfq)}`,
        ...stateOf(offer.state, offer.dueDate),
        ...(figures.length === 0 ? [] : [figures.join(' at ')]),
        ...channelOf(offer, context),
      ]}
    />
  )
}

const ListingResult = ({ listing, ...context }: { listing: FoundItem<'listings'> } & Context) => (
  <Result
    item={listing}
    words={context.words}
    shown={['Developer', 'Country']}
    facts={[
      ...[listing.organizationName, listing.country].flatMap((text) =>
        text === null ? [] : [<Marked text={text} words={context.words} />],
      ),
      ...channelOf(listing, context),
    ]}
  />
)

/** A text from outside, with the words of the search marked. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const escaped = [...words]
    .sort((a, b) => b.length - a.length)
    .map((word) => word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const parts = plain(cleanText(text)).split(new RegExp(`(${escaped.join('|')})`, 'giu'))
  return <>{parts.map((part, at) => (at % 2 === 1 ? <mark>{part}</mark> : part))}</>
}
