import type { DeliveryRecord, TargetState } from '../../../core/events/deliveries.js'
import type { ProblemRecord, RunKind, RunOutcome, RunRecord } from '../../../core/records.js'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import type { ChannelItem } from '../../../tables/channels/channels.js'
import { rfqPath } from '../../../tables/page-paths.js'
import type { ChannelFreshness } from '../../../tables/polls.js'
import type { RfqNames } from '../../../tables/rfqs/rfqs.js'
import { channelColumn, momentColumn, withUnit } from '../../components/columns.js'
import { Badge, Moment, plain, type Tone, UNKNOWN } from '../../components/format.js'
import type { Column } from '../../tables/table.js'

/** A button that sends a form, for operators. */
const FormButton = ({ fields, label, text }: { fields: Record<string, string>; label: string; text: string }) => (
  <form method="post" action="/system" class="noprint">
    {Object.entries(fields).map(([name, value]) => (
      <input key={name} type="hidden" name={name} value={value} />
    ))}
    <button type="submit" aria-label={label}>
      {text}
    </button>
  </form>
)

// --- channels --------------------------------------------------------------------------------------------------------

type Poll = ChannelItem['polls'][number]
const POLL_TONES = { 'not scheduled': 'neutral', 'up to date': 'good', behind: 'bad' } as const
export const POLLS: Record<Poll['kind'], string> = { rfqs: 'RFQs', listings: 'listings' }

const pollText = ({ kind, lostEntriesAt, message }: Poll): string =>
  lostEntriesAt === null ? `${POLLS[kind]}: ${message}` : `The list of ${POLLS[kind]} may not be whole.`

/** A configured channel, and when its newest complete polls ended. */
export type ChannelRow = ChannelItem & Omit<ChannelFreshness, 'channel'>

/** @param csrfToken of operators, who can poll now; null for viewers */
export function channelColumns(csrfToken: string | null): readonly Column<ChannelRow>[] {
  const poll = (kind: Poll['kind'], title: string): Column<ChannelRow> => ({
    ...{ key: `${kind}At`, title, width: 'line', value: (row) => row[`${kind}At`] },
    cell: (row) => (
      <>
        <Moment at={row[`${kind}At`]} />
        {csrfToken !== null && (
          <FormButton
            fields={{ _csrf: csrfToken, channel: row.channel, kind }}
            label={`Poll now the ${POLLS[kind]} of ${row.channel}`}
            text="Poll now"
          />
        )}
      </>
    ),
  })
  const failing = ({ polls }: ChannelItem) => polls.filter(({ ok, lostEntriesAt }) => !ok || lostEntriesAt !== null)
  const stateOf = (row: ChannelItem) =>
    row.polls.length === 0 ? 'not scheduled' : failing(row).length === 0 ? 'up to date' : 'behind'
  return [
    {
      key: 'channel',
      title: 'Channel',
      value: ({ channel }) => channel,
      cell: ({ channel }) => <a href={`/rfqs?channel=${encodeURIComponent(channel)}`}>{channel}</a>,
    },
    {
      key: 'state',
      title: 'Polls',
      width: 'wide',
      value: stateOf,
      cell: (row) => (
        <>
          <Badge tone={POLL_TONES[stateOf(row)]}>{stateOf(row)}</Badge>
          {failing(row).map((each) => (
            <div class="small">{plain(pollText(each))}</div>
          ))}
        </>
      ),
    },
    poll('rfqs', 'RFQs polled'),
    poll('listings', 'Listings polled'),
    { key: 'open', title: 'Open', align: 'right', value: ({ rfqs }) => rfqs.open },
    { key: 'overdue', title: 'Overdue', align: 'right', value: ({ rfqs }) => rfqs.overdue },
    { key: 'autoClose', title: 'Auto-close', value: ({ autoClose }) => autoClose },
    {
      key: 'timeZone',
      title: 'Time zone',
      value: ({ timeZone }) => timeZone,
      cell: ({ timeZone, graceHours }) =>
        graceHours > 0 ? `${timeZone}, ${formatCount(graceHours, 'hour')} of grace` : timeZone,
    },
  ]
}

// --- runs ------------------------------------------------------------------------------------------------------------

const TONES: Record<RunOutcome, Tone> = { complete: 'good', partial: 'warn', failed: 'bad', interrupted: 'warn' }
const KIND_TEXTS: Record<RunKind, string> = { rfqs: 'RFQs', listings: 'listings', close: 'closing round' }

export const runColumns = (channels: readonly string[]): readonly Column<RunRecord>[] => [
  momentColumn('startedAt', 'Started', ({ startedAt }) => startedAt),
  channelColumn(channels),
  { key: 'kind', title: 'Kind', value: ({ kind }) => kind, cell: ({ kind }) => KIND_TEXTS[kind] },
  {
    key: 'seconds',
    title: 'Duration',
    align: 'right',
    value: seconds,
    cell: (run) => {
      const took = seconds(run)
      return took === null ? UNKNOWN : took < 100 ? `${took.toFixed(1)} s` : `${Math.round(took / 60)} min`
    },
  },
  {
    key: 'outcome',
    title: 'Outcome',
    value: ({ outcome }) => outcome ?? 'running',
    cell: ({ outcome }) => <Badge tone={outcome === null ? 'neutral' : TONES[outcome]}>{outcome ?? 'running'}</Badge>,
  },
  {
    ...count('requests', 'Requests', 'requests', ({ requests }) => requests),
    cell: ({ requests }) => withUnit(String(requests), requests === 1 ? 'request' : 'requests'),
  },
  count('seen', 'Seen', 'seen', ({ seen }) => seen),
  count('new', 'New', 'new', ({ inserted }) => inserted),
  count('changed', 'Changed', 'changed', ({ changed }) => changed),
  count('missing', 'Missing', 'missing', ({ missing }) => missing, 'nothing is missing'),
  count('invalid', 'Invalid', 'invalid', ({ invalid }) => invalid, 'no document is invalid'),
  count('postponed', 'Postponed', 'postponed', ({ postponed }) => postponed, 'nothing was postponed'),
  {
    key: 'error',
    title: 'Error',
    width: 'wide',
    value: ({ error }) => error,
    shared: ({ error }) => (error === null ? 'no run has an error' : `each has the error: ${plain(error)}`),
  },
  { key: 'run', title: 'Run', value: ({ id }) => id, align: 'right', isSecondary: true },
]

/** A column of counts. @param none what to say in place of the column if all are 0 */
const count = (
  key: string,
  title: string,
  unit: string,
  value: (run: RunRecord) => number,
  none?: string,
): Column<RunRecord> => ({
  ...{ key, title, value, align: 'right' },
  cell: (run) => withUnit(String(value(run)), unit),
  ...(none !== undefined && { shared: (run) => (value(run) === 0 ? none : `${value(run)} ${unit} in each run`) }),
})

function seconds({ startedAt, finishedAt }: RunRecord): number | null {
  return finishedAt === null ? null : (Date.parse(finishedAt) - Date.parse(startedAt)) / 1000
}

// --- notifications ---------------------------------------------------------------------------------------------------

const TARGET_TONES = { failing: 'bad', waiting: 'warn', working: 'good', unused: 'neutral' } as const

function targetState({ failures, pending, succeededAt }: TargetState): keyof typeof TARGET_TONES {
  if (failures > 0) return 'failing'
  if (pending > 0) return 'waiting'
  return succeededAt === null ? 'unused' : 'working'
}

/** @param csrfToken of operators, who can send again; null for viewers */
export const targetColumns = (csrfToken: string | null): readonly Column<TargetState>[] => [
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
    title: 'Given up',
    align: 'right',
    value: ({ dead }) => dead,
    cell: ({ dead, target }) => (
      <>
        {dead}
        {dead > 0 && csrfToken !== null && (
          <FormButton
            fields={{ _csrf: csrfToken, target }}
            label={`Send again everything for ${target} that was not delivered`}
            text="Send again"
          />
        )}
      </>
    ),
  },
  { key: 'failures', title: 'Failed attempts in a row', align: 'right', value: ({ failures }) => failures },
  momentColumn('retryAt', 'Next try', ({ retryAt }) => retryAt),
  momentColumn('succeededAt', 'Last success', ({ succeededAt }) => succeededAt),
  { key: 'error', title: 'Last error', width: 'wide', value: ({ error }) => error },
]

export const deliveryColumns = (channels: readonly string[]): readonly Column<DeliveryRecord>[] => [
  { key: 'id', fileOnly: true, title: 'Id', value: ({ id }) => id },
  { key: 'target', title: 'Target', value: ({ target }) => target },
  { key: 'kind', title: 'Kind', width: 'line', value: ({ kind }) => kind },
  channelColumn(channels),
  { key: 'sequence', fileOnly: true, title: 'Event', value: ({ sequence }) => sequence },
  {
    key: 'state',
    title: 'State',
    value: ({ state }) => state,
    cell: ({ state }) =>
      state === 'dead' ? <Badge tone="bad">given up</Badge> : <Badge tone="warn">to be sent</Badge>,
  },
  { key: 'attempts', title: 'Attempts', align: 'right', value: ({ attempts }) => attempts },
  momentColumn('createdAt', 'Since', ({ createdAt }) => createdAt),
  momentColumn('nextAt', 'Not before', ({ nextAt }) => nextAt),
  { key: 'error', title: 'Last error', width: 'wide', value: ({ error }) => error },
]

// --- problems --------------------------------------------------------------------------------------------------------

const DOCUMENT_TEXTS: Record<ProblemRecord['kind'], string> = { listing: 'listing', rfq: 'RFQ', response: 'offer' }

/** The kind of the document, and its number or the beginning of its id, which leads to the RFQ. */
function DocumentCell({ channel, kind, entityId }: ProblemRecord, names: readonly RfqNames[]) {
  const number = kind === 'rfq' ? names.find((rfq) => rfq.channel === channel && rfq.rfqId === entityId)?.number : null
  const id =
    number == null ? (
      <code title={entityId}>{plain(entityId.length > 12 ? `${entityId.slice(0, 8)}…` : entityId)}</code>
    ) : (
      number
    )
  return (
    <>
      {DOCUMENT_TEXTS[kind]} {kind === 'rfq' ? <a href={rfqPath(channel, nameById(entityId))}>{id}</a> : id}
    </>
  )
}

export const problemColumns = (
  channels: readonly string[],
  names: readonly RfqNames[],
): readonly Column<ProblemRecord>[] => [
  { key: 'kind', width: 'line', title: 'Document', value: ({ kind }) => kind, cell: (row) => DocumentCell(row, names) },
  { key: 'id', fileOnly: true, title: 'Id', value: ({ entityId }) => entityId },
  channelColumn(channels),
  { key: 'path', title: 'Field', value: ({ path }) => path, cell: ({ path }) => <code>{plain(path)}</code> },
  { key: 'code', fileOnly: true, title: 'Problem', value: ({ code }) => code },
  { key: 'message', width: 'wide', title: 'Problem', value: ({ message }) => message },
  momentColumn('firstSeenAt', 'First seen', ({ firstSeenAt }) => firstSeenAt, { isSecondary: true }),
  momentColumn('lastSeenAt', 'Last seen', ({ lastSeenAt }) => lastSeenAt),
  { key: 'times', title: 'Times', value: ({ times }) => times, align: 'right' },
]
