import type { Recommendation } from '../../../compare/decision/decision-model.js'
import { reportCommand } from '../../../compare/decision/report-command.js'
import { unreadText } from '../../../compare/rfq/rfq-flags.js'
import type { PriceBasis } from '../../../core/decision/settings.js'
import { describePricesRead, describeTermsRead } from '../../../core/sources/source-text.js'
import { cleanText } from '../../../core/text/clean-text.js'
import { formatCount, formatDaysFromToday, formatRange } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import type { ClosingOutlook } from '../../../views/closings/closing-outlook.js'
import { awardPath, closingPath, rfqPath } from '../../../views/page-paths.js'
import { type RfqView, rateLines } from '../../../views/rfq/rfq-view.js'
import { Ages, amount, Badge, decimal, Moment, Prose, percent, plain, price, total } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { downloadOf } from '../../tables/table-file.js'
import { AwardCard, AwardForm } from '../award/award-form.js'
import {
  addressOf,
  type PageContent,
  type PageRequest,
  pageOf,
  type Redirect,
  readPast,
  readWhatIf,
  requireFound,
} from '../page.js'
import { ChoicesChart, RfqCharts } from './rfq-charts.js'
import { choicesTable, offersTable } from './rfq-tables.js'
import { TimeMachine } from './time-machine.js'
import { scenariosTable, WhatIfPanel } from './what-if-panel.js'

/** `/rfqs/ORG/SLUG/NUMBER`: the comparison of the offers for an RFQ, with what-if settings. */
export async function rfqPage(page: PageRequest): Promise<PageContent | Redirect> {
  const { path, query, queries, now, link, settings } = page
  const named = addressOf(path)
  const past = await readPast(page, { channel: named.channel, kind: 'rfqs' })
  const address = { ...named, now, ...(past && { asOf: past.asOf }) }
  const whatIf = readWhatIf(query, settings)
  // The form sends every setting; the address keeps those that differ.
  if (whatIf.unchanged.length > 0) return { redirect: link(withoutAll(whatIf.unchanged)) }
  const found = requireFound(
    await queries.comparison({
      ...address,
      ...(Object.keys(whatIf.changes).length > 0 && { settings: whatIf.settings }),
    }),
  )
  const { channel, id, view, name } = found
  const { rfq, decision } = view
  const offerIds = view.offers.slice(0, MAX_PRICE_LINES).map((offer) => offer.id)
  const [{ moments, prices }, outlook, compared] = await Promise.all([
    queries.timeline({ channel, id, offerIds, asOf: past?.asOf ?? now }),
    past === undefined ? queries.closingOutlook({ channel, id, now }) : null,
    queries.whatIf({ ...address, whatIf }).then(requireFound),
  ])
  // Not by its name at a past moment, which another RFQ may have now.
  const unique = nameById(id)
  const closing = closingPath(view.channel, unique)
  const offers = pageOf(page, offersTable(view, rfqPath(view.channel, name), query.as_of))
  const choices = choicesTable(view)
  return {
    title: `RFQ ${name}${rfq.title ? ` ${plain(rfq.title)}` : ''}`,
    current: '/rfqs',
    live: 'notice',
    past,
    tables: [downloadOf(offers.table), downloadOf(choices), downloadOf(scenariosTable(page, compared))],
    body: (
      <>
        <h1>{`RFQ ${name}: ${plain(rfq.title ?? rfq.reference)}`}</h1>
        <Facts view={view} />
        {view.award !== null && <AwardCard state={view.award} />}
        <Notices view={view} outlook={outlook} closing={closing} />
        <TimeMachine moments={moments} asOf={past?.asOf} link={link} query={query} />
        <RecommendationCard view={view} changed={Object.keys(whatIf.changes).length > 0} />
        {decision.choices.length > 0 && (
          <section aria-labelledby="choices">
            <h2 id="choices">Choices</h2>
            <div class="beside">
              <TableView table={choices} link={link} />
              <ChoicesChart view={view} />
            </div>
          </section>
        )}
        {past === undefined && Object.keys(whatIf.changes).length === 0 && (
          <AwardForm view={view} user={page.request.user} csrfToken={page.request.csrfToken} />
        )}
        <WhatIfPanel page={page} view={view} whatIf={whatIf} compared={compared} />
        <MakeReport page={page} view={view} name={name} changes={whatIf.changes} />
        <div>
          <h2>Offers</h2>
          <TableView {...offers} link={link} />
        </div>
        <Questions view={view} />
        <RfqCharts view={view} prices={prices} />
        <Documents view={view} />
        <nav class="more noprint" aria-label="More about this RFQ">
          <a href={`/changes?channel=${encodeURIComponent(view.channel)}&rfq=${encodeURIComponent(unique)}`}>
            Everything that changed
          </a>
          <a href={closing}>{`Closings (${view.closings})`}</a>
          <a href={awardPath(view.channel, unique)}>Awards</a>
        </nav>
      </>
    ),
  }
}

/** Offers whose prices over time are charted. */
const MAX_PRICE_LINES = 8

const withoutAll = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))

/** What to know before anything else, each fact once. */
function Notices({ view, outlook, closing }: { view: RfqView; closing: string; outlook: ClosingOutlook | null }) {
  const { decision, rfq } = view
  const said = new Set<string>(decision.banners.map(({ code }) => code))
  return (
    <>
      {decision.banners.map(({ code, message }) =>
        code === 'rfq-overdue' ? (
          <p class={`notice ${outlook?.isClosable ? 'warn' : 'bad'}`}>
            {plain(outlook === null ? message : `${message} ${outlook.message}`)} <a href={closing}>Closings</a>
          </p>
        ) : (
          <p class="notice warn">{plain(message)}</p>
        ),
      )}
      {rfq.flags.map(
        ({ code, message, severity }) =>
          !said.has(code) && <p class={`notice ${severity === 'high' ? 'bad' : ''}`}>{plain(message)}</p>,
      )}
    </>
  )
}

/** The facts that one needs first, in two lines. */
export function Facts({ view }: { view: RfqView }) {
  const { rfq, channel, currency, summary, timeZone, termsRead, asOf } = view
  const prices = describePricesRead(view.pricesRead, new Date(asOf))
  const rates = rateLines(view)
  const due = rfq.daysToDue === null || rfq.state !== 'open' ? '' : ` (${formatDaysFromToday(rfq.daysToDue)})`
  const volume = formatRange(rfq.minVolume, rfq.maxVolume)
  const limits = formatRange(rfq.minUnitPrice, rfq.maxUnitPrice, price)
  const vintages = formatRange(rfq.minVintageYear, rfq.maxVintageYear, String)
  return (
    <div class="facts">
      <p>
        <Badge tone={rfq.state === 'open' ? 'good' : 'neutral'}>{plain(rfq.state)}</Badge> {channel}
        {rfq.reference !== null && ` · ${plain(rfq.reference)}`} · due {plain(rfq.responseDueDate)}
        {due} in {timeZone} · delivery by {plain(rfq.fulfilmentDueDate)}
      </p>
      <p>
        {volume === null ? 'no volume stated' : `${volume} t wanted`} ·{' '}
        {limits === null ? 'no price limit' : `${limits} ${plain(rfq.currency)}/t`} · {`vintages ${vintages ?? 'any'}`}{' '}
        ·{' '}
        {rfq.unreadOffers > 0
          ? unreadText(rfq.unreadOffers)
          : `${formatCount(summary.offers, 'offer')}${summary.missing > 0 ? `, ${summary.missing} no longer visible` : ''}, ${summary.ranked} ranked, coverage ${percent(summary.coverage)}`}
        {currency.comparison !== null && `, compared in ${plain(currency.comparison)}`}
        <Ages of={[prices, termsRead && describeTermsRead(termsRead, new Date(asOf))]} />
      </p>
      {rates.length > 0 && <p class="muted small">{plain(`Exchange rates: ${rates.join(' ')}`)}</p>}
    </div>
  )
}

const TONES: Record<Recommendation['status'], string> = {
  award: 'good',
  partial: 'warn',
  accepted: 'good',
  none: 'bad',
  'no-volume': '',
  'no-offers': '',
}

/** What the cost per tonne is called if it is not the price. */
const COST_TITLES: Record<PriceBasis, string | null> = {
  quoted: null,
  'present-value': 'Present value per t',
  'risk-adjusted': 'Risk-adjusted price per t',
}

/** What to do, why, what to check, and what would change it. */
export function RecommendationCard({ view, changed }: { view: RfqView; changed: boolean }) {
  const { recommendation, savings, priceBasis } = view.decision
  const { status, headline, reasons, conditions, changes, accepted } = recommendation
  const award = recommendation.award ?? accepted?.award ?? null
  const cost = COST_TITLES[priceBasis]
  const lists = [
    ['Why', reasons],
    ['Check before signing', conditions],
    ['What would change it', changes],
  ] as const
  return (
    <section class={`card recommendation ${TONES[status]}`} id="recommendation" aria-labelledby="recommendation-title">
      <h2 id="recommendation-title">
        {status === 'accepted' ? 'Accepted award' : 'Recommendation'}
        {changed && ' with your changes'}
      </h2>
      <p class="headline">{plain(headline)}</p>
      {award !== null && (
        <dl class="figures">
          <Figure name="Tonnes" value={amount(award.tonnes)} />
          <Figure name="Total" value={`${total(award.total)} ${plain(award.currency)}`} />
          <Figure name="Price per t" value={price(award.pricePerTonne)} />
          {cost !== null && <Figure name={cost} value={price(award.costPerTonne)} />}
          <Figure name="Coverage" value={percent(award.coverage)} />
          <Figure name="Score" value={decimal(award.score)} />
        </dl>
      )}
      {savings !== null && <p>{plain(savings.message)}</p>}
      <div class="columns">
        {lists.map(
          ([title, sentences]) =>
            sentences.length > 0 && (
              <div key={title}>
                <h3>{title}</h3>
                <Sentences of={sentences} />
              </div>
            ),
        )}
      </div>
    </section>
  )
}

const Figure = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </div>
)

const Sentences = ({ of }: { of: readonly string[] }) => (
  <ul>
    {of.map((message) => (
      <li>{plain(message)}</li>
    ))}
  </ul>
)

/** What to ask, in one text per developer to copy. */
function Questions({ view: { decision } }: { view: RfqView }) {
  if (decision.questions.length === 0) return null
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Questions to developers</h2>
      {decision.questions.map(({ developer, offers, text }) => (
        <details class="card">
          <summary>{`${plain(developer)} (${formatCount(offers.flatMap(({ questions }) => questions).length, 'question')})`}</summary>
          <pre>{cleanText(text)}</pre>
        </details>
      ))}
    </section>
  )
}

/** What the buyer wrote, in full. */
function Documents({ view: { rfq } }: { view: RfqView }) {
  return (
    <section aria-labelledby="requirements-heading">
      <h2 id="requirements-heading">Requirements and notes</h2>
      <dl class="texts">
        <dt>Additional requirements</dt>
        <dd>
          <Prose text={rfq.additionalRequirements} />
        </dd>
        <dt>Reason for purchase</dt>
        <dd>
          <Prose text={rfq.reasonForPurchase} />
        </dd>
        <dt>Buyer</dt>
        <dd>
          <Prose text={rfq.buyerDescription} />
        </dd>
        <dt>Contract types</dt>
        <dd>{plain(rfq.contractTypes.join(', '))}</dd>
        <dt>First seen, last changed</dt>
        <dd>
          {`Version ${rfq.source.version}, seen `}
          <Moment at={rfq.source.observedAt} /> UTC
        </dd>
      </dl>
    </section>
  )
}

interface MakeReportProps {
  page: PageRequest
  view: RfqView
  name: string
  changes: Readonly<Record<string, string>>
}

/** Makes a workbook or an HTML report of exactly what the page shows; viewers get the command. */
function MakeReport({ page: { request, query }, view, name, changes }: MakeReportProps) {
  const settings = Object.entries(changes)
  const fields = [
    ...[
      ['channel', view.channel],
      ['rfq', name],
      ['_csrf', request.csrfToken],
    ],
    ...(query.as_of === undefined ? [] : [['as_of', query.as_of]]),
    ...settings,
  ] as const
  return (
    <div class="make noprint">
      {request.user?.role === 'operator' && (
        <form method="post" action="/reports">
          {fields.map(([key, value]) => (
            <input key={key} type="hidden" name={key} value={value} />
          ))}
          <button type="submit" name="format" value="xlsx">
            Make this workbook
          </button>{' '}
          <button type="submit" name="format" value="html">
            Make this HTML report
          </button>
        </form>
      )}
      <code class="small muted" data-volatile>
        {plain(reportCommand(view, name, view.settings))}
      </code>
    </div>
  )
}
