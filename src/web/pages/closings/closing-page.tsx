import type { FastifyInstance } from 'fastify'
import { formatCount } from '../../../core/text/number-format.js'
import { nameById } from '../../../core/text/rfq-name.js'
import type { RfqClosing } from '../../../tables/closings/closings.js'
import { decisionFacts } from '../../../tables/closings/explain-decision.js'
import { closingPath, rfqPath } from '../../../tables/page-paths.js'
import type { ActionDeps } from '../../api/actions.js'
import { Badge, minute, Notice, plain } from '../../components/format.js'
import { autoReload, enqueueJob, readJobStatus } from '../operation/job-status.js'
import {
  addForm,
  addPage,
  addressOf,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  requireFound,
} from '../page.js'
import {
  type CloseRequestStatus,
  closeRequestParameters,
  closeRequestStatus,
  readRequestedClose,
} from './close-request-status.js'
import { ClosingForm, refusalOf } from './closing-form.js'

/** The queue that closes. */
export type ClosingDeps = Pick<ActionDeps, 'queue'>

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
      const job = asked === null ? null : await readJobStatus(asked.job, closing)
      const found = await readClosing(page)
      return closingPage(page, found, { status: asked && closeRequestStatus(found, asked, job) })
    },
    { names: ['job', 'asked'] },
  )
  addForm(app, deps, path, (page, fields) => requestClose(page, fields, closing))
}

const readClosing = async ({ path, queries, now }: PageRequest): Promise<RfqClosing> =>
  requireFound(await queries.rfqClosing({ ...addressOf(path), now }))

/** Enqueues a closing round for this RFQ only; the policy decides whether it sends a close. */
async function requestClose(page: PageRequest, { confirm = '' }: Parameters, closing: ClosingDeps) {
  const found = await readClosing(page)
  const { channel, id, name } = found
  const refuse = (status: number, mistake: string) => ({
    status,
    ...closingPage(page, found, { mistake: `Nothing was closed. ${mistake}` }),
  })
  if (confirm !== name) {
    const typed = confirm === '' ? 'Nothing was typed' : `${JSON.stringify(confirm.slice(0, 60))} was typed`
    return refuse(400, `${typed}, but this is RFQ ${name}.`)
  }
  const refusal = refusalOf(found)
  if (refusal !== null) return refuse(409, refusal)
  const job = await enqueueJob(page, closing, { name: 'close-expired', payload: { channel, rfqId: id } })
  if (job === null)
    return refuse(409, 'A close of this RFQ was requested a moment ago; reload the page to see its status.')
  return {
    redirect: `${closingPath(channel, nameById(id))}?${closeRequestParameters({ job, at: page.now.toISOString() })}`,
  }
}

interface Shown {
  status?: CloseRequestStatus | null
  mistake?: string
}

function closingPage({ request }: PageRequest, found: RfqClosing, { status = null, mistake }: Shown): PageContent {
  const { channel, name, decisions, state, dueDate, timeZone, graceHours } = found
  const isRunning = status?.isInProgress ?? false
  const { user, csrfToken } = request
  return {
    title: `Closing of RFQ ${name}`,
    current: '/rfqs',
    live: 'notice',
    ...(isRunning && autoReload),
    body: (
      <>
        <h1>{`Closing of RFQ ${plain(name)}`}</h1>
        <p class="lead">
          <a href={rfqPath(channel, name)}>{plain(found.title ?? `RFQ ${name}`)}</a>{' '}
          <Badge tone={state === 'open' ? 'good' : 'neutral'}>{plain(state)}</Badge> due {plain(dueDate)} in {timeZone}
          {graceHours > 0 && `, with ${formatCount(graceHours, 'hour')} of grace`}
        </p>
        {status !== null && <Notice tone={status.tone}>{plain(status.message)}</Notice>}
        {mistake !== undefined && <Notice tone="bad">{plain(mistake)}</Notice>}
        {state !== 'closed' && !isRunning && <ClosingForm found={found} user={user} csrfToken={csrfToken} />}
        <h2>Decisions</h2>
        {decisions.length === 0 && <p class="muted">No closing round has evaluated this RFQ yet.</p>}
        {decisions.map((decision, at) => (
          <details class="card" open={at === 0} key={decision.id}>
            <summary>
              {`${minute(decision.decidedAt)} `}
              <strong>{[decision.decision, decision.outcome].filter((part) => part !== null).join(', ')}</strong>
            </summary>
            <dl class="texts">
              {decisionFacts(decision).map(({ label, value }) => (
                <>
                  <dt>{label}</dt>
                  <dd>{plain(value)}</dd>
                </>
              ))}
            </dl>
          </details>
        ))}
      </>
    ),
  }
}
