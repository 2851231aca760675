import { NOT_MET_TITLE, notMetText } from '../../compare/decision/not-met.js'
import { CRITERION_NAMES } from '../../compare/offer/criterion-text.js'
import { unreadText } from '../../compare/rfq/rfq-flags.js'
import { formatCount } from '../../core/number-format.js'
import { CRITERIA } from '../../core/settings.js'
import type { RfqPageModel, RfqPageOffer, ScenarioRow } from '../../read-models/rfq-page-model.js'
import type { Column, Table } from '../tables/table.js'
import { numberColumn } from '../views/columns.js'
import { amount, Badge, decimal, percent, plain, price, range, total, UNKNOWN } from '../views/format.js'
import { withAsOf } from './page.js'

/** The offers, ranked, with what they do not meet in words. */
export function offersTable(model: RfqPageModel, rfqPath: string, asOf: string | undefined): Table<RfqPageOffer> {
  const unit = model.currency === null ? '' : `, ${plain(model.currency)}`
  const columns: readonly Column<RfqPageOffer>[] = [
    { key: 'rank', title: 'Rank', align: 'right', value: ({ rank }) => rank },
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
      key: 'pricePerTonne',
      title: `Price per t${unit}`,
      align: 'right',
      value: ({ pricePerTonne }) => pricePerTonne,
      cell: (offer) => <PriceCell offer={offer} model={model} />,
    },
    {
      key: 'volume',
      title: 'Tonnes',
      align: 'right',
      hint: 'With the share of the wanted volume that they cover',
      value: ({ volume }) => volume,
      cell: ({ volume, coverage }) => withSmall(amount(volume), coverage === null ? '' : percent(coverage)),
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
    { key: 'total', title: 'Total', fileOnly: true, value: ({ total }) => total },
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
    caption: `The ${formatCount(model.offers.length, 'offer')}, by rank`,
    columns,
    rows: model.offers,
    empty:
      model.rfq.unreadOffers === 0 ? (
        <>The RFQ has no offers yet. They appear here with the next poll after a developer submits one.</>
      ) : (
        <>The RFQ has {unreadText(model.rfq.unreadOffers)}. A later poll reads what requests did not suffice for.</>
      ),
  }
}

const withSmall = (main: string, below: string) => (
  <>
    {main}
    {below !== '' && <div class="muted small">{below}</div>}
  </>
)

const vintagesText = ({ oldestVintage, newestVintage }: RfqPageOffer): string =>
  range(oldestVintage, newestVintage, String)

function deliveryCell(offer: RfqPageOffer) {
  const { firstDelivery, lastDelivery, oldestVintage } = offer
  return (
    <>
      {plain(firstDelivery)}
      {firstDelivery !== lastDelivery && <div>{`to ${plain(lastDelivery)}`}</div>}
      {oldestVintage !== null && <div class="muted small">{`vintages ${vintagesText(offer)}`}</div>}
    </>
  )
}

const OfferCell = ({ offer, rfqPath, asOf }: { offer: RfqPageOffer; rfqPath: string; asOf: string | undefined }) => (
  <>
    <a href={withAsOf(`${rfqPath}/offers/${encodeURIComponent(offer.id)}`, asOf)}>
      {plain(offer.developer ?? offer.label)}
    </a>
    <span class="muted small">{` no. ${offer.number}`}</span>
    {offer.project !== null && <div class="small">{plain(offer.project)}</div>}
  </>
)

const statusCell = ({ status, late, missingSince, notListed, newerTerms, daysToExpiry }: RfqPageOffer) => (
  <>
    {plain(status)}
    {late && <Badge tone="warn">late</Badge>}
    {missingSince !== null && <Badge tone="warn">withdrawn</Badge>}
    {notListed && <Badge tone="bad">not listed</Badge>}
    {newerTerms && <Badge tone="bad">newer terms</Badge>}
    {daysToExpiry !== null && daysToExpiry < 0 && <Badge tone="warn">expired</Badge>}
  </>
)

function PriceCell({ offer, model }: { offer: RfqPageOffer; model: RfqPageModel }) {
  const { pricePerTonne, ownPricePerTonne, currency } = offer
  const foreign = ownPricePerTonne !== null && ownPricePerTonne !== pricePerTonne
  const above = model.rfq.comparedMaxUnitPrice !== null && (pricePerTonne ?? 0) > model.rfq.comparedMaxUnitPrice
  return (
    <>
      <span class={above ? 'over' : undefined} title={above ? 'above the maximum of the RFQ' : undefined}>
        {price(pricePerTonne)}
      </span>
      {foreign && <div class="muted small">{`${price(ownPricePerTonne)} ${plain(currency)}`}</div>}
      {offer.total !== null && (
        <div class="muted small">{`total ${total(offer.total)}${currency === model.currency ? '' : ` ${plain(currency)}`}`}</div>
      )}
    </>
  )
}

function notMetCell({ notMet, flags }: RfqPageOffer) {
  const high = flags.filter(({ severity }) => severity === 'high').length
  return (
    <>
      {notMet.length === 0 && <Badge tone="good">meets all</Badge>}
      {notMet.map(({ kind, words }) => (
        <div class={kind === 'advisory' ? 'muted' : undefined}>{plain(words)}</div>
      ))}
      {flags.length > 0 && (
        <div class="muted small">{`${formatCount(flags.length, 'flag')}${high > 0 ? `, ${high} high` : ''}`}</div>
      )}
    </>
  )
}

/** Other ways to award, and what they cost. */
export const scenariosTable = (model: RfqPageModel): Table<ScenarioRow> => ({
  name: 'scenarios',
  caption: 'Other ways to award',
  columns: [
    {
      key: 'scenario',
      width: 'wide',
      title: 'Way',
      value: ({ title }) => title,
      cell: ({ title, rule }) => (
        <>
          {plain(title)}
          <div class="muted small">{plain(rule)}</div>
        </>
      ),
    },
    {
      key: 'offers',
      width: 'wide',
      title: 'Offers',
      value: ({ offers }) => offers.join(', '),
    },
    numberColumn('tonnes', 'Tonnes', ({ award }) => award?.tonnes ?? null, amount),
    numberColumn(
      'total',
      `Total${model.currency ? `, ${plain(model.currency)}` : ''}`,
      ({ award }) => award?.total ?? null,
      total,
    ),
    numberColumn('pricePerTonne', 'Price per t', ({ award }) => award?.pricePerTonne ?? null, price),
    numberColumn('difference', 'Difference', ({ difference }) => difference, total, {
      hint: `Total minus that of ${model.isAccepted ? 'the award that the rule chooses' : 'the recommended award'}`,
    }),
    {
      key: 'waived',
      title: 'Waived',
      hint: 'Requirements that would have to be waived',
      value: ({ waived }) => waived.join('; '),
      cell: ({ waived, award }) =>
        award === null ? UNKNOWN : plain(waived.join('; ')) === UNKNOWN ? 'nothing' : plain(waived.join('; ')),
    },
    { key: 'words', width: 'wide', title: 'How', value: ({ words }) => words },
  ],
  rows: model.scenarios,
  empty: <>No other way to award was found.</>,
})
