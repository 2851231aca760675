import type { AwardState } from '../../../compare/decision/award-state.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { awardPath } from '../../../tables/page-paths.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { amount, Badge, plain, price, total } from '../../components/format.js'

/** Offers that the form lists; others can be awarded with the command. */
const MAX_LISTED = 100

/** The award of the desk: who, when, what, why, what the marketplace shows, and what to do next. */
export const AwardCard = ({
  state,
  title = 'Award',
}: {
  state: Pick<AwardState, 'lines' | 'status'>
  title?: string
}) => (
  <section class={`recommendation ${TONES[state.status]}`} id="award" aria-labelledby="award-title">
    <h2 id="award-title">{title}</h2>
    <dl class="texts">
      {state.lines.map(({ title: term, message }, at) => (
        <>
          <dt class={at === 0 ? 'visually-hidden' : undefined}>{term}</dt>
          <dd class={at === 0 ? 'headline' : undefined}>{plain(message)}</dd>
        </>
      ))}
    </dl>
  </section>
)

const TONES: Record<AwardState['status'], string> = { waiting: 'warn', accepted: 'good', differs: 'bad', none: '' }

/** What a form of awards was sent with. */
export interface AwardChoice {
  chosen?: ReadonlySet<string>
  because?: string
}

/** Chooses what the desk awards, the recommended offers at first; a page that shows what will be recorded follows. */
export function AwardForm({ view, csrfToken, chosen, because }: AwardChoice & { view: RfqView; csrfToken: string }) {
  const { headline, award } = view.decision.recommendation
  const recommended = new Set(award?.offers.map(({ id }) => id))
  const [excluded, offers] = [true, false].map((is) =>
    view.offers.filter(({ standing }) => (standing === 'excluded') === is),
  ) as [RfqView['offers'], RfqView['offers']]
  const currency = plain(view.currency.comparison)
  return (
    <form method="post" action={awardPath(view.channel, nameById(view.rfq.id))} class="noprint">
      <input type="hidden" name="_csrf" value={csrfToken} />
      <p>{plain(headline)}</p>
      {offers.length > 0 && (
        <div class="table scroll">
          <table>
            <thead>
              <tr>
                <th>Award</th>
                <th class="r">Tonnes</th>
                <th class="r">{`${currency}/t`}</th>
                <th class="r">{`Total, ${currency}`}</th>
                <th>Expires</th>
                <th>Not met</th>
              </tr>
            </thead>
            <tbody>
              {offers.slice(0, MAX_LISTED).map(({ id, number, label, tonnes, compared, expiryDate, notMet }) => (
                <tr key={id}>
                  <td>
                    <label class="choice">
                      <input
                        type="checkbox"
                        name={`offer.${number}`}
                        value={id}
                        checked={(chosen ?? recommended).has(id)}
                      />{' '}
                      {`${number}. ${plain(label)} `}
                      {recommended.has(id) && <Badge tone="good">recommended</Badge>}
                    </label>
                  </td>
                  <td class="r">{amount(tonnes)}</td>
                  <td class="r">{price(compared.pricePerTonne)}</td>
                  <td class="r">{total(compared.total)}</td>
                  <td>{plain(expiryDate)}</td>
                  <td class="small">{notMet.map(({ message }) => plain(message)).join(' ')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div class="field">
        <label for="because">Reason</label>
        <textarea id="because" name="because" rows={2} cols={80} maxlength={2000}>
          {because}
        </textarea>
        <span class="muted small">Needed unless it is the recommended award and nothing is said against it.</span>
      </div>
      <div class="actions">
        {offers.length > 0 && (
          <button type="submit" class="primary">
            Show what will be recorded
          </button>
        )}
        <button type="submit" name="none" value="yes">
          No award
        </button>
        <span class="muted small">Nothing is recorded yet, and nothing is sent to the marketplace.</span>
      </div>
      {excluded.length > 0 && (
        <details class="group">
          <summary>{`Offers that cannot be awarded (${excluded.length})`}</summary>
          <ul>
            {excluded.map(({ id, label, why }) => (
              <li key={id}>{`${plain(label)}: ${plain(why)}`}</li>
            ))}
          </ul>
        </details>
      )}
    </form>
  )
}
