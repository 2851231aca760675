import type { FastifyInstance } from 'fastify'
import { reasonProblem } from '../../../core/text/clean-text.js'
import { nameById } from '../../../core/text/rfq-name.js'
import type { AwardItem } from '../../../tables/awards/award-list.js'
import type { AwardActions } from '../../../tables/awards/award-order.js'
import { awardPath, rfqPath } from '../../../tables/page-paths.js'
import type { NamedRfqView } from '../../../tables/rfq/rfq.js'
import { Notice, plain } from '../../components/format.js'
import { TableView } from '../../components/table-view.js'
import { HttpError } from '../../http/errors.js'
import type { Table } from '../../tables/table.js'
import { downloadOf } from '../../tables/table-file.js'
import {
  addForm,
  addPage,
  addressOf,
  type PageContent,
  type PageDeps,
  type PageRequest,
  type Parameters,
  type Redirect,
  requireFound,
} from '../page.js'
import { awardColumns } from './award-columns.js'
import {
  AwardCard,
  type AwardChoice,
  AwardForm,
  ConfirmAward,
  NoOperator,
  offersToAward,
  WithdrawForm,
} from './award-form.js'

type Answer = (PageContent & { status: number }) | Redirect

/** How long a confirmation page stays valid, in milliseconds. */
const CONFIRM_WITHIN_MS = 60 * 60_000

/** `/rfqs/…/award`: the awards of an RFQ, recording one, and withdrawing it. `/awards/ID/workbook`: the workbook of an award. */
export function addAwards(app: FastifyInstance, deps: PageDeps, actions: AwardActions): void {
  const path = '/rfqs/:org/:channel/:name/award'
  addPage(app, deps, path, async (page) => awardPage(page, await readRfq(page), {}))
  addForm(app, deps, path, async (page, fields) => {
    const found = await readRfq(page)
    return fields.withdraw === undefined ? record(page, found, fields, actions) : withdraw(page, found, fields, actions)
  })
  app.get('/awards/:id/workbook', async (request, reply) => {
    const { id = '' } = request.params as { id?: string }
    const content = /^[1-9]\d{0,8}$/.test(id) ? await deps.queries.awardFile(Number(id)) : null
    if (content === null) throw new HttpError(404, 'there is no such award')
    return reply
      .type('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
      .header('content-disposition', `attachment; filename="award-${id}.xlsx"`)
      .send(Buffer.from(content))
  })
}

async function readRfq({ path, queries, now, settings }: PageRequest): Promise<NamedRfqView> {
  return requireFound(await queries.comparison({ ...addressOf(path), now, settings }))
}

/** Shows what would be recorded; with `confirm`, records it as it was shown. */
async function record(
  page: PageRequest,
  found: NamedRfqView,
  fields: Parameters,
  actions: AwardActions,
): Promise<Answer> {
  const { now, settings, request } = page
  const { channel } = found.view
  const ids = Object.entries(fields).flatMap(([name, value]) => (/^offer\.\d+$/.test(name) ? [value] : []))
  const { because = null, confirm } = fields
  const refuse = async (status: number, mistake: string): Promise<Answer> => ({
    status,
    ...(await awardPage(page, found, { mistake, chosen: new Set(ids), ...(because !== null && { because }) })),
  })
  const asOf = confirm === undefined ? now : new Date(fields.as_of ?? '')
  if (!(asOf <= now && now.getTime() - asOf.getTime() <= CONFIRM_WITHIN_MS))
    return refuse(409, 'Nothing was recorded: what was confirmed is out of date. Look at it again.')
  const by = request.user?.name ?? ''
  const order = { channel, rfqId: found.id, offers: { ids }, because, by, asOf, now, settings }
  const prepared = await actions.prepare(order)
  const { state, refusals } = prepared
  if (refusals.length > 0 || state === null) return refuse(409, `Nothing was recorded. ${refusals.join(' ')}`)
  if (confirm === undefined) {
    const { confirm: _confirm, _csrf: _token, ...again } = fields
    const body = (
      <>
        <h1>{`Award of RFQ ${plain(found.name)}`}</h1>
        <p class="lead">{`${plain(found.view.rfq.title ?? '')}. Check what will be recorded.`}</p>
        <ConfirmAward
          state={state}
          action={awardPath(channel, nameById(found.id))}
          csrfToken={request.csrfToken}
          fields={{ ...again, as_of: asOf.toISOString() }}
        />
      </>
    )
    return { status: 200, title: `Award of RFQ ${found.name}`, current: '/awards', live: 'no', body }
  }
  const result = await actions.record(order, prepared)
  if ('standing' in result)
    return refuse(
      409,
      `Nothing was recorded: award ${result.standing.id}, by ${result.standing.by}, was recorded meanwhile.`,
    )
  return { redirect: rfqPath(channel, nameById(found.id)) }
}

async function withdraw(
  page: PageRequest,
  found: NamedRfqView,
  fields: Parameters,
  actions: AwardActions,
): Promise<Answer> {
  const { channel } = found.view
  const because = (fields.because ?? '').trim()
  if (reasonProblem(because) !== null)
    return { status: 400, ...(await awardPage(page, found, { mistake: 'Nothing was withdrawn: say why.' })) }
  const order = { channel, rfqId: found.id, because, by: page.request.user?.name ?? '' }
  const withdrawn = await actions.withdraw({ ...order, award: Number(fields.withdraw) })
  if (withdrawn !== null) return { redirect: rfqPath(channel, nameById(found.id)) }
  return {
    status: 409,
    ...(await awardPage(page, found, { mistake: 'Nothing was withdrawn: this award does not stand.' })),
  }
}

async function awardPage(
  { queries, request, now, link }: PageRequest,
  { view, id, name }: NamedRfqView,
  { mistake, ...choice }: { mistake?: string } & AwardChoice,
): Promise<PageContent> {
  const { user, csrfToken } = request
  const awards = await queries.awards({ channel: view.channel, rfqId: id, now })
  const history: Table<AwardItem> = {
    name: 'awards',
    caption: 'Awards of this RFQ, newest first',
    columns: awardColumns([], true),
    rows: awards,
    empty: <>No award of this RFQ was recorded.</>,
  }
  const offers = offersToAward(view, choice)
  const isOperator = user?.role === 'operator'
  return {
    title: `Award of RFQ ${name}`,
    current: '/awards',
    live: 'notice',
    tables: [downloadOf(history), downloadOf(offers)],
    body: (
      <>
        <h1>{`Award of RFQ ${plain(name)}`}</h1>
        <p class="lead">
          <a href={rfqPath(view.channel, name)}>{plain(view.rfq.title ?? `RFQ ${name}`)}</a>
        </p>
        {mistake !== undefined && <Notice tone="bad">{plain(mistake)}</Notice>}
        {!isOperator && <NoOperator user={user} />}
        {view.award !== null && (
          <>
            <AwardCard state={view.award} />
            {isOperator && (
              <WithdrawForm
                id={view.award.award.id ?? 0}
                action={awardPath(view.channel, nameById(id))}
                csrfToken={csrfToken}
              />
            )}
          </>
        )}
        {view.award === null && isOperator && (
          <AwardForm view={view} table={offers} csrfToken={csrfToken} link={link} {...choice} />
        )}
        <h2>History</h2>
        <TableView table={history} link={link} />
      </>
    ),
  }
}
