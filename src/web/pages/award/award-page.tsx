import type { FastifyInstance } from 'fastify'
import { reasonProblem } from '../../../core/text/clean-text.js'
import { nameById } from '../../../core/text/rfq-name.js'
import { standingText } from '../../../tables/awards/awards.js'
import { awardPath, rfqPath } from '../../../tables/page-paths.js'
import { Table } from '../../../tables/print/html.js'
import type { NamedRfqView } from '../../../tables/rfq/rfq.js'
import { Notice, plain } from '../../components/format.js'
import { HttpError } from '../../http/errors.js'
import { readTable } from '../list-page.js'
import {
  addForm,
  addPage,
  addressOf,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  type Redirect,
} from '../page.js'
import { fileTable, sendWorkbook } from '../table-file.js'
import { AwardCard, type AwardChoice, AwardForm, offersToAward } from './award-form.js'

type Answer = (PageContent & { status: number }) | Redirect

/** How long a confirmation page stays valid, in milliseconds. */
const CONFIRM_WITHIN_MS = 60 * 60_000
/** Awards of one RFQ that are listed. */
const MAX_AWARDS = 100

/** `/rfqs/…/award`: the awards of an RFQ, recording one, and withdrawing it. `/awards/ID/workbook`: the workbook of an award. */
export function addAwards(app: FastifyInstance, deps: PageDeps): void {
  const path = '/rfqs/:org/:channel/:name/award'
  addPage(app, deps, path, async (page) => awardPage(page, await readRfq(page), {}))
  addForm(app, deps, path, async (page, fields) => {
    const found = await readRfq(page)
    return fields.withdraw === undefined ? record(page, found, fields) : withdraw(page, found, fields)
  })
  app.get('/awards/:id/workbook', async (request, reply) => {
    const { id = '' } = request.params as { id?: string }
    const content = /^[1-9]\d{0,8}$/.test(id) ? await deps.queries.awardFile(Number(id)) : null
    if (content === null) throw new HttpError(404, 'there is no such award')
    return sendWorkbook(reply, `award-${id}.xlsx`, Buffer.from(content))
  })
}

const readRfq = ({ path, queries, now, settings }: PageRequest): Promise<NamedRfqView> =>
  queries.comparison({ ...addressOf(path), now, settings })

/** Shows what would be recorded; with `confirm`, records it as it was shown. */
async function record(page: PageRequest, found: NamedRfqView, fields: Parameters) {
  const { awards, now, settings, request } = page
  const { id: rfqId, name, view } = found
  const { because = null, confirm } = fields
  const chosen = Object.entries(fields).flatMap(([key, value]) => (/^offer\.\d+$/.test(key) ? [value] : []))
  const refuse = async (mistake: string): Promise<Answer> => ({
    status: 409,
    ...(await awardPage(page, found, {
      mistake: `Nothing was recorded. ${mistake}`,
      chosen: new Set(chosen),
      because: because ?? '',
    })),
  })
  const ids = fields.none === undefined ? chosen : []
  if (ids.length === 0 && fields.none === undefined) return refuse('Choose an offer, or “No award”.')
  const asOf = confirm === undefined ? now : new Date(fields.as_of ?? '')
  if (!(asOf <= now && now.getTime() - asOf.getTime() <= CONFIRM_WITHIN_MS))
    return refuse('What was confirmed is out of date. Look at it again.')
  const by = request.user?.name ?? ''
  const order = { channel: view.channel, rfqId, offers: ids, because, by, asOf, now, settings }
  const prepared = await awards.prepare(order)
  const { state, refusals } = prepared
  if (refusals.length > 0 || state === null) return refuse(refusals.join(' '))
  if (confirm !== undefined) {
    const result = await awards.record(order, prepared)
    return 'standing' in result
      ? refuse(standingText(result.standing))
      : { redirect: rfqPath(view.channel, nameById(rfqId)) }
  }
  const hidden = { ...fields, as_of: asOf.toISOString() }
  const action = awardPath(view.channel, nameById(rfqId))
  const body = (
    <>
      <h1>{`Award of RFQ ${plain(name)}`}</h1>
      <p class="lead">{`${plain(view.rfq.title)}. Check what will be recorded.`}</p>
      <AwardCard state={state} title="This will be recorded" />
      <form method="post" action={action} class="actions noprint">
        {Object.entries(hidden).map(([key, value]) => (
          <input key={key} type="hidden" name={key} value={value} />
        ))}
        <button type="submit" name="confirm" value="yes" class="primary">
          Record this
        </button>
        <a class="button" href={action}>
          Choose again
        </a>
      </form>
    </>
  )
  return { status: 200, title: `Award of RFQ ${name}`, current: '/awards', live: 'no' as const, body }
}

async function withdraw(page: PageRequest, found: NamedRfqView, fields: Parameters) {
  const because = (fields.because ?? '').trim()
  const refuse = async (status: number, mistake: string): Promise<Answer> => ({
    status,
    ...(await awardPage(page, found, { mistake: `Nothing was withdrawn: ${mistake}` })),
  })
  if (reasonProblem(because) !== null) return refuse(400, 'say why.')
  const { channel } = found.view
  const order = { channel, rfqId: found.id, because, by: page.request.user?.name ?? '' }
  const withdrawn = await page.awards.withdraw({ ...order, award: Number(fields.withdraw) })
  return withdrawn === null
    ? refuse(409, 'this award does not stand.')
    : { redirect: rfqPath(channel, nameById(found.id)) }
}

async function awardPage(
  page: PageRequest,
  { view, id, name }: NamedRfqView,
  { mistake, ...choice }: { mistake?: string } & AwardChoice,
): Promise<PageContent> {
  const { user } = page.request
  const { channel, award } = view
  const parameters = { channel, rfq: nameById(id) }
  const { table, file } = await readTable(page, 'awards', { limit: MAX_AWARDS, parameters })
  const isOperator = user?.role === 'operator'
  const reader = user === null ? '' : `; ${plain(user.name)} may read`
  return {
    title: `Award of RFQ ${name}`,
    current: '/awards',
    live: 'notice',
    tables: [fileTable(offersToAward(view)), file],
    body: (
      <>
        <h1>{`Award of RFQ ${plain(name)}`}</h1>
        <p class="lead">
          <a href={rfqPath(channel, name)}>{plain(view.rfq.title ?? `RFQ ${name}`)}</a>
        </p>
        {mistake !== undefined && <Notice tone="bad">{plain(mistake)}</Notice>}
        {!isOperator && <p class="notice">{`Only operators record awards${reader}.`}</p>}
        {award !== null && <AwardCard state={award} />}
        {award !== null && isOperator && (
          <details class="panel noprint">
            <summary>Withdraw this award</summary>
            <form method="post" action={awardPath(channel, nameById(id))}>
              <div class="field">
                <label for="because">Why it is withdrawn</label>
                <textarea id="because" name="because" rows={2} cols={80} maxlength={2000} required />
                <span class="muted small">What was accepted on the marketplace has to be settled there.</span>
              </div>
              <button type="submit" name="withdraw" value={String(award.award.id)}>
                {`Withdraw award ${award.award.id}`}
              </button>
            </form>
          </details>
        )}
        {award === null && isOperator && <AwardForm view={view} link={page.link} {...choice} />}
        {table.rows.length > 0 && (
          <>
            <h2>History</h2>
            <Table
              {...table}
              columns={table.columns.filter(({ key }) => key !== 'rfq')}
              action={(row) => <a href={`/awards/${(row as { id: number }).id}/workbook`}>Workbook</a>}
            />
          </>
        )}
      </>
    ),
  }
}
