import { formatPricePerTonne, formatTotal } from '../../../core/text/number-format.js'
import { type AwardItem, STATE_TEXTS } from '../../../views/awards/award-list.js'
import { momentColumn, numberColumn } from '../../components/columns.js'
import { amount, Badge, Moment, plain, type Tone } from '../../components/format.js'
import type { Column } from '../../tables/table.js'

const TONES: Record<AwardItem['state'], Tone> = {
  differs: 'bad',
  waiting: 'warn',
  accepted: 'good',
  withdrawn: 'neutral',
}

/** What every list of awards shows of one: when, who, what, whether it was recommended, and what became of it. */
export const AWARD_COLUMNS: readonly Column<AwardItem>[] = [
  { key: 'id', fileOnly: true, title: 'Id', value: ({ id }) => id },
  momentColumn('decidedAt', 'Decided', ({ at }) => at),
  { key: 'by', title: 'By', value: ({ by }) => by, shared: ({ by }) => `all were decided by ${plain(by)}` },
  {
    key: 'offers',
    width: 'wide',
    title: 'Awarded',
    value: ({ offers }) => offers.map(({ name }) => name).join(', '),
  },
  numberColumn('tonnes', 'Tonnes', ({ tonnes }) => tonnes, amount),
  {
    key: 'pricePerTonne',
    title: 'Price per t',
    align: 'right',
    value: ({ pricePerTonne }) => pricePerTonne,
    cell: ({ pricePerTonne, currency }) => plain(formatPricePerTonne(pricePerTonne, currency)),
  },
  {
    key: 'total',
    title: 'Total',
    align: 'right',
    value: ({ total }) => total,
    cell: ({ total, currency }) => plain(formatTotal(total, currency)),
  },
  { key: 'currency', fileOnly: true, title: 'Currency', value: ({ currency }) => currency },
  {
    key: 'followed',
    width: 'wide',
    title: 'Recommended then',
    value: ({ followed }) => followed,
    cell: ({ followed, because }) => (
      <>
        {followed ? 'yes' : 'no'}
        {because !== null && `, because ${plain(because)}`}
      </>
    ),
    shared: ({ followed, because }) =>
      `${followed ? 'all were recommended then' : 'none was recommended then'}${because === null ? '' : `, because ${plain(because)}`}`,
  },
  { key: 'because', fileOnly: true, title: 'Because', value: ({ because }) => because },
  {
    key: 'state',
    width: 'wide',
    title: 'Marketplace',
    value: ({ state }) => state,
    cell: (award) => (
      <>
        <Badge tone={TONES[award.state]}>{STATE_TEXTS[award.state]}</Badge> <Outcome award={award} />
      </>
    ),
  },
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
  {
    key: 'workbook',
    title: 'Workbook',
    sortable: false,
    value: ({ id }) => `/awards/${id}/workbook`,
    cell: ({ id }) => (
      <a href={`/awards/${id}/workbook`} aria-label={`Workbook of award ${id}`}>
        xlsx
      </a>
    ),
  },
]

/** What the marketplace shows that matters, or what to do next; or the withdrawal. */
function Outcome({ award: { state, message, next, withdrawn } }: { award: AwardItem }) {
  if (withdrawn !== null)
    return (
      <span class="muted small">
        <Moment at={withdrawn.at} /> by {plain(withdrawn.by)}
        {withdrawn.because !== null && `: ${plain(withdrawn.because)}`}
      </span>
    )
  const text = state === 'waiting' ? [message, next].filter(Boolean).join(' ') : state === 'differs' ? message : null
  return text === null ? null : <span class="small">{plain(text)}</span>
}
