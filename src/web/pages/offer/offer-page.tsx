import { describePricesRead, formatAge } from '../../../core/sources/source-text.js'
import { cleanText } from '../../../core/text/clean-text.js'
import type { OfferDetail, OfferVersion } from '../../../views/offer/offer.js'
import { rfqPath } from '../../../views/page-paths.js'
import { momentColumn, numberColumn } from '../../components/columns.js'
import { Ages, amount, Badge, Moment, Prose, percent, plain, price, total } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import type { Column, Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { addressOf, type PageContent, type PageRequest, readPast, requireFound, withAsOf } from '../page.js'
import { metricsTable, scoresTable } from './offer-figures.js'

type Line = OfferDetail['lines'][number]

/** `/rfqs/…/offers/ID`: one offer, with everything behind its figures. */
export async function offerPage(page: PageRequest): Promise<PageContent> {
  const { path, query, queries, now, link } = page
  const address = addressOf(path)
  const past = await readPast(page, { channel: address.channel, kind: 'rfqs' })
  const moment = { now, ...(past && { asOf: past.asOf }) }
  const offerId = path.offer ?? ''
  const found = requireFound(await queries.offer({ ...address, ...moment, offerId, documents: 'newest' }))
  const { name, offer } = found
  if (offer === null)
    throw new HttpError(404, `RFQ ${name} of ${address.channel} has no offer ${offerId} at this moment`)
  const lines = linesTable(offer)
  const metrics = metricsTable(offer)
  const scores = scoresTable(offer)
  const versions = versionsTable(offer)
  const rfqHref = withAsOf(rfqPath(address.channel, name), query.as_of)
  return {
    title: `Offer ${offer.number} for RFQ ${name}`,
    current: '/rfqs',
    live: 'notice',
    past,
    tables: [lines, metrics, scores, versions].map((table) => downloadOf(table as Table<unknown>)),
    body: (
      <>
        <p class="small">
          <a href={rfqHref}>{`RFQ ${name}${offer.rfqTitle ? `: ${plain(offer.rfqTitle)}` : ''}`}</a>
        </p>
        <h1>{`Offer ${offer.number}: ${plain([offer.developer, offer.project].filter(Boolean).join(' · ') || offer.label)}`}</h1>
        <OfferFacts offer={offer} />
        <Standing offer={offer} />
        {offer.flags.length > 0 && (
          <section aria-labelledby="flags">
            <h2 id="flags">Flags</h2>
            <ul class="flags">
              {offer.flags.map(({ severity, message }) => (
                <li>
                  <Badge tone={severity === 'high' ? 'bad' : severity === 'medium' ? 'warn' : 'neutral'}>
                    {severity}
                  </Badge>{' '}
                  {plain(message)}
                </li>
              ))}
            </ul>
          </section>
        )}
        <h2>Deliveries</h2>
        <TableView table={lines} link={link} />
        {offer.prepayments.length > 0 && (
          <>
            <h3>Pre-payments</h3>
            <ul>
              {offer.prepayments.map(({ number, amount: paid, dueDate }) => (
                <li key={number}>{`${amount(paid)} ${plain(offer.own.currency)}, due ${plain(dueDate)}`}</li>
              ))}
            </ul>
          </>
        )}
        <h2>Figures and how they are computed</h2>
        <TableView table={metrics} link={link} />
        {offer.scores !== null && (
          <>
            <h2>Score</h2>
            <TableView table={scores} link={link} />
          </>
        )}
        <Questions offer={offer} />
        <h2>Notes and review</h2>
        <Prose text={offer.notes} />
        {offer.review !== null && <p>{`Review: ${plain(offer.review.status)}. ${plain(offer.review.comment)}`}</p>}
        <h2>Versions</h2>
        <TableView table={versions} link={link} />
        <Document offer={offer} />
      </>
    ),
  }
}

/** Whether it competes, or why not; what else it does not meet; and its part in the award. */
function Standing({ offer }: { offer: OfferDetail }) {
  const { standing, why, notMet, awardedTonnes, breakEven } = offer
  const tone = standing === 'ranked' || standing === 'accepted' ? 'good' : 'warn'
  const more = notMet.filter(({ kind, message: said }) => kind === 'advisory' || !(why ?? '').includes(said))
  const sentences = [
    why ?? 'It meets every hard requirement.',
    ...more.map((each) => each.message),
    awardedTonnes > 0 ? `The award has ${amount(awardedTonnes)} t of it.` : '',
    breakEven ?? '',
  ]
  return <p class={`notice ${tone}`}>{plain(sentences.filter((each) => each !== '').join(' '))}</p>
}

function OfferFacts({ offer }: { offer: OfferDetail }) {
  const { own, compared, rateMessage, readAt, asOf } = offer
  const prices = describePricesRead(offer.pricesRead, new Date(asOf))
  return (
    <div class="facts">
      <p>
        <Badge tone={offer.status === 'accepted' ? 'good' : offer.status === 'rejected' ? 'bad' : 'neutral'}>
          {plain(offer.status)}
        </Badge>{' '}
        {offer.rank === null ? 'not ranked' : `rank ${offer.rank}`} · submitted <Moment at={offer.submittedAt} />
        {offer.late ? ' (late)' : ''} · expires {plain(offer.expiryDate)} · {plain(offer.contractType)}
        {offer.missingSince !== null && (
          <>
            {' · withdrawn, missing since '}
            <Moment at={offer.missingSince} />
          </>
        )}
      </p>
      <p>
        {`${amount(offer.tonnes)} t at ${price(own.pricePerTonne)} ${plain(own.currency)}/t, ${total(own.total)} ${plain(own.currency)} in total`}
        {rateMessage !== null &&
          ` · compared: ${price(compared.pricePerTonne)} ${plain(compared.currency)}/t · ${plain(rateMessage)}`}
        {` · covers ${percent(offer.coverage)}`}
        <Ages of={[prices, readAt && `terms read ${formatAge(readAt, new Date(asOf))} ago`]} />
      </p>
    </div>
  )
}

const linesTable = (offer: OfferDetail): Table<Line> => ({
  name: 'deliveries',
  caption: 'Deliveries and their vintages',
  columns: [
    {
      key: 'delivery',
      title: 'No.',
      align: 'right',
      value: ({ delivery, vintage }) => `${delivery}.${vintage}`,
    },
    { key: 'dueDate', title: 'Due', width: 'line', value: ({ dueDate }) => dueDate },
    {
      key: 'name',
      title: 'Vintage',
      value: ({ name }) => name,
      cell: ({ name, vintageYear }) => plain(name ?? (vintageYear === null ? null : String(vintageYear))),
    },
    {
      key: 'period',
      title: 'Reporting period',
      value: ({ periodStart, periodEnd }) => `${periodStart ?? ''}/${periodEnd ?? ''}`,
      cell: ({ periodStart, periodEnd }) => `${plain(periodStart)} to ${plain(periodEnd)}`,
    },
    {
      key: 'mitigation',
      title: 'Mitigation',
      value: ({ mitigationTypes }) => mitigationTypes.join(', '),
    },
    numberColumn('volume', 'Tonnes', ({ volume }) => volume, amount),
    numberColumn('unitPrice', 'Price per t', ({ unitPrice }) => unitPrice, price),
    numberColumn('total', 'Total', (line) => line.total, total),
  ],
  rows: offer.lines,
  empty: <>The offer has no delivery lines{offer.summaryOnly ? ': only its summary is known' : ''}.</>,
})

const versionsTable = ({ versions }: OfferDetail): Table<OfferVersion> => ({
  name: 'versions',
  caption: 'Every version of the offer, newest first',
  columns: VERSION_COLUMNS,
  rows: versions,
  empty: <>No versions.</>,
})

const VERSION_COLUMNS: readonly Column<OfferVersion>[] = [
  { key: 'version', title: 'Version', align: 'right', value: ({ version }) => version },
  {
    key: 'observedAt',
    title: 'Seen (UTC)',
    width: 'line',
    value: ({ observedAt }) => observedAt,
    cell: ({ observedAt }) => (
      <a href={`?as_of=${observedAt}`}>
        <Moment at={observedAt} />
      </a>
    ),
  },
  momentColumn('notBefore', 'Not before (UTC)', ({ notBefore }) => notBefore),
  {
    key: 'changes',
    title: 'Differences to the version before',
    width: 'wide',
    value: ({ changes }) => changes.join(' '),
    cell: ({ changes, version, valid, summaryOnly }) => (
      <>
        {changes.length === 0 ? (
          <span class="muted">{version === 1 ? 'first version' : 'only fields that are not compared'}</span>
        ) : (
          <ul class="plain">
            {changes.map((message) => (
              <li>
                <mark>{plain(message)}</mark>
              </li>
            ))}
          </ul>
        )}
        {!valid && <Badge tone="warn">not valid</Badge>}
        {summaryOnly && <Badge tone="neutral">summary only</Badge>}
      </>
    ),
  },
]

/** What to ask the developer. */
function Questions({ offer: { questions } }: { offer: OfferDetail }) {
  if (questions.length === 0) return null
  return (
    <section aria-labelledby="questions">
      <h2 id="questions">Questions to the developer</h2>
      <ul>
        {questions.map((message) => (
          <li>{plain(message)}</li>
        ))}
      </ul>
    </section>
  )
}

/** Characters of the document that are shown. */
const MAX_DOCUMENT = 200_000

/** The newest document itself. */
function Document({ offer: { body, bodyText, versions } }: { offer: OfferDetail }) {
  const [newest] = versions
  const text = bodyText ?? JSON.stringify(body, null, 2)
  const omitted = Math.max(0, text.length - MAX_DOCUMENT)
  return (
    <details class="card">
      <summary>{`The document, version ${newest?.version}`}</summary>
      <p class="small muted">
        {`Hash ${newest?.contentHash}. ${newest?.bodyAsReceived ? 'The database has the text as received' : 'Serialized again by an earlier version'}; line breaks were added for reading.`}
      </p>
      <pre>{cleanText(text.slice(0, MAX_DOCUMENT))}</pre>
      {omitted > 0 && <p class="notice">{`${amount(omitted)} more characters are not shown.`}</p>}
    </details>
  )
}
