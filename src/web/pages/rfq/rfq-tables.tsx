import { unreadText } from '../../../compare/rfq/rfq-terms.js'
import type { Column } from '../../../tables/column.js'
import { listNamed } from '../../../tables/lists/lists.js'
import type { OfferDetail } from '../../../tables/offer/offer.js'
import { DELIVERY_COLUMNS, PREPAYMENT_COLUMNS } from '../../../tables/offer/offer-lines.js'
import { OFFER_COLUMNS, type OfferView } from '../../../tables/offer/offer-view.js'
import { Table } from '../../../tables/print/html.js'
import { CHOICE_COLUMNS } from '../../../tables/rfq/choice-columns.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { HttpError } from '../../http/errors.js'
import type { PageRequest } from '../page.js'
import { type FileTable, fileTable } from '../table-file.js'
import { OfferDetails } from './offer-details.js'

interface Props {
  view: RfqView
  page: PageRequest
}

/** The awards to choose from. */
export const Choices = ({ view, page: { link } }: Props) =>
  view.decision.choices.length > 0 && (
    <section aria-labelledby="choices-title">
      <h2 id="choices-title">Choices</h2>
      <Table
        name="choices"
        caption="Awards to choose from, by tonnes"
        columns={CHOICE_COLUMNS}
        rows={view.decision.choices}
        empty=""
        link={link}
        isChosen={({ isRecommended }) => isRecommended}
      />
    </section>
  )

/** Rows of the table of offers on one page. */
const PAGE_SIZE = 40

/** The offers by rank; one of them in detail, below its row. */
export function Offers({ view, page: { link, query }, offer }: Props & { offer: OfferDetail | null }) {
  const { offers, rfq } = view
  const cursor = query.cursor ?? '0'
  const from = /^\d{1,6}$/.test(cursor) ? Number(cursor) : Number.NaN
  if (!(from === 0 || from < offers.length)) throw new HttpError(400, 'cursor is not the next page of the offers')
  const to = from + PAGE_SIZE
  const rows = offers.slice(from, to)
  const details = offer !== null && <OfferDetails offer={offer} link={link} />
  const isOpen = ({ id }: OfferView) => id === offer?.id
  const columns = OFFER_COLUMNS.map(
    (column): Column<OfferView> =>
      column.key === 'offer'
        ? { ...column, link: ({ sequence }) => `${link({ offer: String(sequence) })}#offer` }
        : column,
  )
  return (
    <section aria-labelledby="offers-title">
      <h2 id="offers-title">Offers</h2>
      <Table
        name="offers"
        caption="The offers by rank"
        columns={columns}
        rows={rows}
        empty={
          rfq.unreadOffers === 0
            ? 'The RFQ has no offers yet. They appear here with the next poll after a developer submits one.'
            : `The RFQ has ${unreadText(rfq.unreadOffers)}. A later poll reads them, because the request budget was exceeded.`
        }
        link={link}
        next={to < offers.length ? String(to) : null}
        total={offers.length}
        isChosen={({ awardedTonnes }) => awardedTonnes > 0}
        below={(row) => isOpen(row) && details}
      />
      {!rows.some(isOpen) && details}
    </section>
  )
}

/** Changes that are listed. */
const MAX_CHANGES = 8
/** Those of one RFQ. */
const CHANGE_COLUMNS = listNamed('changes').columns.filter(({ key }) => !['rfq', 'title', 'channel'].includes(key))

/** The newest changes of an RFQ. @param since default: all */
export async function readChanges(
  { queries, now }: PageRequest,
  rfq: { channel: string; rfq: string },
  since: Date | undefined,
): Promise<readonly unknown[]> {
  const parameters = { ...rfq, ...(since && { since: since.toISOString() }) }
  return (await queries.list('changes', { now, limit: MAX_CHANGES, parameters })).rows
}

interface ChangesProps {
  changes: readonly unknown[]
  channel: string
  rfq: string
  isPast: boolean
}

/** What changed about the RFQ, newest first. */
export function Changes({ changes, channel, rfq, isPast }: ChangesProps) {
  if (changes.length === 0) return null
  const all = `/changes?channel=${encodeURIComponent(channel)}&rfq=${encodeURIComponent(rfq)}`
  return (
    <section aria-labelledby="changes-title">
      <h2 id="changes-title">{isPast ? 'What changed since then' : 'What changed'}</h2>
      <Table
        name="changes"
        caption="What changed about the RFQ"
        columns={CHANGE_COLUMNS}
        rows={changes}
        empty=""
        link={({ format = null }) => (format === null ? all : `${all}&format=${format}`)}
      />
      <p>
        <a href={all}>All changes of this RFQ</a>
      </p>
    </section>
  )
}

/** The tables of the page as files. */
export const filesOf = ({ offers, decision }: RfqView, offer: OfferDetail | null): FileTable[] => [
  fileTable({ name: 'offers', columns: OFFER_COLUMNS, rows: offers }),
  fileTable({ name: 'choices', columns: CHOICE_COLUMNS, rows: decision.choices }),
  ...(offer === null
    ? []
    : [
        fileTable({ name: 'deliveries', columns: DELIVERY_COLUMNS, rows: offer.lines }),
        fileTable({ name: 'prepayments', columns: PREPAYMENT_COLUMNS, rows: offer.prepayments }),
      ]),
]
