import { cleanText } from '../../../core/text/clean-text.js'
import { formatAmount } from '../../../core/text/number-format.js'
import { formatAge } from '../../../core/time/read-times.js'
import type { Fact } from '../../../tables/column.js'
import type { OfferDetail, OfferVersion } from '../../../tables/offer/offer.js'
import { DELIVERY_COLUMNS, PREPAYMENT_COLUMNS } from '../../../tables/offer/offer-lines.js'
import { notMetBy, OFFER_COLUMNS, offerName } from '../../../tables/offer/offer-view.js'
import { Facts, Table } from '../../../tables/print/html.js'
import { Ages, Badge, Moment, plain, type Tone } from '../../components/format.js'
import type { PageRequest } from '../page.js'

interface OfferDetailsProps {
  offer: OfferDetail
  link: PageRequest['link']
}

/** One offer with everything behind its figures. */
export function OfferDetails({ offer, link }: OfferDetailsProps) {
  const { sequence, terms, questions, lines, prepayments, rateMessage, readAt, asOf } = offer
  return (
    <section id="offer" aria-labelledby="offer-title">
      <h3 id="offer-title">{`Offer ${sequence}: ${plain(offerName(offer))}`}</h3>
      <Standing offer={offer} />
      <ToCheck offer={offer} />
      {terms.notes !== null && <blockquote class="prose">{`“${cleanText(terms.notes)}”`}</blockquote>}
      {terms.review?.comment != null && <p>{`Comment of the review: “${plain(terms.review.comment)}”`}</p>}
      <Facts of={factsOf(offer)} isBrief />
      <p class="muted small">
        {plain([rateMessage, 'The project is described by its developer.'].filter(Boolean).join(' '))}
        <Ages of={[readAt && `terms read ${formatAge(readAt, new Date(asOf))} ago`]} />
      </p>
      <h4>Deliveries</h4>
      <Table
        name="deliveries"
        caption="Deliveries and their vintages"
        columns={DELIVERY_COLUMNS}
        rows={lines}
        empty="The offer has no delivery lines."
        isExact
        link={link}
      />
      {prepayments.length > 0 && (
        <>
          <h4>Pre-payments</h4>
          <Table
            name="prepayments"
            caption="Pre-payments"
            columns={PREPAYMENT_COLUMNS}
            rows={prepayments}
            empty=""
            link={link}
          />
        </>
      )}
      {questions.length > 0 && (
        <>
          <h4>Questions</h4>
          <ul class="reasons">
            {questions.map((question) => (
              <li>{plain(question)}</li>
            ))}
          </ul>
        </>
      )}
      <h4>What changed</h4>
      <ul class="reasons">
        {offer.versions.map((version) => (
          <Version version={version} link={link} />
        ))}
      </ul>
      <div class="actions noprint">
        <a class="button" href={`${link({ offer: null })}#offers`}>
          Close
        </a>
      </div>
    </section>
  )
}

/** Its rank, or why it has none, and its part in the award. */
function Standing({ offer: { rank, why, awardedTonnes, breakEven } }: Pick<OfferDetailsProps, 'offer'>) {
  const sentences = [
    why ?? (rank === null ? '' : `Rank ${rank}.`),
    awardedTonnes > 0 ? `The award has ${formatAmount(awardedTonnes)} t of it.` : '',
    breakEven ?? '',
  ]
  return <p class={why === null ? undefined : 'notice warn'}>{plain(sentences.filter(Boolean).join(' '))}</p>
}

const KINDS: Record<ReturnType<typeof notMetBy>[number]['kind'], { title: string; tone: Tone }> = {
  excluded: { title: 'not awardable', tone: 'bad' },
  hard: { title: 'not met', tone: 'bad' },
  advisory: { title: 'advisory', tone: 'warn' },
}

/** What it does not meet, most severe first, then what else to know; nothing that was said above. */
function ToCheck({ offer }: Pick<OfferDetailsProps, 'offer'>) {
  const { flags, why } = offer
  const all = [
    ...notMetBy(offer).map(({ kind, message }) => ({
      ...KINDS[kind],
      message: message.replace(/ \(advisory\)\.$/, '.'),
    })),
    ...flags.map(({ loud, message }): { title: string; tone: Tone; message: string } =>
      loud ? { title: 'loud', tone: 'bad', message } : { title: 'quiet', tone: 'neutral', message },
    ),
  ]
  const shown = all.filter(({ message }, at) => {
    const said = [why ?? '', ...all.slice(0, at).map((each) => each.message)]
    return !said.some((text) => text.includes(message.replace(/\.$/, '')))
  })
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

/** What the sentences say, and what leads to the details. */
const SAID: readonly string[] = ['rank', 'number', 'offer', 'doubts', 'why', 'notMet', 'flags', 'notes']

/** The columns of the table of offers. */
const factsOf = (offer: OfferDetail): Fact[] =>
  OFFER_COLUMNS.filter(({ key }) => !SAID.includes(key)).map(({ header, kind, value }) => ({
    ...{ label: header, kind },
    value: value(offer),
  }))

/** A version in sentences. */
function Version({ version, link }: { version: OfferVersion; link: PageRequest['link'] }) {
  const { changes, observedAt, valid, summaryOnly } = version
  const first = version.version === 1 ? 'First seen.' : 'Only fields changed that are not compared.'
  return (
    <li>
      <a href={`${link({ as_of: observedAt })}#offer`}>
        <Moment at={observedAt} />
      </a>
      {`: ${changes.length > 0 ? plain(changes.join(' ')) : first} `}
      {!valid && <Badge tone="warn">does not match the schema</Badge>}
      {summaryOnly && <Badge tone="neutral">summary only</Badge>}
    </li>
  )
}
