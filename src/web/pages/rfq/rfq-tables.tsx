import type { ComponentChildren } from 'preact'
import type { Choice } from '../../../compare/decision/decision-model.js'
import { unreadText } from '../../../compare/rfq/rfq-terms.js'
import { countByName } from '../../../core/numbers.js'
import { formatCount, truncate } from '../../../core/text/number-format.js'
import type { OfferDetail } from '../../../tables/offer/offer.js'
import { notMetText, type OfferView } from '../../../tables/offer/offer-view.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { numberColumn } from '../../components/columns.js'
import { amount, Badge, exactPrice, plain, price, range, total, UNKNOWN } from '../../components/format.js'
import type { Column, Table } from '../../tables/table.js'
import type { PageRequest } from '../page.js'

/** The offers by rank, with the requirements that they do not meet. */
export function offersTable(view: RfqView, link: PageRequest['link']): Table<OfferView> {
  const currency = view.currency.comparison
  const columns: readonly Column<OfferView>[] = [
    { key: 'rank', title: 'Rank', align: 'right', value: ({ rank }) => rank },
    { key: 'number', fileOnly: true, title: 'No.', value: ({ number }) => number },
    { key: 'id', fileOnly: true, title: 'Id', value: ({ id }) => id },
    { key: 'standing', fileOnly: true, title: 'Standing', value: ({ standing }) => standing },
    { key: 'why', fileOnly: true, title: 'Not ranked because', value: ({ why }) => why },
    {
      key: 'offer',
      width: 'wide',
      title: 'Offer',
      value: ({ developer, project, label }) => [developer, project].filter(Boolean).join(' · ') || label,
      cell: (offer) => <OfferCell offer={offer} link={link} />,
    },
    {
      key: 'activity',
      title: 'Activity',
      isSecondary: true,
      value: ({ mitigationActivity }) => mitigationActivity,
      fileOnly: view.offers.every(({ mitigationActivity }) => mitigationActivity === null),
      shared: ({ mitigationActivity }) => mitigationActivity && `all are ${plain(mitigationActivity).toLowerCase()}`,
    },
    { key: 'status', title: 'Status', value: ({ status }) => status, shared: statusText },
    {
      key: 'awardedTonnes',
      title: 'Award, t',
      fileOnly: true,
      value: ({ awardedTonnes }) => awardedTonnes,
    },
    {
      key: 'comparedPricePerTonne',
      title: `Price${currency === null ? '' : `, ${plain(currency)}/t`}`,
      align: 'right',
      hint: 'As offered below, if that is in another currency',
      value: ({ compared }) => compared.pricePerTonne,
      cell: (offer) => <PriceCell offer={offer} view={view} />,
    },
    {
      key: 'comparedTotal',
      title: `Total${currency === null ? '' : `, ${plain(currency)}`}`,
      align: 'right',
      isSecondary: true,
      value: ({ compared }) => compared.total,
      cell: ({ compared }) => total(compared.total),
    },
    {
      key: 'comparedCostPerTonne',
      fileOnly: true,
      title: 'Compared cost per t',
      value: ({ compared }) => compared.costPerTonne,
    },
    { key: 'comparedCurrency', fileOnly: true, title: 'Compared in', value: ({ compared }) => compared.currency },
    { key: 'ownPricePerTonne', fileOnly: true, title: 'Own price per t', value: ({ own }) => own.pricePerTonne },
    { key: 'ownTotal', fileOnly: true, title: 'Own total', value: ({ own }) => own.total },
    { key: 'ownCurrency', fileOnly: true, title: 'Own currency', value: ({ own }) => own.currency },
    numberColumn('tonnes', 'Tonnes', ({ tonnes }) => tonnes, amount),
    { key: 'coverage', fileOnly: true, title: 'Coverage', value: ({ coverage }) => coverage },
    { key: 'notes', title: 'Notes', fileOnly: true, value: ({ notes }) => notes },
    {
      key: 'delivery',
      width: 'line',
      title: 'Delivery',
      isSecondary: true,
      value: ({ firstDelivery, lastDelivery }) =>
        firstDelivery === lastDelivery ? firstDelivery : `${firstDelivery} to ${lastDelivery}`,
      cell: ({ firstDelivery, lastDelivery }) => (
        <>
          {plain(firstDelivery)}
          {firstDelivery !== lastDelivery && <div class="muted">{`to ${plain(lastDelivery)}`}</div>}
        </>
      ),
      shared: ({ firstDelivery, lastDelivery }) =>
        firstDelivery === null
          ? null
          : `all deliver ${firstDelivery === lastDelivery ? `on ${firstDelivery}` : `from ${firstDelivery} to ${lastDelivery}`}`,
    },
    {
      key: 'vintages',
      width: 'line',
      title: 'Vintages',
      isSecondary: true,
      value: (offer) => (offer.oldestVintage === null ? null : vintagesText(offer)),
      shared: (offer) => (offer.oldestVintage === null ? null : `all have vintages ${vintagesText(offer)}`),
    },
    {
      key: 'expiryDate',
      width: 'line',
      title: 'Expires',
      value: ({ expiryDate }) => expiryDate,
      shared: ({ expiryDate }) => (expiryDate === null ? null : `all expire on ${expiryDate}`),
    },
    {
      key: 'notMet',
      title: 'Not met, notes',
      hint: 'Why it is not ranked, then hard requirements, then those marked (advisory), which prevent no award',
      sortable: false,
      value: ({ notMet }) => notMetText(notMet),
      cell: (offer) => <Tags offer={offer} />,
    },
  ]
  return {
    name: 'offers',
    caption: `The ${formatCount(view.offers.length, 'offer')}, by rank`,
    columns,
    rows: view.offers,
    empty:
      view.rfq.unreadOffers === 0 ? (
        <>The RFQ has no offers yet. They appear here with the next poll after a developer submits one.</>
      ) : (
        <>
          The RFQ has {unreadText(view.rfq.unreadOffers)}. A later poll reads them, because the request budget was
          exceeded.
        </>
      ),
  }
}

const vintagesText = ({ oldestVintage, newestVintage }: OfferView): string =>
  range(oldestVintage, newestVintage, String)

const OfferCell = ({ offer, link }: { offer: OfferView; link: PageRequest['link'] }) => (
  <>
    <a href={`${link({ offer: String(offer.number) })}#offer`}>{plain(offer.developer ?? offer.label)}</a>{' '}
    {offer.awardedTonnes > 0 && <Badge tone="good">award</Badge>}
    <div class="muted small">{`no. ${offer.number}${offer.project === null ? '' : ` · ${plain(offer.project)}`}`}</div>
  </>
)

const statusText = ({ status }: OfferView) => `all are ${plain(status)}`

/** The price in the currency of the comparison; below it that of the offer, if it has another. */
function PriceCell({ offer: { compared, own }, view: { rfq } }: { offer: OfferView; view: RfqView }) {
  const isConverted = own.pricePerTonne !== null && own.currency !== compared.currency
  const above = rfq.comparedMaxUnitPrice !== null && (compared.pricePerTonne ?? 0) > rfq.comparedMaxUnitPrice
  return (
    <>
      {above ? (
        <span class="over" title="above the maximum of the RFQ">
          {price(compared.pricePerTonne)}
        </span>
      ) : (
        price(compared.pricePerTonne)
      )}
      {isConverted && <div class="muted small">{`${price(own.pricePerTonne)} ${plain(own.currency)}/t`}</div>}
    </>
  )
}

/** The page of the offer has all of them. */
const MAX_NOTES = 400

/** What is not met, flags and notes, each in two words that open. */
function Tags({ offer: { notMet, flags, notes } }: { offer: OfferView }) {
  return (
    <div class="tags">
      {notMet.map(({ kind, label, message }) => (
        <Tag label={label} tone={kind === 'advisory' ? '' : 'warn'}>
          {plain(message)}
        </Tag>
      ))}
      {flags.length > 0 && (
        <Tag label={formatCount(flags.length, 'flag')} tone={flags.some(({ loud }) => loud) ? 'bad' : ''}>
          {flags.map(({ message }) => (flags.length === 1 ? plain(message) : <div>{plain(message)}</div>))}
        </Tag>
      )}
      {notes !== null && <Tag label="notes">{`“${plain(truncate(notes, MAX_NOTES))}”`}</Tag>}
    </div>
  )
}

const Tag = ({ label, tone = '', children }: { label: string; tone?: string; children: ComponentChildren }) => (
  <details class={tone === '' ? 'tag' : `tag badge ${tone}`}>
    <summary>{plain(label)}</summary>
    {children}
  </details>
)

/** The awards to choose from. */
export function choicesTable({ decision, currency, offers }: RfqView): Table<Choice> {
  const developers = new Map(offers.map(({ id, developer, label }) => [id, developer ?? label]))
  const counts = new Map(countByName([...developers.values()]))
  /** By developer, and by project too where a developer has several offers. */
  const nameOf = ({ id, name }: Choice['award']['offers'][number]) => {
    const developer = developers.get(id)
    return plain(developer !== undefined && counts.get(developer) === 1 ? developer : name)
  }
  const shortName = ({ award }: Choice) => award.offers.map((offer) => `${offer.number} ${nameOf(offer)}`).join(' + ')
  return {
    name: 'choices',
    caption: 'Awards to choose from, by tonnes',
    columns: [
      {
        key: 'award',
        width: 'wide',
        title: 'Award',
        value: ({ title }) => title,
        cell: (choice) => (
          <>
            {choice.kind === 'efficient' || choice.kind === 'recommended' ? shortName(choice) : plain(choice.title)}{' '}
            {choice.isRecommended && <Badge tone="good">recommended</Badge>}
            {choice.notes.length > 0 && <div class="muted small">{plain(choice.notes.join('; '))}</div>}
          </>
        ),
      },
      numberColumn('tonnes', 'Tonnes', ({ award }) => award.tonnes, amount),
      {
        key: 'pricePerTonne',
        title: `Price${currency.comparison === null ? '' : `, ${plain(currency.comparison)}/t`}`,
        align: 'right',
        value: ({ award }) => award.pricePerTonne,
        cell: ({ award }) => price(award.pricePerTonne),
      },
      {
        key: 'total',
        title: `Total${currency.comparison === null ? '' : `, ${plain(currency.comparison)}`}`,
        align: 'right',
        isSecondary: true,
        value: ({ award }) => award.total,
        cell: ({ award }) => total(award.total),
      },
      { key: 'currency', fileOnly: true, title: 'Currency', value: ({ award }) => award.currency },
      numberColumn<Choice>('extraTonnes', 'More, t', ({ extra }) => extra?.tonnes ?? null, amount, {
        hint: 'What it has more than the award above',
        isSecondary: true,
      }),
      numberColumn<Choice>(
        'extraPricePerTonne',
        `at${currency.comparison === null ? '' : `, ${plain(currency.comparison)}/t`}`,
        ({ extra }) => extra?.pricePerTonne ?? null,
        (value) => (value === null ? UNKNOWN : price(value)),
        { hint: 'What each of the tonnes costs that it has more than the award above', isSecondary: true },
      ),
      {
        key: 'perTonneDifference',
        fileOnly: true,
        title: 'Difference per t to the recommended award',
        value: ({ perTonneDifference }) => perTonneDifference,
      },
      { key: 'isRecommended', fileOnly: true, title: 'Recommended', value: ({ isRecommended }) => isRecommended },
      { key: 'notes', fileOnly: true, title: 'Notes', value: ({ notes }) => notes.join('; ') },
    ],
    narrow: 'lines',
    rows: decision.choices,
    isEmphasized: ({ isRecommended }) => isRecommended,
    empty: <>No offers can be awarded.</>,
  }
}

type Line = OfferDetail['lines'][number]

/** The deliveries of an offer and their vintages, with all digits of its prices. */
export function deliveriesTable({ lines, own, summaryOnly }: OfferDetail): Table<Line> {
  const currency = plain(own.currency)
  return {
    name: 'deliveries',
    caption: 'Deliveries and their vintages',
    columns: [
      { key: 'delivery', title: 'No.', fileOnly: true, value: ({ delivery, vintage }) => `${delivery}.${vintage}` },
      { key: 'dueDate', title: 'Due', width: 'line', value: ({ dueDate }) => dueDate },
      { key: 'vintage', title: 'Vintage', value: ({ name, vintageYear }) => name ?? vintageYear },
      { key: 'periodStart', title: 'From', width: 'line', isSecondary: true, value: ({ periodStart }) => periodStart },
      { key: 'periodEnd', title: 'To', width: 'line', isSecondary: true, value: ({ periodEnd }) => periodEnd },
      { key: 'mitigation', title: 'Mitigation', value: ({ mitigationTypes }) => mitigationTypes.join(', ') || null },
      numberColumn('volume', 'Tonnes', ({ volume }) => volume, amount),
      numberColumn('unitPrice', `Price, ${currency}/t`, ({ unitPrice }) => unitPrice, exactPrice),
      numberColumn('total', `Total, ${currency}`, (line) => line.total, total),
    ],
    rows: lines,
    empty: <>The offer has no delivery lines{summaryOnly ? ': only its summary is known' : ''}.</>,
  }
}

/** What is paid before delivery. */
export const prepaymentsTable = ({ prepayments, own }: OfferDetail): Table<OfferDetail['prepayments'][number]> => ({
  name: 'prepayments',
  caption: 'Pre-payments',
  columns: [
    { key: 'dueDate', title: 'Due', width: 'line', value: ({ dueDate }) => dueDate },
    numberColumn('amount', `Amount, ${plain(own.currency)}`, (payment) => payment.amount, total),
  ],
  rows: prepayments,
  empty: <>Nothing is paid before delivery.</>,
})
