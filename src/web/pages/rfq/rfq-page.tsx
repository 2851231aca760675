import { unreadText } from '../../../compare/rfq/rfq-terms.js'
import { cleanText } from '../../../core/text/clean-text.js'
import { formatCount, formatNearDay, formatPrice, formatRange } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { describeReads } from '../../../core/time/read-times.js'
import type { RfqClosing } from '../../../tables/closings/closing-outlook.js'
import { closingPath } from '../../../tables/page-paths.js'
import { type RfqView, rateLines } from '../../../tables/rfq/rfq-view.js'
import { parseWhatIf } from '../../../tables/settings.js'
import { Ages, Badge, DueDay, plain } from '../../components/format.js'
import { AwardCard } from '../award/award-form.js'
import { addressOf, type PageContent, type PageRequest, type Redirect, readPast } from '../page.js'
import { fileTable } from '../table-file.js'
import { Actions, RecommendationSection } from './recommendation-section.js'
import { Charts } from './rfq-charts.js'
import { Changes, Choices, filesOf, Offers, readChanges } from './rfq-tables.js'
import { outcomes, WhatIfPanel } from './what-if-panel.js'

/** `/rfqs/ORG/SLUG/NUMBER`: the comparison of the offers for an RFQ, with what-if settings, and one offer in detail. */
export async function rfqPage(page: PageRequest): Promise<PageContent | Redirect> {
  const { path, query, queries, now, link, settings } = page
  const named = addressOf(path)
  const past = await readPast(page, named.channel)
  const whatIf = parseWhatIf(query, settings)
  // The form sends every setting; the address keeps those that differ.
  if (whatIf.unchanged.length > 0)
    return { redirect: link(Object.fromEntries(whatIf.unchanged.map((setting) => [setting, null]))) }
  const isChanged = Object.keys(whatIf.changes).length > 0
  const address = { ...named, now, ...(past && { asOf: past.asOf }) }
  const changed = { ...address, ...(isChanged && { settings: whatIf.settings }) }
  const { channel, id, view, name } = await queries.comparison(changed)
  const offerIds = view.offers.slice(0, MAX_PRICE_LINES).map((offer) => offer.id)
  const [prices, closing, before, changes, offer] = await Promise.all([
    queries.prices({ channel, rfqId: id, offerIds, asOf: past?.asOf ?? now }),
    past === undefined ? queries.rfqClosing({ channel, name: nameById(id), now }) : null,
    isChanged ? queries.comparison(address) : null,
    readChanges(page, { channel, rfq: nameById(id) }, past?.asOf),
    query.offer === undefined ? null : queries.offer({ ...changed, offer: query.offer, withDocuments: false }),
  ])
  const { rfq } = view
  // Not by its name at a past moment, which another RFQ may have now.
  const unique = nameById(id)
  const closingsPage = closingPath(view.channel, unique)
  const panel = <WhatIfPanel page={page} view={view} whatIf={whatIf} before={before?.view ?? null} />
  return {
    title: `RFQ ${name}${rfq.title ? ` ${plain(rfq.title)}` : ''}`,
    current: '/rfqs',
    live: 'notice',
    past,
    tables: [...filesOf(view, offer), ...(before === null ? [] : [fileTable(outcomes(before.view, view))])],
    body: (
      <>
        <div class="listhead">
          <h1>{`RFQ ${name}: ${plain(rfq.title ?? rfq.reference)}`}</h1>
          <AsOf page={page} />
        </div>
        <RequestFacts view={view} />
        {view.award !== null && <AwardCard state={view.award} />}
        <Notices view={view} closing={closing} path={closingsPage} />
        {isChanged && panel}
        <RecommendationSection view={view} changed={isChanged} />
        <Actions page={page} view={view} changed={isChanged} />
        <Choices view={view} page={page} />
        {!isChanged && panel}
        <Offers view={view} page={page} offer={offer} />
        <Charts view={view} prices={prices} />
        <Questions view={view} />
        <Changes changes={changes} channel={view.channel} rfq={unique} isPast={past !== undefined} />
        <Documents view={view} />
        <nav class="more noprint" aria-label="More about this RFQ">
          <a href={closingsPage}>{`Closings (${view.closings})`}</a>
        </nav>
      </>
    ),
  }
}

/** The page as it was known at the end of a day; each of the changes leads to its moment. */
const AsOf = ({ page: { query, now } }: { page: PageRequest }) => (
  <form class="filters noprint" method="get">
    {Object.entries(query).map(
      ([name, value]) => name !== 'as_of' && <input key={name} type="hidden" name={name} value={value} />,
    )}
    <label class="field">
      As of <input type="date" name="as_of" max={now.toISOString().slice(0, 10)} required />
    </label>
    <button type="submit">Show</button>
  </form>
)

/** Offers whose prices over time are charted. */
const MAX_PRICE_LINES = 8

interface NoticesProps {
  view: RfqView
  /** Null as of a past moment. */
  closing: RfqClosing | null
  path: string
}

/** What to know before anything else, each fact once. */
const Notices = ({ view, closing, path }: NoticesProps) =>
  view.decision.banners.map(({ code, message }) =>
    code === 'rfq-overdue' ? (
      <p class={`notice ${closing?.stop === null && closing.outlook.why === null ? 'warn' : 'bad'}`}>
        {plain(closing === null ? message : `${message} ${closing.message}`)} <a href={path}>Closings</a>
      </p>
    ) : (
      <p class="notice warn">{plain(message)}</p>
    ),
  )

/** State, due date and what is wanted, in two lines. */
function RequestFacts({ view }: { view: RfqView }) {
  const { rfq, channel, currency, summary, timeZone, asOf } = view
  const rates = rateLines(view)
  const { daysToDue } = rfq
  const nearDay = daysToDue === null || rfq.state !== 'open' ? null : formatNearDay(daysToDue, timeZone)
  const volume = formatRange(rfq.minVolume, rfq.maxVolume)
  const limits = formatRange(rfq.minUnitPrice, rfq.maxUnitPrice, formatPrice)
  const vintages = formatRange(rfq.minVintageYear, rfq.maxVintageYear, String)
  return (
    <div class="facts">
      <p>
        <Badge tone={rfq.state === 'open' ? 'good' : 'neutral'}>{plain(rfq.state)}</Badge> due{' '}
        <strong>
          <DueDay dueDate={rfq.responseDueDate} daysToDue={daysToDue} />
        </strong>
        {nearDay === null ? '' : ` (${nearDay})`} ·{' '}
        <strong>{volume === null ? 'no volume stated' : `${volume} t wanted`}</strong> ·{' '}
        {limits === null ? 'no price limit' : `limit ${limits} ${plain(rfq.currency)}/t`} ·{' '}
        {vintages === null ? 'any vintage' : `vintages ${vintages}`} · delivery by {plain(rfq.fulfilmentDueDate)}
      </p>
      <p class="muted small">
        {channel}, {timeZone}
        {rfq.reference !== null && ` · ${plain(rfq.reference)}`} ·{' '}
        {rfq.unreadOffers > 0
          ? unreadText(rfq.unreadOffers)
          : `${formatCount(summary.offers, 'offer')}${summary.missing > 0 ? `, ${summary.missing} no longer visible` : ''}`}
        {currency.comparison !== null && `, compared in ${plain(currency.comparison)}`}
        <Ages of={describeReads(view, new Date(asOf))} />
        {rates.length > 0 && ` · ${plain(`Exchange rates: ${rates.join(' ')}`)}`}
      </p>
    </div>
  )
}

/** What to ask, as a letter to each developer: to copy, and to open in the mail program. */
function Questions({ view: { decision } }: { view: RfqView }) {
  if (decision.questions.length === 0) return null
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Questions to developers</h2>
      {decision.questions.map(({ developer, offers, text, mailto }, at) => (
        <details class="panel" open={at === 0}>
          <summary>
            {`${plain(developer)}: ${formatCount(offers.flatMap(({ questions }) => questions).length, 'question')}`}
          </summary>
          <pre class="copy">{cleanText(text)}</pre>{' '}
          <a class="button noprint" href={mailto}>
            Write e-mail
          </a>
        </details>
      ))}
    </section>
  )
}

/** What the buyer wrote, in full. */
function Documents({ view: { rfq } }: { view: RfqView }) {
  const texts = [
    ['Additional requirements', rfq.additionalRequirements],
    ['Reason for purchase', rfq.reasonForPurchase],
    ['Buyer', rfq.buyerDescription],
    ['Contract types', rfq.contractTypes.join(', ') || null],
  ] as const
  return (
    <section aria-labelledby="requirements-heading">
      <h2 id="requirements-heading">Requirements and notes of the buyer</h2>
      <dl class="texts">
        {texts.map(
          ([title, text]) =>
            text !== null && (
              <div key={title}>
                <dt>{title}</dt>
                <dd>
                  <p class="prose">{cleanText(text)}</p>
                </dd>
              </div>
            ),
        )}
      </dl>
    </section>
  )
}
