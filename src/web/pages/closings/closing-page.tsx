import type { FastifyInstance } from 'fastify'
import { nameById } from '../../../core/text/rfq-name.js'
import { formatMinute } from '../../../core/time/clock.js'
import type { RfqClosing } from '../../../tables/closings/closing-outlook.js'
import { decisionFacts } from '../../../tables/closings/explain-decision.js'
import { closingPath, rfqPath } from '../../../tables/page-paths.js'
import { Facts } from '../../../tables/print/html.js'
import { Notice, plain } from '../../components/format.js'
import { autoReload, enqueueJob, readRequestedJob } from '../operation/job-status.js'
import {
  addForm,
  addPage,
  addressOf,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
} from '../page.js'

/** `/rfqs/…/closing`: every decision about closing an RFQ, explained, and closing it now. */
export function addClosing(app: FastifyInstance, deps: PageDeps): void {
  const path = '/rfqs/:org/:channel/:name/closing'
  const show = async (page: PageRequest) => {
    // Before the closings: those of a job that has ended are then among them.
    const job = await readRequestedJob(page)
    return closingPage(page, await readClosing(page), { job })
  }
  addPage(app, deps, path, show, { names: ['job'] })
  addForm(app, deps, path, requestClose)
}

const readClosing = ({ path, queries, now }: PageRequest): Promise<RfqClosing> =>
  queries.rfqClosing({ ...addressOf(path), now })

/** Enqueues a closing round for this RFQ only; the policy decides whether it sends a close. */
async function requestClose(page: PageRequest, { confirm = '' }: Parameters) {
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
  const job = await enqueueJob(page, { name: 'close-expired', payload: { channel, rfqId: id } })
  if (job === null)
    return refuse(409, 'A close of this RFQ was requested a moment ago; reload the page to see its status.')
  return { redirect: `${closingPath(channel, nameById(id))}?job=${encodeURIComponent(job)}` }
}

/** Why an RFQ cannot be closed on the page now; null if it can. A new round compares the clocks again. */
function refusalOf({ state, stop, outlook, message }: RfqClosing): string | null {
  if (state === 'closed') return 'It is closed already.'
  if (stop?.code === 'off' || stop?.code === 'dry-run')
    return `${stop.message} Closing on this page needs autoClose: on.`
  if (stop !== null && stop.code !== 'clocks') return stop.message
  return outlook.why === null ? null : message
}

interface Shown {
  /** The round that was asked for. */
  job?: Awaited<ReturnType<typeof readRequestedJob>>
  mistake?: string
}

function closingPage({ request }: PageRequest, found: RfqClosing, { job = null, mistake }: Shown): PageContent {
  const { channel, name, facts, decisions, state } = found
  const isRunning = job?.isRunning ?? false
  return {
    title: `Closing of RFQ ${name} of ${channel}`,
    current: '/rfqs',
    live: 'notice',
    ...(isRunning && autoReload),
    body: (
      <>
        <h1>{`Closing of RFQ ${plain(name)} of ${channel}`}</h1>
        <p class="lead">
          <a href={rfqPath(channel, name)}>{plain(found.title ?? `RFQ ${name}`)}</a>
        </p>
        <Facts of={facts} />
        {job?.notice}
        {mistake !== undefined && <Notice tone="bad">{plain(mistake)}</Notice>}
        {state !== 'closed' && !isRunning && <CloseNow found={found} request={request} />}
        <h2>Decisions</h2>
        {decisions.length === 0 && <p class="muted">No closing round has evaluated this RFQ yet.</p>}
        {decisions.map((decision, at) => (
          <details class="card" open={at === 0} key={decision.id}>
            <summary>
              {`${formatMinute(decision.decidedAt)} `}
              <strong>{[decision.decision, decision.outcome].filter((part) => part !== null).join(', ')}</strong>
            </summary>
            <Facts of={decisionFacts(decision)} />
          </details>
        ))}
      </>
    ),
  }
}

/** The reasons for and against closing the RFQ, and a form that closes it, or why there is none. */
function CloseNow({ found, request: { user } }: { found: RfqClosing; request: PageRequest['request'] }) {
  const { channel, id, name, outlook, stop } = found
  const refusal = refusalOf(found)
  const command = outlook.why === null ? stop?.command : outlook.command
  // The first reason against is the one above.
  const against = outlook.against.slice(1).map((reason) => fact('Against, too', reason))
  const reasons = [...outlook.for.map((reason) => fact('For', reason)), ...against]
  return (
    <section class="card" aria-labelledby="close-now">
      <h2 id="close-now">Close it now</h2>
      <p class={refusal === null && stop === null ? undefined : 'notice'}>{plain(refusal ?? found.message)}</p>
      <Facts of={reasons} />
      {command != null && <pre class="copy">{plain(command)}</pre>}
      {refusal === null && user?.role !== 'operator' && (
        <p class="notice">{plain(`Closing needs the role operator; ${user?.name ?? 'you'} is a viewer.`)}</p>
      )}
      {refusal === null && user?.role === 'operator' && (
        <form method="post" action={closingPath(channel, nameById(id))} class="noprint">
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

const fact = (label: string, value: string) => ({ label, kind: 'text' as const, value })
