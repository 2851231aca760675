import { unreadText } from '../../compare/rfq/rfq-flags.js'
import { formatCount, formatDaysFromToday, formatRange, formatTotal } from '../../core/number-format.js'
import { nameById } from '../../core/rfq-name.js'
import { describePricesRead, describeTermsRead } from '../../core/source-words.js'
import { quoteForShell } from '../../quote-for-shell.js'
import { closingPath, rfqPath } from '../../read-models/page-paths.js'
import type { RfqPageModel } from '../../read-models/rfq-page-model.js'
import type { RfqPage } from '../page-queries.js'
import { downloadOf } from '../tables/table-file.js'
import { Ages, amount, Badge, decimal, Moment, Prose, percent, plain, price, total } from '../views/format.js'
import { TableView } from '../views/table-view.js'
import { parseWhatIf } from '../what-if.js'
import { type PageContent, type PageRequest, pageOf, type Redirect, readPast, requireFound } from './page.js'
import { addressOf } from './rfq-address.js'
import { RfqCharts } from './rfq-charts.js'
import { offersTable, scenariosTable } from './rfq-tables.js'
import { TimeMachine } from './time-machine.js'
import { WhatIfPanel } from './what-if-panel.js'

/** `/rfqs/ORG/SLUG/NUMBER`: the comparison of the offers for an RFQ, to play with. */
export async function rfqPage(page: PageRequest): Promise<PageContent | Redirect> {
  const { path, query, queries, now, link, settings } = page
  const named = addressOf(path)
  const past = await readPast(page, { channel: named.channel, kind: 'rfqs' })
  const address = { ...named, now, ...(past && { asOf: past.asOf }) }
  const whatIf = parseWhatIf(query, settings)
  // The form sends every setting; the address keeps those that differ.
  if (whatIf.unchanged.length > 0) return { redirect: link(withoutAll(whatIf.unchanged)) }
  const found = requireFound(await queries.rfq({ ...address, settings: whatIf.settings }))
  const { model, name, prices, outlook, moments } = found
  const { rfq, summary } = model
  // Not by its name at a past moment, which another RFQ may have now.
  const unique = nameById(found.id)
  const closing = closingPath(model.channel, unique)
  const offers = pageOf(page, offersTable(model, rfqPath(model.channel, name), query.as_of))
  const scenarios = scenariosTable(model)
  return {
    title: `RFQ ${name}${rfq.title ? ` ${plain(rfq.title)}` : ''}`,
    current: '/rfqs',
    live: 'notice',
    past,
    tables: [downloadOf(offers.table), downloadOf(scenarios)],
    body: (
      <>
        <h1>{`RFQ ${name}: ${plain(rfq.title ?? rfq.reference)}`}</h1>
        <Facts model={model} />
        <Notices model={model} outlook={outlook} closing={closing} />
        <TimeMachine moments={moments} asOf={past?.asOf} link={link} query={query} />
        <RecommendationCard model={model} changed={Object.keys(whatIf.changes).length > 0} />
        <WhatIfPanel
          model={model}
          whatIf={whatIf}
          query={query}
          reset={link(withoutAll(Object.keys(whatIf.changes)))}
        />
        <MakeReport page={page} model={model} name={name} changes={whatIf.changes} />
        <div>
          <h2>{`Offers (${summary.offers})`}</h2>
          <TableView {...offers} link={link} />
        </div>
        {model.scenarios.length > 0 && (
          <div>
            <h2>Other ways to award</h2>
            <TableView table={scenarios} link={link} />
          </div>
        )}
        <RfqCharts model={model} prices={prices} />
        <Documents model={model} />
        <nav class="more noprint" aria-label="More about this RFQ">
          <a href={`/changes?channel=${encodeURIComponent(model.channel)}&rfq=${encodeURIComponent(unique)}`}>
            Everything that changed
          </a>
          <a href={closing}>{`Closing decisions (${model.decisions})`}</a>
        </nav>
      </>
    ),
  }
}

const withoutAll = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, null]))

/** Flags that a banner says: about offers it names them as the page does, and about a due date what becomes of the RFQ. */
const SAID_BY_BANNERS: readonly string[] = ['rfq-list-differs', 'rfq-overdue']

/** What to know before anything else, each fact once. */
function Notices({ model, outlook, closing }: { model: RfqPageModel; closing: string } & Pick<RfqPage, 'outlook'>) {
  const { banners, rfq } = model
  return (
    <>
      {banners.map(({ code, words }) => {
        // The award says so itself.
        if (code === 'offer-accepted') return null
        if (code !== 'rfq-overdue') return <p class="notice warn">{plain(words)}</p>
        return (
          <p class={`notice ${outlook?.isClosable ? 'warn' : 'bad'}`}>
            {plain(outlook === null ? words : `${words} ${outlook.words}`)} <a href={closing}>Closing decisions</a>
          </p>
        )
      })}
      {rfq.flags.map(
        ({ code, words, severity }) =>
          !SAID_BY_BANNERS.includes(code) && <p class={`notice ${severity === 'high' ? 'bad' : ''}`}>{plain(words)}</p>,
      )}
    </>
  )
}

/** The facts that one needs first, in two lines. */
export function Facts({ model }: { model: RfqPageModel }) {
  const { rfq, channel, currency, summary, timeZone, termsRead, asOf } = model
  const prices = describePricesRead(model.pricesRead, new Date(asOf))
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
          : `${formatCount(summary.offers, 'offer')}, ${summary.ranked} ranked, coverage ${percent(summary.coverage)}`}
        {currency !== null && `, compared in ${plain(currency)}`}
        <Ages of={[prices, termsRead && describeTermsRead(termsRead, new Date(asOf))]} />
      </p>
    </div>
  )
}

const TONES = { award: 'good', partial: 'warn', none: 'bad', 'no-target': '', 'no-offers': '' } as const

/** The recommendation, as on the workbook's Summary; once an offer is accepted, that award. */
export function RecommendationCard({ model, changed }: { model: RfqPageModel; changed: boolean }) {
  const { recommendation, currency, isAccepted } = model
  const { status, headline, awards, reasons, conditions, changes, questions, award, closest, flags } = recommendation
  const lists = [
    [isAccepted ? 'Compared with the award rule' : 'Why', reasons],
    [isAccepted ? 'Requirements not met' : 'Conditions', conditions],
    ['What would change it', changes],
    ['Check', flags],
  ] as const
  return (
    <section
      class={`card recommendation ${isAccepted ? 'good' : TONES[status]}`}
      id="recommendation"
      aria-labelledby="recommendation-title"
    >
      <h2 id="recommendation-title">
        {isAccepted ? 'Accepted award' : 'Recommendation'}
        {changed && (isAccepted ? ', compared by your changes' : ' with your changes')}
      </h2>
      <p class="headline">{plain(headline)}</p>
      {awards.length > 1 && <Sentences of={awards} />}
      {award !== null && (
        <dl class="figures">
          <Figure name="Tonnes" value={amount(award.tonnes)} />
          <Figure name="Total" value={`${total(award.total)} ${plain(currency)}`} />
          <Figure name="Price per t" value={price(award.pricePerTonne)} />
          <Figure name="Coverage" value={percent(award.coverage)} />
          <Figure name="Score" value={decimal(award.score)} />
        </dl>
      )}
      {award === null && closest !== null && <p>{plain(closest)}</p>}
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
      {questions.length > 0 && (
        <details>
          <summary>{`Ask the developer (${formatCount(questions.length, 'question')})`}</summary>
          <Sentences of={questions.map(({ words }) => words)} />
        </details>
      )}
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
    {of.map((words) => (
      <li>{plain(words)}</li>
    ))}
  </ul>
)

/** What the award saves against a baseline, or why there is no such baseline. */
export function savingText({ saving, words }: RfqPageModel['savings'][number], currency: string | null): string {
  if (saving === null) return words
  const difference = formatTotal(Math.abs(saving), currency)
  const costs = difference === formatTotal(0, currency) ? 'as much' : `${difference} ${saving < 0 ? 'more' : 'less'}`
  return `${words} On the wanted tonnes, the award costs ${costs}.`
}

/** What the buyer wrote, in full. */
function Documents({ model: { rfq, requirementCosts, savings, currency, isAccepted } }: { model: RfqPageModel }) {
  return (
    <section aria-labelledby="requirements-heading">
      <h2 id="requirements-heading">Requirements and notes</h2>
      {requirementCosts.length > 0 && (
        <>
          <h3>What each hard requirement costs</h3>
          <Sentences of={requirementCosts.map(({ words }) => words)} />
        </>
      )}
      {savings.length > 0 && (
        <>
          <h3>{isAccepted ? 'Savings of the award that the rule chooses' : 'Savings'}</h3>
          <Sentences of={savings.map((saving) => savingText(saving, currency))} />
        </>
      )}
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
  model: RfqPageModel
  name: string
  changes: Readonly<Record<string, string>>
}

/** Makes a workbook or an HTML report of exactly what the page shows; viewers get the command. */
function MakeReport({ page: { request, query }, model: { channel, asOf }, name, changes }: MakeReportProps) {
  const settings = Object.entries(changes)
  const command = [
    ...['quotekeeper', 'report', name, '--channel', channel, '--as-of', asOf],
    ...settings.flatMap(([key, value]) => ['--set', `${key}=${value}`]),
  ]
    .map(quoteForShell)
    .join(' ')
  const fields = [
    ...[
      ['channel', channel],
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
        {plain(command)}
      </code>
    </div>
  )
}
