import type { AwardState } from '../../../compare/decision/award-state.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { OFFER_COLUMNS, type OfferView } from '../../../tables/offer/offer-view.js'
import { awardPath } from '../../../tables/page-paths.js'
import { Facts, Table } from '../../../tables/print/html.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import { plain } from '../../components/format.js'

/** Offers that the form lists; others can be awarded with the command. */
const MAX_LISTED = 100

interface AwardCardProps {
  state: Pick<AwardState, 'facts' | 'status'>
  title?: string
}

/** The award of the desk: who, when, what, why, what the marketplace shows, and what to do next. */
export function AwardCard({ state: { facts, status }, title = 'Award' }: AwardCardProps) {
  const [first, ...others] = facts
  return (
    <section class={`recommendation ${TONES[status]}`} id="award" aria-labelledby="award-title">
      <h2 id="award-title">{title}</h2>
      <p class="headline">{plain(first?.value)}</p>
      <Facts of={others} />
    </section>
  )
}

const TONES: Record<AwardState['status'], string> = {
  waiting: 'warn',
  accepted: 'good',
  differs: 'bad',
  'no-award': '',
}

/** What a form of awards was sent with. */
export interface AwardChoice {
  chosen?: ReadonlySet<string>
  because?: string
}

interface AwardFormProps extends AwardChoice {
  view: RfqView
  link: (changes: Record<string, string | null>) => string
}

/** The offers that can be awarded, as a table of the page. */
export const offersToAward = ({ offers }: RfqView) => ({
  name: 'offers',
  columns: OFFER_COLUMNS,
  rows: offers.filter(({ standing }) => standing !== 'excluded').slice(0, MAX_LISTED),
})

/** Chooses what the desk awards, the recommended offers at first; a page that shows what will be recorded follows. */
export function AwardForm({ view, chosen, because, link }: AwardFormProps) {
  const { headline, award } = view.decision.recommendation
  const preselected = chosen ?? new Set(award?.offers.map(({ id }) => id))
  const table = offersToAward(view)
  const checkbox = ({ id, sequence }: OfferView) => (
    <label class="choice">
      <input type="checkbox" name={`offer.${sequence}`} value={id} checked={preselected.has(id)} /> Award
    </label>
  )
  return (
    <form method="post" action={awardPath(view.channel, nameById(view.rfq.id))} class="noprint">
      <p>{plain(headline)}</p>
      <Table
        {...table}
        caption="Offers that can be awarded"
        empty="No offer can be awarded."
        link={link}
        action={checkbox}
      />
      <div class="field">
        <label for="because">Reason</label>
        <textarea id="because" name="because" rows={2} cols={80} maxlength={2000}>
          {because}
        </textarea>
        <span class="muted small">Needed unless it is the recommended award and nothing is said against it.</span>
      </div>
      <div class="actions">
        {table.rows.length > 0 && (
          <button type="submit" class="primary">
            Show what will be recorded
          </button>
        )}
        <button type="submit" name="none" value="yes">
          No award
        </button>
      </div>
    </form>
  )
}
