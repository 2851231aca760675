import type { AwardState } from '../../../compare/decision/award-state.js'
import type { AwardRecord } from '../../../core/decision/award-record.js'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { awardPath } from '../../../views/page-paths.js'
import type { RfqView } from '../../../views/rfq/rfq-view.js'
import type { User } from '../../access/users.js'
import { amount, Moment, Notice, plain, price } from '../../components/format.js'

/** Offers that the form lists; others can be awarded with the command. */
const MAX_LISTED = 100

/** The standing award: who, when, what, why, what the marketplace shows, and what to do next. */
export const AwardCard = ({
  state,
  title = 'Award',
}: {
  state: Pick<AwardState, 'lines' | 'status'>
  title?: string
}) => (
  <section class={`card recommendation ${TONES[state.status]}`} id="award" aria-labelledby="award-title">
    <h2 id="award-title">{title}</h2>
    <dl class="texts">
      {state.lines.map(({ title: term, message }, at) => (
        <>
          <dt>{term}</dt>
          <dd>{at === 0 ? <strong>{plain(message)}</strong> : plain(message)}</dd>
        </>
      ))}
    </dl>
  </section>
)

const TONES: Record<AwardState['status'], string> = { waiting: 'warn', accepted: 'good', differs: 'bad' }

interface FormProps {
  view: RfqView
  user: User | null
  csrfToken: string
  /** The values of a submitted form; default: the recommended offers. */
  chosen?: ReadonlySet<string>
  because?: string
}

/** Records which offers the desk awards, after a page that shows what will be recorded; or withdraws the standing award. */
export function AwardForm({ view, user, csrfToken, chosen, because }: FormProps) {
  const { award, channel, rfq, decision } = view
  if (user?.role !== 'operator') return null
  const action = awardPath(channel, nameById(rfq.id))
  if (award !== null) return <WithdrawForm id={award.award.id ?? 0} action={action} csrfToken={csrfToken} />
  const open = view.offers.filter(({ standing }) => standing !== 'excluded')
  if (open.length === 0) return null
  const preselected = chosen ?? new Set(decision.recommendation.award?.offers.map(({ id }) => id))
  return (
    <details class="card noprint" open={chosen !== undefined}>
      <summary>Record the award</summary>
      <form method="post" action={action}>
        <input type="hidden" name="_csrf" value={csrfToken} />
        <p>Nothing is sent to the marketplace. The next page shows what will be recorded.</p>
        {open.slice(0, MAX_LISTED).map(({ id, number, label, tonnes, compared, why }) => (
          <p key={id}>
            <label>
              <input type="checkbox" name={`offer.${number}`} value={id} checked={preselected.has(id)} />{' '}
              {`${number}. ${plain(label)}: ${amount(tonnes)} t at ${price(compared.pricePerTonne)} ${plain(compared.currency)}/t`}
              {why !== null && ` (${plain(why)})`}
            </label>
          </p>
        ))}
        {open.length > MAX_LISTED && (
          <p>{`${formatCount(open.length - MAX_LISTED, 'more offer')}: use quotekeeper award.`}</p>
        )}
        <Because value={because} />
        <button type="submit" class="primary">
          Show what will be recorded
        </button>
      </form>
    </details>
  )
}

const Because = ({ value, required = false }: { value: string | undefined; required?: boolean }) => (
  <div class="field">
    <label for="because">Because</label>
    <input id="because" name="because" value={value ?? ''} maxlength={2000} autocomplete="off" required={required} />
  </div>
)

const WithdrawForm = ({ id, action, csrfToken }: { id: number; action: string; csrfToken: string }) => (
  <details class="card noprint">
    <summary>Withdraw the award</summary>
    <form method="post" action={action}>
      <input type="hidden" name="_csrf" value={csrfToken} />
      <p>The withdrawal is recorded beside the award. What was accepted on the marketplace has to be settled there.</p>
      <Because value={undefined} required />
      <button type="submit" name="withdraw" value={String(id)}>
        {`Withdraw award ${id}`}
      </button>
    </form>
  </details>
)

interface ConfirmProps {
  state: AwardState
  action: string
  csrfToken: string
  /** What is sent again, with `confirm`. */
  fields: Readonly<Record<string, string>>
}

/** What will be recorded, to confirm. */
export const ConfirmAward = ({ state, action, csrfToken, fields }: ConfirmProps) => (
  <>
    <AwardCard state={state} title="This will be recorded" />
    <form method="post" action={action} class="noprint">
      <input type="hidden" name="_csrf" value={csrfToken} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" name="confirm" value="yes" class="primary">
        Record this award
      </button>
    </form>
  </>
)

/** Every award of an RFQ, newest first, with its workbook. */
export const AwardHistory = ({ awards }: { awards: readonly AwardRecord[] }) =>
  awards.length === 0 ? (
    <Notice tone="neutral">No award of this RFQ was recorded.</Notice>
  ) : (
    <ul>
      {awards.map(({ id, at, by, offers, because, withdrawn }) => (
        <li key={id}>
          <Moment at={at} /> UTC: {plain(offers.map(({ name }) => name).join(', '))}, by {plain(by)}
          {because !== null && `, because ${plain(because)}`}. <a href={`/awards/${id}/workbook`}>Workbook</a>
          {withdrawn !== null && (
            <>
              {' '}
              Withdrawn <Moment at={withdrawn.at} /> UTC by {plain(withdrawn.by)}
              {withdrawn.because !== null && `, because ${plain(withdrawn.because)}`}.
            </>
          )}
        </li>
      ))}
    </ul>
  )
