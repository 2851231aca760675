import { nameById } from '../../../core/text/rfq-name.js'
import type { ClosingReasons, RfqClosings } from '../../../tables/closings/closings.js'
import { closingPath } from '../../../tables/page-paths.js'
import type { User } from '../../access/users.js'
import { Notice, plain } from '../../components/format.js'

interface ClosingFormProps {
  found: RfqClosings
  /** Null for an RFQ that is closed. */
  reasons: ClosingReasons | null
  user: User | null
  csrfToken: string
  /** Why no closing round on the channel would close anything, or null. */
  obstacle: string | null
  /** What was wrong with the form that was sent. */
  mistake?: string | undefined
}

type Refusable = Pick<RfqClosings, 'autoClose' | 'state'>

/** Why an RFQ cannot be closed on the page now, in one sentence; null if it can. */
export function refusalOf(found: Refusable, reasons: ClosingReasons | null, obstacle: string | null): string | null {
  const { against } = reasons ?? NO_REASONS
  const kept = against.length === 0 ? null : `A closing round would keep it open: ${against.join('; ')}.`
  return offerObstacle(found, obstacle) ?? kept
}

/** Why closing is not offered at all, whatever the reasons for and against it are. */
function offerObstacle({ autoClose, state }: Refusable, obstacle: string | null): string | null {
  if (state === 'closed') return 'It is closed already.'
  if (autoClose !== 'on') return `${NOT_OFFERED[autoClose]} Closing on this page needs autoClose: on.`
  return obstacle === null ? null : `Closing is stopped: ${obstacle}.`
}

const NO_REASONS: ClosingReasons = { for: [], against: [], remedies: [], unsettled: null }

const NOT_OFFERED = {
  'dry-run': 'The channel has autoClose: dry-run in the configuration, so nothing is sent to the marketplace.',
  off: 'The channel has autoClose: off in the configuration, or is not configured any more.',
}

/** The reasons for and against closing the RFQ, and a form that closes it, or why there is none. */
export function ClosingForm({ found, reasons, user, csrfToken, obstacle, mistake }: ClosingFormProps) {
  const { channel, id, name } = found
  const { for: inFavour, against, remedies } = reasons ?? NO_REASONS
  const kept = against.length === 0 ? null : 'A closing round that began now would keep it open.'
  const refusal = offerObstacle(found, obstacle) ?? kept
  const isOperator = user?.role === 'operator'
  return (
    <section class="card" aria-labelledby="close-now">
      <h2 id="close-now">Close it now</h2>
      <Reasons title="For closing it" reasons={inFavour} />
      <Reasons title="Against" reasons={against} />
      {mistake !== undefined && <Notice tone="bad">{plain(mistake)}</Notice>}
      {refusal !== null && mistake === undefined && <p class="notice">{plain(refusal)}</p>}
      {remedies.map((remedy) => (
        <p key={remedy}>{plain(`What to do: ${remedy}.`)}</p>
      ))}
      {refusal === null && !isOperator && (
        <p class="notice">{plain(`Closing needs the role operator; ${user?.name ?? 'you'} is a viewer.`)}</p>
      )}
      {refusal === null && isOperator && (
        <form method="post" action={closingPath(channel, nameById(id))} class="noprint">
          <input type="hidden" name="_csrf" value={csrfToken} />
          <p>
            Closing cannot be undone. A closing round for this RFQ only reads it again, applies the same rules as the
            schedule, and sends the close if nothing stands against it.
          </p>
          <div class="field">
            <label for="confirm">{`Type ${plain(name)} to confirm`}</label>
            <input id="confirm" name="confirm" required autocomplete="off" size={12} />
          </div>
          <button type="submit" class="primary">
            {`Close RFQ ${plain(name)} now`}
          </button>
        </form>
      )}
    </section>
  )
}

const Reasons = ({ title, reasons }: { title: string; reasons: readonly string[] }) =>
  reasons.length === 0 ? null : (
    <>
      <h3>{title}</h3>
      <ul>
        {reasons.map((reason) => (
          <li key={reason}>{plain(reason)}</li>
        ))}
      </ul>
    </>
  )
