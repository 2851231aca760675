import { cleanText } from '../../../core/text/clean-text.js'
import { formatAge } from '../../../core/time/read-times.js'
import type { OfferDetail, OfferVersion } from '../../../tables/offer/offer.js'
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
import type { PageRequest } from '../page.js'
import { deliveriesTable, prepaymentsTable } from './rfq-tables.js'

/** One offer with everything behind its figures, below the table of offers. */
export function OfferSection({ offer, link }: { offer: OfferDetail; link: PageRequest['link'] }) {
  const { number, developer, project, label, prepayments, questions, notes, review, versions } = offer
  const name = [developer, project].filter(Boolean).join(' · ') || label
  return (
    <section class="panel" id="offer" aria-labelledby="offer-title">
      <h2 id="offer-title">{`Offer ${number}: ${plain(name)}`}</h2>
      <OfferState offer={offer} />
      <OfferFigures offer={offer} />
      <Standing offer={offer} />
      <ToCheck offer={offer} />
      {notes !== null && <blockquote class="prose">{`“${cleanText(notes)}”`}</blockquote>}
      {review?.comment != null && <p>{`Comment of the review: “${plain(review.comment)}”`}</p>}
      <h3>Deliveries</h3>
      <TableView table={deliveriesTable(offer)} link={link} />
      {prepayments.length > 0 && (
        <>
          <h3>Pre-payments</h3>
          <TableView table={prepaymentsTable(offer)} link={link} />
        </>
      )}
      {questions.length > 0 && (
        <>
          <h3>Questions</h3>
          <ul class="reasons">
            {questions.map((question) => (
              <li>{plain(question)}</li>
            ))}
          </ul>
        </>
      )}
      <h3>What changed</h3>
      <ul class="reasons">
        {versions.map((version) => (
          <Version version={version} link={link} />
        ))}
      </ul>
      <p class="noprint">
        <a href={`${link({ offer: null })}#offers`}>Close</a>
      </p>
    </section>
  )
}

/** What it is and how it stands, in a line each. */
function OfferState({ offer }: { offer: OfferDetail }) {
  const { readAt, asOf, missingSince, status, late, mitigationActivity, review } = offer
  return (
    <div class="facts">
      <p>
        <Badge tone={status === 'accepted' ? 'good' : status === 'rejected' ? 'bad' : 'neutral'}>{plain(status)}</Badge>{' '}
        {missingSince !== null && (
          <>
            <Badge tone="bad">withdrawn</Badge> missing since <Moment at={missingSince} /> ·{' '}
          </>
        )}
        {`${plain(offer.contractType)} · expires ${plain(offer.expiryDate)}`}
        {review !== null && ` · review ${plain(review.status)}`}
      </p>
      <p class="muted small">
        {'Submitted '}
        <Moment at={offer.submittedAt} />
        {late ? ', late' : ''}
        {mitigationActivity !== null && ` · ${plain(mitigationActivity)}`}
        <Ages of={[readAt && `terms read ${formatAge(readAt, new Date(asOf))} ago`]} />
      </p>
    </div>
  )
}

/** What it costs, with all digits: as offered, then in the currency of the comparison, if that is another. */
function OfferFigures({ offer }: { offer: OfferDetail }) {
  const { tonnes, coverage, own, compared, prepaidShare, rateMessage } = offer
  const isConverted = own.currency !== compared.currency && compared.pricePerTonne !== null
  const [offered, converted] = [plain(own.currency), plain(compared.currency)]
  const figures = [
    { name: 'Tonnes', value: amount(tonnes), unit: `t${coverage === null ? '' : ` · covers ${percent(coverage)}`}` },
    { name: 'Price per tonne', value: exactPrice(own.pricePerTonne), unit: `${offered}/t` },
    { name: 'Total', value: total(own.total), unit: offered },
    { name: 'Price compared', value: exactPrice(compared.pricePerTonne), unit: `${converted}/t`, isShown: isConverted },
    { name: 'Total compared', value: total(compared.total), unit: converted, isShown: isConverted },
    { name: 'Present value', value: exactPrice(compared.presentValuePerTonne), unit: `${converted}/t` },
    { name: 'Pre-paid', value: percent(prepaidShare), unit: '', isShown: (prepaidShare ?? 0) > 0 },
  ].filter(({ isShown = true }) => isShown)
  return (
    <>
      <dl class="stats">
        {figures.map(({ name, value, unit }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value}
              {value !== UNKNOWN && <small>{` ${unit}`}</small>}
            </dd>
          </div>
        ))}
      </dl>
      {rateMessage !== null && <p class="muted small">{plain(rateMessage)}</p>}
    </>
  )
}

/** Its rank, or why it has none, and its part in the award. */
function Standing({ offer: { standing, rank, why, awardedTonnes, breakEven } }: { offer: OfferDetail }) {
  const sentences = [
    why ?? (rank === null ? '' : `Rank ${rank}.`),
    awardedTonnes > 0 ? `The award has ${amount(awardedTonnes)} t of it.` : '',
    breakEven ?? '',
  ]
  const competes = standing === 'ranked' || standing === 'accepted'
  return <p class={competes ? undefined : 'notice warn'}>{plain(sentences.filter(Boolean).join(' '))}</p>
}

const KINDS: Record<OfferDetail['notMet'][number]['kind'], { title: string; tone: Tone }> = {
  excluded: { title: 'not awardable', tone: 'bad' },
  hard: { title: 'not met', tone: 'bad' },
  advisory: { title: 'advisory', tone: 'warn' },
}

/** What it does not meet, most severe first, then what else to know; nothing that the page has said. */
function ToCheck({ offer: { notMet, flags, why } }: { offer: OfferDetail }) {
  const unmet = notMet.map(({ kind, message }) => ({
    ...KINDS[kind],
    message: message.replace(/ \(advisory\)\.$/, '.'),
  }))
  const said = [why ?? '', ...unmet.map(({ message }) => message)].join(' ')
  const others = flags.map(({ loud, message }) => ({
    ...(loud ? ({ title: 'loud', tone: 'bad' } as const) : ({ title: 'quiet', tone: 'neutral' } as const)),
    message,
  }))
  const shown = [
    ...unmet.filter(({ message }) => !(why ?? '').includes(message)),
    ...others.filter(({ message }) => !said.includes(message.replace(/\.$/, ''))),
  ]
  return (
    shown.length > 0 && (
      <ul class="flags">
        {shown.map(({ title, tone, message }) => (
          <li>
            <Badge tone={tone}>{title}</Badge> {plain(message)}
          </li>
        ))}
      </ul>
    )
  )
}

/** A version in sentences. */
const Version = ({ version, link }: { version: OfferVersion; link: PageRequest['link'] }) => (
  <li>
    <a href={`${link({ as_of: version.observedAt })}#offer`}>
      <Moment at={version.observedAt} />
    </a>
    {': '}
    {version.changes.length > 0
      ? plain(version.changes.join(' '))
      : version.version === 1
        ? 'First seen.'
        : 'Only fields changed that are not compared.'}{' '}
    {!version.valid && <Badge tone="warn">does not match the schema</Badge>}
    {version.summaryOnly && <Badge tone="neutral">summary only</Badge>}
  </li>
)
