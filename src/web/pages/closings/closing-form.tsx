import { nameById } from '../../../core/text/rfq-name.js'
import type { RfqClosing } from '../../../tables/closings/closings.js'
import { closingPath } from '../../../tables/page-paths.js'
import type { User } from '../../access/users.js'
import { plain } from '../../components/format.js'

/** Why an RFQ cannot be closed on the page now; null if it can. A new round compares the clocks again. */
export function refusalOf({ state, stop, outlook, message }: RfqClosing): string | null {
  if (state === 'closed') return 'It is closed already.'
  if (stop?.code === 'off' || stop?.code === 'dry-run')
    return `${stop.message} Closing on this page needs autoClose: on.`
  if (stop !== null && stop.code !== 'clocks') return stop.message
  return outlook.why === null ? null : message
}

/** The reasons for and against closing the RFQ, and a form that closes it, or why there is none. */
export function ClosingForm({ found, user, csrfToken }: { found: RfqClosing; user: User | null; csrfToken: string }) {
  const { channel, id, name, outlook, stop } = found
  const refusal = refusalOf(found)
  const command = outlook.why === null ? stop?.command : outlook.command
  return (
    <section class="card" aria-labelledby="close-now">
      <h2 id="close-now">Close it now</h2>
      <p class={refusal === null && stop === null ? undefined : 'notice'}>{plain(refusal ?? found.message)}</p>
      <Reasons title="For closing it" reasons={outlook.for} />
      <Reasons title="Against" reasons={outlook.against} />
      {command != null && <pre class="copy">{plain(command)}</pre>}
      {refusal === null && user?.role !== 'operator' && (
        <p class="notice">{plain(`Closing needs the role operator; ${user?.name ?? 'you'} is a viewer.`)}</p>
      )}
      {refusal === null && user?.role === 'operator' && (
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
