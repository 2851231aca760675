import type { FastifyInstance } from 'fastify'
import {
  DELIVERY_STATES,
  type DeliveryRecord,
  type DeliveryState,
  type TargetState,
} from '../../../core/events/deliveries.js'
import { formatCount } from '../../../core/text/number-format.js'
import { scrubError } from '../../../core/text/secret-scrubber.js'
import type { ActionDeps } from '../../api/actions.js'
import { channelColumn, momentColumn } from '../../components/columns.js'
import { Badge, Command, Notice, plain, type Tone, UNKNOWN } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import type { Column, Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import { FilterForm } from '../lists/filter-form.js'
import {
  addForm,
  addPage,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  pageOf,
  type Redirect,
  readChoice,
} from '../page.js'

export interface NotificationsDeps extends Pick<ActionDeps, 'retryDeliveries'> {
  /** Removes secrets from an error: that of a target may quote its address. */
  scrub: (text: string) => string
}

/** Deliveries that the page reads, newest first. */
const MAX_DELIVERIES = 5_000
const PATH = '/notifications'

/** `/notifications`: the targets, what was sent to them and what was not, and sending it again. */
export function addNotifications(app: FastifyInstance, deps: PageDeps, notifications: NotificationsDeps): void {
  addPage(app, deps, PATH, (page) => notificationsPage(page, notifications), { names: ['state', 'target', 'again'] })
  addForm(app, deps, PATH, (_page, fields) => sendAgain(fields, notifications))
}

async function sendAgain(
  { delivery, target, from }: Parameters,
  { retryDeliveries }: NotificationsDeps,
): Promise<Redirect> {
  if ((delivery === undefined) === (target === undefined))
    throw new HttpError(400, 'expected the id of a delivery, or the name of a target')
  for (const [name, value = '1'] of Object.entries({ delivery, from }))
    if (!/^[1-9]\d{0,14}$/.test(value))
      throw new HttpError(400, `${name}=${JSON.stringify(value.slice(0, 60))} is not a number from 1`)
  const ofTarget = { target: target ?? '', ...(from !== undefined && { fromSequence: Number(from) }) }
  const ids = await retryDeliveries(delivery === undefined ? ofTarget : { ids: [Number(delivery)] })
  if (ids.length > 0) return { redirect: `${PATH}?again=${ids.length}` }
  const which = delivery === undefined ? `for ${JSON.stringify(target?.slice(0, 60))}` : delivery
  throw new HttpError(404, `there is no notification ${which} that could be sent again`)
}

async function notificationsPage(page: PageRequest, { scrub }: NotificationsDeps): Promise<PageContent> {
  const { query, queries, link, request } = page
  const state = readChoice(page, 'state', DELIVERY_STATES)
  const targets = (await queries.targetStates()).map((one) => scrubError(one, scrub))
  const known = targets.map(({ target }) => target)
  const { target } = query
  const found = await queries.deliveries({
    states: state === null ? DELIVERY_STATES : [state],
    ...(target !== undefined && { target }),
    limit: MAX_DELIVERIES,
    order: 'newest-first',
  })
  if (target !== undefined && found.length === 0) readChoice(page, 'target', known)
  const again = request.user?.role === 'operator' ? createResendForm(request.csrfToken) : null
  const shown = pageOf(page, {
    name: 'deliveries',
    caption: 'Notifications, newest first',
    columns: deliveryColumns(new Set(known), page.channels, again),
    rows: found.map((one) => scrubError(one, scrub)),
    maxRows: MAX_DELIVERIES,
    empty: <>No notifications match. Events go to targets by the routes under notify: in the configuration.</>,
  })
  const targetTable: Table<TargetState> = {
    name: 'targets',
    caption: 'Targets of notifications',
    columns: targetColumns(again),
    rows: targets,
    empty: (
      <>
        The service was started without targets: see <code>notify:</code> in the configuration.{' '}
        <Command text="quotekeeper notify --test" /> sends a test.
      </>
    ),
  }
  return {
    title: 'Notifications',
    current: PATH,
    live: 'notice',
    tables: [downloadOf(shown.table), downloadOf(targetTable)],
    body: (
      <>
        <h1>Notifications</h1>
        <p class="lead">
          Events go to each target in order. What fails is tried again for 72 hours, then it is a dead letter.
        </p>
        <ResendNotice count={query.again} />
        <h2>Targets</h2>
        <TableView table={targetTable} link={link} />
        {again && targets.length > 0 && <ReplayForm targets={known} csrfToken={request.csrfToken} />}
        <h2>Notifications</h2>
        <FilterForm
          query={query}
          choices={[
            {
              name: 'state',
              title: 'State',
              values: DELIVERY_STATES.map((one) => [one, STATES[one].message] as const),
            },
            { name: 'target', title: 'Target', values: known },
          ]}
        />
        <TableView {...shown} link={link} />
      </>
    ),
  }
}

const ResendNotice = ({ count = '' }: { count: string | undefined }) =>
  /^[1-9]\d{0,8}$/.test(count) ? (
    <Notice tone="good">{`${formatCount(Number(count), 'notification')} will be sent again within seconds.`}</Notice>
  ) : null

type ResendForm = ReturnType<typeof createResendForm>

/** A button that sends something again, as a form of its own. */
const createResendForm = (csrfToken: string) => (field: 'delivery' | 'target', value: string, label: string) => (
  <form method="post" action={PATH} class="noprint">
    <input type="hidden" name="_csrf" value={csrfToken} />
    <input type="hidden" name={field} value={value} />
    <button type="submit" aria-label={label}>
      Send again
    </button>
  </form>
)

/** Sends again what was delivered, for a receiver that lost it. */
const ReplayForm = ({ targets, csrfToken }: { targets: readonly string[]; csrfToken: string }) => (
  <form method="post" action={PATH} class="noprint">
    <input type="hidden" name="_csrf" value={csrfToken} />
    <label>
      Send everything again to{' '}
      <select name="target">
        {targets.map((target) => (
          <option key={target}>{target}</option>
        ))}
      </select>
    </label>{' '}
    <label>
      from event <input name="from" type="number" min="1" required />
    </label>{' '}
    <button type="submit">Send again</button>
  </form>
)

const STATES: Record<DeliveryState, { message: string; tone: Tone }> = {
  pending: { message: 'to be sent', tone: 'warn' },
  delivered: { message: 'delivered', tone: 'good' },
  dead: { message: 'dead letter', tone: 'bad' },
}

function targetColumns(again: ResendForm | null): readonly Column<TargetState>[] {
  return [
    { key: 'target', title: 'Target', value: ({ target }) => target },
    {
      key: 'state',
      title: 'State',
      value: targetState,
      cell: (row) => <Badge tone={TARGET_TONES[targetState(row)]}>{targetState(row)}</Badge>,
    },
    { key: 'pending', title: 'To be sent', align: 'right', value: ({ pending }) => pending },
    {
      key: 'dead',
      title: 'Dead letters',
      align: 'right',
      value: ({ dead }) => dead,
      cell: ({ dead, target }) =>
        dead === 0 ? '0' : <a href={`${PATH}?state=dead&target=${encodeURIComponent(target)}`}>{dead}</a>,
    },
    { key: 'failures', title: 'Failed attempts in a row', align: 'right', value: ({ failures }) => failures },
    momentColumn('retryAt', 'Next try', ({ retryAt }) => retryAt),
    momentColumn('succeededAt', 'Last success', ({ succeededAt }) => succeededAt),
    momentColumn('since', 'Since', ({ since }) => since),
    {
      key: 'error',
      title: 'Last error',
      width: 'wide',
      value: ({ error }) => error,
      cell: (row) => (
        <>
          {plain(row.error)}
          {row.pending + row.dead > 0 && again?.('target', row.target, `Send again everything for ${row.target}`)}
        </>
      ),
    },
  ]
}

const TARGET_TONES = { failing: 'bad', waiting: 'warn', working: 'good', unused: 'neutral' } as const

function targetState({ failures, pending, succeededAt }: TargetState): keyof typeof TARGET_TONES {
  if (failures > 0) return 'failing'
  if (pending > 0) return 'waiting'
  return succeededAt === null ? 'unused' : 'working'
}

function deliveryColumns(
  targets: ReadonlySet<string>,
  channels: readonly string[],
  again: ResendForm | null,
): readonly Column<DeliveryRecord>[] {
  return [
    { key: 'id', fileOnly: true, title: 'Id', value: ({ id }) => id },
    { key: 'target', title: 'Target', value: ({ target }) => target },
    { key: 'kind', title: 'Kind', width: 'line', value: ({ kind }) => kind },
    channelColumn(channels),
    { key: 'sequence', fileOnly: true, title: 'Event', value: ({ sequence }) => sequence },
    {
      key: 'state',
      title: 'State',
      value: ({ state }) => state,
      cell: ({ state }) => <Badge tone={STATES[state].tone}>{STATES[state].message}</Badge>,
    },
    { key: 'attempts', title: 'Attempts', align: 'right', value: ({ attempts }) => attempts },
    momentColumn('createdAt', 'Since', ({ createdAt }) => createdAt),
    momentColumn('attemptedAt', 'Last try', ({ attemptedAt }) => attemptedAt),
    momentColumn('nextAt', 'Not before', ({ nextAt }) => nextAt, {
      shared: ({ nextAt }) => (nextAt === null ? 'none waits for a later try' : 'all wait for the same moment'),
    }),
    {
      key: 'status',
      title: 'HTTP status',
      align: 'right',
      value: ({ status }) => status,
      shared: ({ status }) => (status === null ? 'none has an HTTP status' : `all were answered ${status}`),
    },
    {
      key: 'error',
      title: 'Last error',
      width: 'wide',
      value: ({ error }) => error,
      cell: ({ id, state, target, error }) => (
        <>
          {error === null ? UNKNOWN : plain(error)}
          {targets.has(target)
            ? again?.('delivery', String(id), `Send again notification ${id} to ${target}`)
            : state !== 'delivered' && ` (${plain(target)} is not configured any more.)`}
        </>
      ),
    },
    { key: 'eventId', title: 'Event id', fileOnly: true, value: ({ eventId }) => eventId },
  ]
}
