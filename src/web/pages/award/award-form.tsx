import type { AwardState } from '../../../compare/decision/award-state.js'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { NOT_MET_TITLE, notMetText, type OfferView } from '../../../tables/offer/offer-view.js'
import { awardPath } from '../../../tables/page-paths.js'
import type { RfqView } from '../../../tables/rfq/rfq-view.js'
import type { User } from '../../access/users.js'
import { numberColumn } from '../../components/columns.js'
import { amount, Badge, plain, price, total, UNKNOWN } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import type { Column, Table } from '../../tables/table.js'

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

const TONES: Record<AwardState['status'], string> = { waiting: 'warn', accepted: 'good', differs: 'bad' }

/** What a form of awards was sent with. */
export interface AwardChoice {
  chosen?: ReadonlySet<string>
  because?: string
}

/** The offers to choose from, the recommended ones chosen unless the form was sent already. */
export function offersToAward(view: RfqView, { chosen }: AwardChoice): Table<OfferView> {
  const recommended = new Set(view.decision.recommendation.award?.offers.map(({ id }) => id))
  const preselected = chosen ?? recommended
  const columns: readonly Column<OfferView>[] = [
    {
      key: 'offer',
      width: 'wide',
      title: 'Award',
      value: ({ developer, project, label }) => [developer, project].filter(Boolean).join(' · ') || label,
      cell: ({ id, number, label, developer, project }) => (
        <label class="choice">
          <input type="checkbox" name={`offer.${number}`} value={id} checked={preselected.has(id)} />{' '}
          {plain(developer ?? label)} <span class="muted small">{`no. ${number}`}</span>{' '}
          {recommended.has(id) && <Badge tone="good">recommended</Badge>}
          {project !== null && (
            <>
              <br />
              <span class="muted small">{plain(project)}</span>
            </>
          )}
        </label>
      ),
    },
    { key: 'id', fileOnly: true, title: 'Id', value: ({ id }) => id },
    numberColumn(
      'rank',
      'Rank',
      ({ rank }) => rank,
      (rank) => (rank === null ? UNKNOWN : String(rank)),
    ),
    numberColumn('tonnes', 'Tonnes', ({ tonnes }) => tonnes, amount),
    numberColumn(
      'pricePerTonne',
      `Price, ${plain(view.currency.comparison)}/t`,
      ({ compared }) => compared.pricePerTonne,
      price,
    ),
    numberColumn('total', `Total, ${plain(view.currency.comparison)}`, ({ compared }) => compared.total, total),
    {
      key: 'expiryDate',
      width: 'line',
      title: 'Expires',
      value: ({ expiryDate }) => expiryDate,
      shared: ({ expiryDate }) => (expiryDate === null ? 'none says when it expires' : `all expire on ${expiryDate}`),
    },
    {
      key: 'notMet',
      width: 'wide',
      title: NOT_MET_TITLE,
      value: ({ notMet }) => notMetText(notMet),
      cell: ({ notMet }) => (
        <ul class="plain small">
          {notMet.map(({ kind, message }) => (
            <li class={kind === 'advisory' ? 'muted' : undefined}>{plain(message)}</li>
          ))}
        </ul>
      ),
      shared: ({ notMet }) =>
        notMet.length === 0 ? 'all meet every requirement' : `all: ${(notMetText(notMet) ?? '').replace(/\.$/, '')}`,
    },
  ]
  return {
    name: 'offers',
    caption: 'Offers that can be awarded, by rank',
    columns,
    rows: view.offers.filter(({ standing }) => standing !== 'excluded').slice(0, MAX_LISTED),
    empty: <>No offer can be awarded.</>,
  }
}

interface FormProps extends AwardChoice {
  view: RfqView
  table: Table<OfferView>
  csrfToken: string
  link: (changes: Record<string, string | null>) => string
}

/** Chooses the offers that the desk awards; a page that shows what will be recorded follows. */
export function AwardForm({ view, table, csrfToken, link, because }: FormProps) {
  const { channel, rfq, decision } = view
  const open = view.offers.filter(({ standing }) => standing !== 'excluded').length
  const excluded = view.offers.filter(({ standing }) => standing === 'excluded')
  const { headline, award } = decision.recommendation
  return (
    <section class="noprint">
      <h2>Record an award</h2>
      <p>
        {plain(headline)}
        {award !== null && ' It is chosen below.'}
      </p>
      {open === 0 ? (
        <p class="notice">No offer can be awarded.</p>
      ) : (
        <form method="post" action={awardPath(channel, nameById(rfq.id))}>
          <input type="hidden" name="_csrf" value={csrfToken} />
          <TableView table={table} link={link} />
          {open > table.rows.length && (
            <p class="muted">
              {`${formatCount(open - table.rows.length, 'more offer')} can be awarded with the command `}
              <code>quotekeeper award</code>.
            </p>
          )}
          <div class="field">
            <label for="because">Reason</label>
            <textarea id="because" name="because" rows={2} cols={80} maxlength={2000} aria-describedby="because-hint">
              {because ?? ''}
            </textarea>
            <span id="because-hint" class="muted small">
              Needed if this is not the recommended award, or if something is said against it.
            </span>
          </div>
          <div class="actions">
            <button type="submit" class="primary">
              Show what will be recorded
            </button>
            <span class="muted small">Nothing is recorded yet, and nothing is sent to the marketplace.</span>
          </div>
        </form>
      )}
      {excluded.length > 0 && (
        <details class="group">
          <summary>
            <h3>Offers that cannot be awarded</h3> <span class="muted">{excluded.length}</span>
          </summary>
          <ul>
            {excluded.map(({ id, label, why }) => (
              <li key={id}>{`${plain(label)}: ${plain(why)}`}</li>
            ))}
          </ul>
        </details>
      )}
    </section>
  )
}

/** Why a reader sees no form. */
export const NoOperator = ({ user }: { user: User | null }) => (
  <p class="notice">{`Only operators record awards${user === null ? '' : `; ${plain(user.name)} may read`}.`}</p>
)

/** Withdraws the standing award. */
export const WithdrawForm = ({ id, action, csrfToken }: { id: number; action: string; csrfToken: string }) => (
  <details class="panel noprint">
    <summary>Withdraw this award</summary>
    <form method="post" action={action}>
      <input type="hidden" name="_csrf" value={csrfToken} />
      <p>
        It stays in the log, with who withdrew it and why. What was accepted on the marketplace has to be settled there.
      </p>
      <div class="field">
        <label for="withdraw-because">Reason</label>
        <textarea id="withdraw-because" name="because" rows={2} cols={80} maxlength={2000} required />
      </div>
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
    <form method="post" action={action} class="actions noprint">
      <input type="hidden" name="_csrf" value={csrfToken} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <button type="submit" name="confirm" value="yes" class="primary">
        Record this award
      </button>
      <a class="button" href={action}>
        Choose again
      </a>
    </form>
  </>
)
