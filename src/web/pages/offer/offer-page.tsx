import { cleanText } from '../../../core/text/clean-text.js'
import { describePricesRead, formatAge } from '../../../core/time/read-times.js'
import type { OfferDetail, OfferVersion } from '../../../tables/offer/offer.js'
import { rfqPath } from '../../../tables/page-paths.js'
import { numberColumn } from '../../components/columns.js'
import {
  Ages,
  amount,
  Badge,
  exactPrice,
  Moment,
  percent,
  plain,
  type Tone,
  total,
  UNKNOWN,
} from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import type { Column, Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { addressOf, type PageContent, type PageRequest, readPast, requireFound, withAsOf } from '../page.js'
import { metricsTable } from './offer-figures.js'

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
  const versions = versionsTable(offer)
  const rfqHref = withAsOf(rfqPath(address.channel, name), query.as_of)
  return {
    title: `${plain(offer.label)} for RFQ ${name}`,
    current: '/rfqs',
    live: 'notice',
    past,
    tables: [lines, metrics, versions].map((table) => downloadOf(table as Table<unknown>)),
    body: (
      <>
        <p class="small">
          <a href={rfqHref}>{`RFQ ${name}${offer.rfqTitle ? `: ${plain(offer.rfqTitle)}` : ''}`}</a>
        </p>
        <h1>{plain([offer.developer, offer.project].filter(Boolean).join(' · ') || offer.label)}</h1>
        <OfferState offer={offer} />
        <Cost offer={offer} />
        <Standing offer={offer} />
        <NotMet offer={offer} />
        <Notes offer={offer} />
        <section aria-labelledby="deliveries-title">
          <h2 id="deliveries-title">Deliveries</h2>
          <TableView table={lines} link={link} />
          <Prepayments offer={offer} />
        </section>
        <section aria-labelledby="versions-title">
          <h2 id="versions-title">What changed</h2>
          {offer.versions.length > 1 ? (
            <TableView table={versions} link={link} />
          ) : (
            <p>
              Nothing since it was first seen, <Moment at={offer.observedAt} />.
            </p>
          )}
        </section>
        <details class="group">
          <summary>
            <h2>Figures and how they are computed</h2>
          </summary>
          <TableView table={metrics} link={link} />
        </details>
        <Document offer={offer} />
      </>
    ),
  }
}

/** What it is and how it stands, in a line each. */
function OfferState({ offer }: { offer: OfferDetail }) {
  const { readAt, asOf, missingSince } = offer
  const prices = describePricesRead(offer.pricesRead, new Date(asOf))
  return (
    <div class="facts">
      <p>
        <Badge tone={offer.status === 'accepted' ? 'good' : offer.status === 'rejected' ? 'bad' : 'neutral'}>
          {plain(offer.status)}
        </Badge>{' '}
        {missingSince !== null && (
          <>
            <Badge tone="bad">withdrawn</Badge> missing since <Moment at={missingSince} /> ·{' '}
          </>
        )}
        {`${plain(offer.contractType)} · expires ${plain(offer.expiryDate)}`}
        {offer.review !== null && ` · review ${plain(offer.review.status)}`}
      </p>
      <p class="muted small">
        {`Offer no. ${offer.number} · submitted `}
        <Moment at={offer.submittedAt} />
        {offer.late ? ', late' : ''}
        {offer.mitigationActivity !== null && ` · ${plain(offer.mitigationActivity)}`}
        <Ages of={[prices, readAt && `terms read ${formatAge(readAt, new Date(asOf))} ago`]} />
      </p>
    </div>
  )
}

/** What it costs: as offered, then in the currency of the comparison, if that is another. */
function Cost({ offer: { tonnes, coverage, own, compared, rateMessage } }: { offer: OfferDetail }) {
  const isConverted = own.currency !== compared.currency && compared.pricePerTonne !== null
  const [offered, converted] = [plain(own.currency), plain(compared.currency)]
  return (
    <>
      <dl class="stats">
        <Stat
          name="Tonnes"
          value={amount(tonnes)}
          unit="t"
          more={coverage === null ? '' : `covers ${percent(coverage)}`}
        />
        <Stat name="Price per tonne" value={exactPrice(own.pricePerTonne)} unit={`${offered}/t`} />
        <Stat name="Total" value={total(own.total)} unit={offered} />
        {isConverted && (
          <Stat name="Price compared" value={exactPrice(compared.pricePerTonne)} unit={`${converted}/t`} />
        )}
        {isConverted && <Stat name="Total compared" value={total(compared.total)} unit={converted} />}
      </dl>
      {rateMessage !== null && <p class="muted small">{plain(rateMessage)}</p>}
    </>
  )
}

const Stat = ({ name, value, unit, more = '' }: { name: string; value: string; unit: string; more?: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value}
      {value !== UNKNOWN && <small>{` ${unit}${more === '' ? '' : ` · ${more}`}`}</small>}
    </dd>
  </div>
)

/** Its rank, or why it has none, and its part in the award. */
function Standing({ offer }: { offer: OfferDetail }) {
  const { standing, rank, why, awardedTonnes, breakEven } = offer
  const competes = standing === 'ranked' || standing === 'accepted'
  const sentences = [
    why ?? (rank === null ? '' : `Rank ${rank}.`),
    awardedTonnes > 0 ? `The award has ${amount(awardedTonnes)} t of it.` : '',
    breakEven ?? '',
  ]
  const text = plain(sentences.filter((each) => each !== '').join(' '))
  return competes ? <p>{text}</p> : <p class="notice warn">{text}</p>
}

const KINDS: Record<NotMetKind, { title: string; tone: Tone }> = {
  excluded: { title: 'not awardable', tone: 'bad' },
  hard: { title: 'not met', tone: 'bad' },
  advisory: { title: 'advisory', tone: 'warn' },
}
type NotMetKind = OfferDetail['notMet'][number]['kind']

/** What it does not meet, most severe first, then what else to know; nothing that the page has said. */
function NotMet({ offer: { notMet, flags, why } }: { offer: OfferDetail }) {
  const unmet = notMet.filter(({ message }) => !(why ?? '').includes(message))
  const said = [why ?? '', ...notMet.map(({ message }) => message.replace(/ \(advisory\)\.$/, '.'))].join(' ')
  const others = flags.filter(({ message }) => !said.includes(message.replace(/\.$/, '')))
  if (unmet.length + others.length === 0) return null
  return (
    <section aria-labelledby="not-met">
      <h2 id="not-met">To check</h2>
      <ul class="flags">
        {unmet.map(({ kind, message }) => (
          <li>
            <Badge tone={KINDS[kind].tone}>{KINDS[kind].title}</Badge> {plain(message.replace(/ \(advisory\)\.$/, '.'))}
          </li>
        ))}
        {others.map(({ loud, message }) => (
          <li>
            <Badge tone={loud ? 'bad' : 'neutral'}>{loud ? 'loud' : 'quiet'}</Badge> {plain(message)}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What the seller wrote, and what a reviewer said. */
function Notes({ offer: { notes, review } }: { offer: OfferDetail }) {
  const comment = review?.comment ?? null
  if (notes === null && comment === null) return null
  return (
    <section aria-labelledby="notes">
      <h2 id="notes">{notes === null ? 'Review' : 'Notes of the seller'}</h2>
      {notes !== null && <blockquote class="prose">{`“${cleanText(notes)}”`}</blockquote>}
      {comment !== null && <p>{`Comment of the review: “${plain(comment)}”`}</p>}
    </section>
  )
}

function Prepayments({ offer: { prepayments, own } }: { offer: OfferDetail }) {
  if (prepayments.length === 0) return null
  return (
    <>
      <h3>Pre-payments</h3>
      <ul class="plain">
        {prepayments.map(({ number, amount: paid, dueDate }) => (
          <li key={number}>{`${amount(paid)} ${plain(own.currency)}, due ${plain(dueDate)}`}</li>
        ))}
      </ul>
    </>
  )
}

const DAY = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

const periodOf = ({ periodStart, periodEnd }: Line) =>
  periodStart === null && periodEnd === null ? null : `${plain(periodStart)} to ${plain(periodEnd)}`

function linesTable(offer: OfferDetail): Table<Line> {
  const currency = offer.own.currency === null ? '' : ` ${plain(offer.own.currency)}`
  return {
    name: 'deliveries',
    caption: 'Deliveries and their vintages',
    columns: [
      { key: 'delivery', title: 'No.', fileOnly: true, value: ({ delivery, vintage }) => `${delivery}.${vintage}` },
      {
        key: 'dueDate',
        title: 'Due',
        width: 'line',
        value: ({ dueDate }) => dueDate,
        cell: ({ dueDate }) => (dueDate === null ? UNKNOWN : DAY.format(new Date(`${dueDate}T00:00:00Z`))),
      },
      {
        key: 'name',
        title: 'Vintage',
        value: ({ name, vintageYear }) => name ?? (vintageYear === null ? null : String(vintageYear)),
      },
      {
        key: 'period',
        title: 'Reporting period',
        width: 'line',
        isSecondary: true,
        value: periodOf,
        shared: (line) => `the reporting period is ${periodOf(line) ?? 'not stated'} in all lines`,
      },
      {
        key: 'mitigation',
        title: 'Mitigation',
        value: ({ mitigationTypes }) => mitigationTypes.join(', ') || null,
        shared: ({ mitigationTypes }) => (mitigationTypes.length === 0 ? '' : `all are ${mitigationTypes.join(', ')}`),
      },
      numberColumn('volume', 'Tonnes', ({ volume }) => volume, amount),
      numberColumn('unitPrice', `Price,${currency}/t`, ({ unitPrice }) => unitPrice, exactPrice),
      numberColumn('total', `Total,${currency}`.replace(/,$/, ''), (line) => line.total, total),
    ],
    rows: offer.lines,
    empty: <>The offer has no delivery lines{offer.summaryOnly ? ': only its summary is known' : ''}.</>,
  }
}

const versionsTable = ({ versions }: OfferDetail): Table<OfferVersion> => ({
  name: 'versions',
  caption: 'Every version of the offer, newest first',
  columns: VERSION_COLUMNS,
  rows: versions,
  empty: <>No versions.</>,
})

const VERSION_COLUMNS: readonly Column<OfferVersion>[] = [
  { key: 'version', title: 'Version', fileOnly: true, value: ({ version }) => version },
  {
    key: 'observedAt',
    title: 'Seen',
    width: 'line',
    value: ({ observedAt }) => observedAt,
    cell: ({ observedAt, notBefore }) => (
      <a href={`?as_of=${observedAt}`} title={notBefore === null ? undefined : `not before ${notBefore}`}>
        <Moment at={observedAt} />
      </a>
    ),
  },
  { key: 'notBefore', title: 'Not before', fileOnly: true, value: ({ notBefore }) => notBefore },
  {
    key: 'changes',
    title: 'Change',
    width: 'wide',
    value: ({ changes }) => changes.join(' '),
    cell: ({ changes, version, valid, summaryOnly }) => (
      <>
        {changes.length === 0 && (
          <span class="muted">{version === 1 ? 'First version.' : 'Only fields that are not compared.'}</span>
        )}
        <ul class="plain">
          {changes.map((message) => (
            <li>{plain(message)}</li>
          ))}
        </ul>
        {!valid && <Badge tone="warn">does not match the schema</Badge>}
        {summaryOnly && <Badge tone="neutral">summary only</Badge>}
      </>
    ),
  },
]

/** Characters of the document that are shown. */
const MAX_DOCUMENT = 200_000

/** The newest document itself. */
function Document({ offer: { body, bodyText, versions } }: { offer: OfferDetail }) {
  const [newest] = versions
  const text = bodyText ?? JSON.stringify(body, null, 2)
  const omitted = Math.max(0, text.length - MAX_DOCUMENT)
  return (
    <details class="group">
      <summary>
        <h2>{`The document, version ${newest?.version}`}</h2>
      </summary>
      <p class="small muted">
        {`Hash ${newest?.contentHash}. ${newest?.bodyAsReceived ? 'The database has the text as received' : 'Serialized again by an earlier version'}; line breaks were added for reading.`}
      </p>
      <pre>{cleanText(text.slice(0, MAX_DOCUMENT))}</pre>
      {omitted > 0 && <p class="notice">{`${amount(omitted)} more characters are not shown.`}</p>}
    </details>
  )
}
