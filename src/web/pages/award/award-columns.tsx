import { formatPricePerTonne, formatTotal } from '../../../core/text/number-format.js'
import { type AwardItem, STATE_TEXTS } from '../../../tables/awards/award-list.js'
import { amount, Badge, Moment, plain, type Tone } from '../../components/format.js'
import type { Column } from '../../tables/table.js'

const TONES: Record<AwardItem['state'], Tone> = {
  differs: 'bad',
  waiting: 'warn',
  accepted: 'good',
  none: 'neutral',
  withdrawn: 'neutral',
}

/**
 * What every list of awards shows of one: what, when and by whom, whether it was recommended, and what became of it.
 * @param first the columns that say which RFQ it is of
 * @param showState whether rows have different states
 */
export const awardColumns = (first: readonly Column<AwardItem>[], showState: boolean): readonly Column<AwardItem>[] => [
  ...first,
  { key: 'id', fileOnly: true, title: 'Id', value: ({ id }) => id },
  {
    key: 'offers',
    width: 'wide',
    title: 'Awarded',
    value: ({ offers }) => offers.map(({ name }) => name).join(', '),
    cell: ({ offers, tonnes, pricePerTonne, currency }) => (
      <>
        {plain(offers.map(({ name }) => name).join(', '))}
        <div class="muted small">{`${amount(tonnes)} t at ${plain(formatPricePerTonne(pricePerTonne, currency))}`}</div>
      </>
    ),
  },
  { key: 'tonnes', fileOnly: true, title: 'Tonnes', value: ({ tonnes }) => tonnes },
  { key: 'pricePerTonne', fileOnly: true, title: 'Price per t', value: ({ pricePerTonne }) => pricePerTonne },
  {
    key: 'total',
    title: 'Total',
    align: 'right',
    value: ({ total }) => total,
    cell: ({ total, currency }) => plain(formatTotal(total, currency)),
  },
  { key: 'currency', fileOnly: true, title: 'Currency', value: ({ currency }) => currency },
  {
    key: 'decidedAt',
    width: 'line',
    title: 'Decided',
    value: ({ at }) => at,
    cell: ({ at, by, id }) => (
      <>
        <Moment at={at} />
        <div class="muted small">
          {`by ${plain(by)}, `}
          <a href={`/awards/${id}/workbook`} aria-label={`Workbook of award ${id}`}>
            workbook
          </a>
        </div>
      </>
    ),
  },
  { key: 'by', fileOnly: true, title: 'By', value: ({ by }) => by },
  {
    key: 'followed',
    title: 'Recommended then',
    value: ({ followed }) => followed,
    cell: ({ followed, because }) => (
      <>
        {followed ? 'yes' : 'no'}
        {because !== null && <div class="muted small">{plain(because)}</div>}
      </>
    ),
  },
  { key: 'because', fileOnly: true, title: 'Because', value: ({ because }) => because },
  {
    key: 'state',
    title: 'Marketplace',
    value: ({ state }) => state,
    cell: (award) => (
      <>
        {showState && <Badge tone={TONES[award.state]}>{STATE_TEXTS[award.state]}</Badge>} <Outcome award={award} />
      </>
    ),
  },
  { key: 'acceptBy', fileOnly: true, title: 'Accept by', value: ({ acceptBy }) => acceptBy },
  { key: 'message', fileOnly: true, title: 'Marketplace shows', value: ({ message }) => message },
  { key: 'next', fileOnly: true, title: 'Next step', value: ({ next }) => next },
  { key: 'withdrawnAt', fileOnly: true, title: 'Withdrawn', value: ({ withdrawn }) => withdrawn?.at ?? null },
  { key: 'withdrawnBy', fileOnly: true, title: 'Withdrawn by', value: ({ withdrawn }) => withdrawn?.by ?? null },
  {
    key: 'withdrawnBecause',
    fileOnly: true,
    title: 'Withdrawn because',
    value: ({ withdrawn }) => withdrawn?.because ?? null,
  },
  { key: 'workbook', fileOnly: true, title: 'Workbook', value: ({ id }) => `/awards/${id}/workbook` },
]

/** What the marketplace shows that matters, and until when it waits; or the withdrawal. */
function Outcome({ award: { state, message, acceptBy, withdrawn } }: { award: AwardItem }) {
  if (withdrawn !== null)
    return (
      <div class="muted small">
        <Moment at={withdrawn.at} /> by {plain(withdrawn.by)}
        {withdrawn.because !== null && `: ${plain(withdrawn.because)}`}
      </div>
    )
  if (state === 'accepted') return null
  return (
    <>
      {acceptBy !== null && <span class="line">{`accept by ${acceptBy}`}</span>}
      {message !== null && <div class="small">{plain(message)}</div>}
    </>
  )
}
