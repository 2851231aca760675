import type { FastifyInstance } from 'fastify'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { clockText } from '../../../tables/closings/closing-outlook.js'
import type { ClosingReasons, RfqClosings } from '../../../tables/closings/closings.js'
import { closingPath, rfqPath } from '../../../tables/page-paths.js'
import type { ActionDeps } from '../../api/actions.js'
import { Badge, plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { downloadOf } from '../../tables/table-file.js'
import { autoReload, enqueueJob, readJobStatus } from '../operation/job-status.js'
import {
  addForm,
  addPage,
  addressOf,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  pageOf,
  requireFound,
} from '../page.js'
import {
  CloseRequestNotice,
  type CloseRequestStatus,
  closeRequestParameters,
  closeRequestStatus,
  readRequestedClose,
} from './close-request-status.js'
import { ClosingForm, refusalOf } from './closing-form.js'
import { closingColumns } from './closings-page.js'

/** The queue that closes, and what stops all closing on a channel. */
export type ClosingDeps = Pick<ActionDeps, 'queue' | 'closingObstacle'>

/** `/rfqs/…/closing`: every decision about closing an RFQ, explained, and closing it now. */
export function addClosing(app: FastifyInstance, deps: PageDeps, closing: ClosingDeps): void {
  const path = '/rfqs/:org/:channel/:name/closing'
  addPage(
    app,
    deps,
    path,
    async (page) => {
      const asked = readRequestedClose(page.query)
      // Before the closings: those of a job that has ended are then among them.
      const status = asked === null ? null : await readJobStatus(asked.job, closing)
      const found = await readClosing(page)
      const requestStatus = asked === null ? null : closeRequestStatus(found, asked, status)
      const reasons = requestStatus?.isInProgress ? null : await readReasons(page, found)
      return closingPage(page, found, { closing, reasons, requestStatus })
    },
    { names: ['job', 'asked'] },
  )
  addForm(app, deps, path, (page, fields) => requestClose(page, fields, closing))
}

async function readClosing({ path, queries, now }: PageRequest): Promise<RfqClosings> {
  return requireFound(await queries.rfqClosings({ ...addressOf(path), now }))
}

/** Null for an RFQ that is closed. */
const readReasons = async ({ queries, now }: PageRequest, { channel, id, state }: RfqClosings) =>
  state === 'closed' ? null : await queries.closingReasons({ channel, id, now })

/** Enqueues a closing round for this RFQ only; the policy decides whether it sends a close. */
async function requestClose(page: PageRequest, { confirm = '' }: Parameters, closing: ClosingDeps) {
  const found = await readClosing(page)
  const reasons = await readReasons(page, found)
  const { channel, id, name } = found
  const refuse = async (status: number, mistake: string) => ({
    status,
    ...(await closingPage(page, found, { closing, reasons, mistake: `Nothing was closed. ${mistake}` })),
  })
  if (confirm !== name) {
    const typed = confirm === '' ? 'Nothing was typed' : `${JSON.stringify(confirm.slice(0, 60))} was typed`
    return refuse(400, `${typed}, but this is RFQ ${name}.`)
  }
  const refusal = refusalOf(found, reasons, await closing.closingObstacle(channel))
  if (refusal !== null) return refuse(409, refusal)
  const job = await enqueueJob(page, closing, { name: 'close-expired', payload: { channel, rfqId: id } })
  if (job === null)
    return refuse(409, 'A close of this RFQ was requested a moment ago; reload the page to see its status.')
  return {
    redirect: `${closingPath(channel, nameById(id))}?${closeRequestParameters({ job, at: page.now.toISOString() })}`,
  }
}

interface Shown {
  closing: ClosingDeps
  /** Null if closing is not offered: it is closed, or a round runs. */
  reasons: ClosingReasons | null
  requestStatus?: CloseRequestStatus | null
  mistake?: string
}

async function closingPage(
  page: PageRequest,
  found: RfqClosings,
  { closing, reasons, requestStatus = null, mistake }: Shown,
): Promise<PageContent> {
  const { link, request } = page
  const { channel, name, closings } = found
  const obstacle = await closing.closingObstacle(channel)
  const shown = pageOf(page, {
    name: 'closings',
    caption: `Closings of RFQ ${name}, newest first`,
    columns: closingColumns([]).filter(({ key }) => !['channel', 'rfq'].includes(key)),
    rows: closings.map(({ record }) => record),
    empty: <>No closing round has evaluated this RFQ yet. {NEXT[found.autoClose]}</>,
  })
  return {
    title: `Closing of RFQ ${name}`,
    current: '/rfqs',
    live: 'notice',
    ...(requestStatus?.isInProgress && autoReload),
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <h1>{`Closing of RFQ ${plain(name)}`}</h1>
        <p class="lead">
          <a href={rfqPath(channel, name)}>{plain(found.title ?? `RFQ ${name}`)}</a>{' '}
          <Badge tone={found.state === 'open' ? 'good' : 'neutral'}>{plain(found.state)}</Badge> due{' '}
          {plain(found.dueDate)} in {found.timeZone}
          {found.graceHours > 0 && `, with ${formatCount(found.graceHours, 'hour')} of grace`}. {NEXT[found.autoClose]}
        </p>
        {found.clockSkewBlock !== null && !requestStatus?.isInProgress && (
          <p class="notice bad">{plain(clockText(found.clockSkewBlock))}</p>
        )}
        {requestStatus !== null && <CloseRequestNotice status={requestStatus} unsettled={reasons?.unsettled ?? null} />}
        {(found.state !== 'closed' || mistake !== undefined) && !requestStatus?.isInProgress && (
          <ClosingForm
            found={found}
            reasons={reasons}
            user={request.user}
            csrfToken={request.csrfToken}
            obstacle={obstacle}
            mistake={mistake}
          />
        )}
        <TableView {...shown} link={link} />
        {closings.map(({ record: { id }, explanation }, at) => (
          <details class="card" open={at === 0} key={id}>
            <summary>{`Why closing decision ${id} was made: everything that was evaluated, sent and read`}</summary>
            <pre>{explanation}</pre>
          </details>
        ))}
      </>
    ),
  }
}

const NEXT: Record<RfqClosings['autoClose'], string> = {
  on: 'The channel closes RFQs that are past due (autoClose: on).',
  'dry-run': 'The channel only records which RFQs it would close (autoClose: dry-run).',
  off: 'Nothing closes RFQs of this channel (autoClose: off).',
}
