import { formatDerivedPrice } from '../../../compare/awards/award-figures.js'
import { extraText } from '../../../compare/decision/choices.js'
import type { Choice } from '../../../compare/decision/decision-model.js'
import { CRITERION_NAMES } from '../../../compare/offer/criterion-text.js'
import { unreadText } from '../../../compare/rfq/rfq-flags.js'
import { CRITERIA } from '../../../core/decision/settings.js'
import { formatCount, truncate } from '../../../core/text/number-format.js'
import { NOT_MET_TITLE, notMetText, type OfferView } from '../../../views/offer/offer-view.js'
import type { RfqView } from '../../../views/rfq/rfq-view.js'
import { numberColumn } from '../../components/columns.js'
import { amount, Badge, decimal, percent, plain, price, range, total, UNKNOWN } from '../../components/format.js'
import type { Column, Table } from '../../tables/table.js'
import { withAsOf } from '../page.js'

/** The offers by rank, with the requirements that they do not meet. */
export function offersTable(view: RfqView, rfqPath: string, asOf: string | undefined): Table<OfferView> {
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
      cell: (offer) => <OfferCell offer={offer} rfqPath={rfqPath} asOf={asOf} />,
    },
    { key: 'status', title: 'Status', value: ({ status }) => status, cell: statusCell },
    {
      key: 'awardedTonnes',
      title: 'Award',
      align: 'right',
      value: ({ awardedTonnes }) => awardedTonnes,
      cell: ({ awardedTonnes }) =>
        awardedTonnes > 0 ? <Badge tone="good">{`${amount(awardedTonnes)} t`}</Badge> : UNKNOWN,
    },
    {
      key: 'comparedPricePerTonne',
      title: 'Price per t',
      align: 'right',
      hint: 'In the currency of the comparison; then as offered, if that is another',
      value: ({ compared }) => compared.pricePerTonne,
      cell: (offer) => <PriceCell offer={offer} view={view} />,
    },
    { key: 'comparedTotal', fileOnly: true, title: 'Compared total', value: ({ compared }) => compared.total },
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
    {
      key: 'tonnes',
      title: 'Tonnes',
      align: 'right',
      hint: 'With the share of the requested tonnes that they cover',
      value: ({ tonnes }) => tonnes,
      cell: ({ tonnes, coverage }) => withSmall(amount(tonnes), coverage === null ? '' : percent(coverage)),
    },
    { key: 'coverage', title: 'Coverage', fileOnly: true, value: ({ coverage }) => coverage },
    {
      key: 'score',
      title: 'Score',
      align: 'right',
      value: ({ score }) => score,
      cell: ({ score, scores }) => (
        <span
          title={scores ? CRITERIA.map((name) => `${CRITERION_NAMES[name]} ${decimal(scores[name])}`).join(', ') : ''}
        >
          {decimal(score)}
        </span>
      ),
    },
    {
      key: 'notMet',
      width: 'wide',
      title: NOT_MET_TITLE,
      hint: 'Why it is not ranked, then hard requirements, then those marked (advisory), which prevent no award',
      sortable: false,
      value: ({ notMet }) => notMetText(notMet),
      cell: notMetCell,
    },
    { key: 'activity', title: 'Activity', fileOnly: true, value: ({ mitigationActivity }) => mitigationActivity },
    { key: 'notes', title: 'Notes', fileOnly: true, value: ({ notes }) => notes },
    {
      key: 'delivery',
      width: 'line',
      title: 'Delivery',
      hint: 'With the vintages',
      value: ({ firstDelivery }) => firstDelivery,
      cell: deliveryCell,
    },
    { key: 'vintages', title: 'Vintages', fileOnly: true, value: ({ oldestVintage }) => oldestVintage },
    { key: 'expiryDate', width: 'line', title: 'Expires', value: ({ expiryDate }) => expiryDate },
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

const withSmall = (main: string, below: string) => (
  <>
    {main}
    {below !== '' && <div class="muted small">{below}</div>}
  </>
)

const vintagesText = ({ oldestVintage, newestVintage }: OfferView): string =>
  range(oldestVintage, newestVintage, String)

function deliveryCell(offer: OfferView) {
  const { firstDelivery, lastDelivery, oldestVintage } = offer
  return (
    <>
      {plain(firstDelivery)}
      {firstDelivery !== lastDelivery && <div>{`to ${plain(lastDelivery)}`}</div>}
      {oldestVintage !== null && <div class="muted small">{`vintages ${vintagesText(offer)}`}</div>}
    </>
  )
}

const OfferCell = ({ offer, rfqPath, asOf }: { offer: OfferView; rfqPath: string; asOf: string | undefined }) => (
  <>
    <a href={withAsOf(`${rfqPath}/offers/${encodeURIComponent(offer.id)}`, asOf)}>
      {plain(offer.developer ?? offer.label)}
    </a>
    <span class="muted small">{` no. ${offer.number}`}</span>
    {offer.project !== null && <div class="small">{plain(offer.project)}</div>}
    {offer.mitigationActivity !== null && <div class="muted small">{plain(offer.mitigationActivity)}</div>}
  </>
)

const statusCell = ({ status, late, missingSince, notListed, newerTerms, daysToExpiry }: OfferView) => (
  <>
    {plain(status)}
    {late && <Badge tone="warn">late</Badge>}
    {missingSince !== null && <Badge tone="warn">withdrawn</Badge>}
    {notListed && <Badge tone="bad">not listed</Badge>}
    {newerTerms && <Badge tone="bad">newer terms</Badge>}
    {daysToExpiry !== null && daysToExpiry < 0 && <Badge tone="warn">expired</Badge>}
  </>
)

/** The price and the total in the currency of the comparison; below them those of the offer, if it has another. */
function PriceCell({ offer: { compared, own }, view: { rfq } }: { offer: OfferView; view: RfqView }) {
  const isConverted = own.total !== null && own.currency !== compared.currency
  const above = rfq.comparedMaxUnitPrice !== null && (compared.pricePerTonne ?? 0) > rfq.comparedMaxUnitPrice
  return (
    <>
      <span class={above ? 'over' : undefined} title={above ? 'above the maximum of the RFQ' : undefined}>
        {priceText(compared)}
      </span>
      <div class="muted small">{totalText(compared)}</div>
      {isConverted && <div class="muted small">{`offered: ${priceText(own)}, ${totalText(own)}`}</div>}
    </>
  )
}

const priceText = ({ pricePerTonne, currency }: OfferView['own'] | OfferView['compared']) =>
  pricePerTonne === null ? UNKNOWN : `${price(pricePerTonne)} ${plain(currency)}`

const totalText = (money: OfferView['own'] | OfferView['compared']) =>
  money.total === null ? '' : `total ${total(money.total)} ${plain(money.currency)}`

/** The page of the offer has all of them. */
const MAX_NOTES = 200

function notMetCell({ notMet, flags, notes }: OfferView) {
  const high = flags.filter(({ severity }) => severity === 'high').length
  return (
    <>
      {notMet.length === 0 && <Badge tone="good">meets all</Badge>}
      {notMet.map(({ kind, message }) => (
        <div class={kind === 'advisory' ? 'muted' : undefined}>{plain(message)}</div>
      ))}
      {flags.length > 0 && (
        <div class="muted small">{`${formatCount(flags.length, 'flag')}${high > 0 ? `, ${high} high` : ''}`}</div>
      )}
      {notes !== null && <div class="small">{`Notes: “${plain(truncate(notes, MAX_NOTES))}”`}</div>}
    </>
  )
}

/** The awards to choose from. */
export function choicesTable({ decision }: RfqView): Table<Choice> {
  return {
    name: 'choices',
    caption: 'Awards to choose from, by tonnes',
    columns: [
      {
        key: 'award',
        width: 'wide',
        title: 'Award',
        value: ({ title }) => title,
        cell: ({ title, notes, isRecommended }) => (
          <>
            {plain(title)} {isRecommended && <Badge tone="good">recommended</Badge>}
            {notes.length > 0 && <div class="muted small">{plain(notes.join('; '))}</div>}
          </>
        ),
      },
      numberColumn('tonnes', 'Tonnes', ({ award }) => award.tonnes, amount),
      {
        key: 'total',
        title: 'Total',
        align: 'right',
        value: ({ award }) => award.total,
        cell: ({ award }) => `${total(award.total)} ${plain(award.currency)}`,
      },
      {
        key: 'pricePerTonne',
        title: 'Price per t',
        align: 'right',
        hint: 'With the difference to the recommended award',
        value: ({ award }) => award.pricePerTonne,
        cell: ({ award, perTonneDifference }) =>
          withSmall(
            `${price(award.pricePerTonne)} ${plain(award.currency)}`,
            signed(perTonneDifference, award.currency),
          ),
      },
      { key: 'currency', fileOnly: true, title: 'Currency', value: ({ award }) => award.currency },
      {
        key: 'extraTonnes',
        title: 'Extra tonnes',
        hint: 'What it has more than the award above, and what each of these tonnes costs',
        value: ({ extra }) => extra?.tonnes ?? null,
        cell: (choice) => extraText(choice) || UNKNOWN,
      },
      {
        key: 'extraPricePerTonne',
        fileOnly: true,
        title: 'Price of the extra tonnes',
        value: ({ extra }) => extra?.pricePerTonne ?? null,
      },
      {
        key: 'perTonneDifference',
        fileOnly: true,
        title: 'Difference per t to the recommended award',
        value: ({ perTonneDifference }) => perTonneDifference,
      },
      { key: 'isRecommended', fileOnly: true, title: 'Recommended', value: ({ isRecommended }) => isRecommended },
      { key: 'notes', fileOnly: true, title: 'Notes', value: ({ notes }) => notes.join('; ') },
    ],
    rows: decision.choices,
    empty: <>No offers can be awarded.</>,
  }
}

/** A difference of prices; nothing if there is none. */
const signed = (value: number | null, currency: string): string =>
  value === null || price(Math.abs(value)) === price(0)
    ? ''
    : `${value > 0 ? '+' : '−'}${formatDerivedPrice(Math.abs(value), currency)}`
