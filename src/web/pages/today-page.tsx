import { formatAmount, formatTotal } from '../../core/text/number-format.js'
import { DUE_WITHIN_DAYS, rfqs } from '../../tables/lists/rfqs.js'
import { parseMoment } from '../../tables/moments.js'
import { Table } from '../../tables/print/html.js'
import { type Matter, matterSubject } from '../../tables/today/matters.js'
import { movedText, type Today } from '../../tables/today/today.js'
import { Command, Moment, plain, UNKNOWN } from '../components/format.js'
import type { PageContent, PageRequest } from './page.js'

/** RFQs on the page; the list of RFQs has all. */
const MAX_ROWS = 40

/** `/`: the RFQs that wait for a person, most urgent first; then closings and the system. */
export async function todayPage(page: PageRequest): Promise<PageContent> {
  const { queries, now } = page
  const { since } = page.query
  const moment = since === undefined ? {} : { since: parseMoment(since, { option: 'since', now, dayMeans: 'start' }) }
  const today = await queries.today({ now, limit: MAX_ROWS, ...moment })
  const { summary } = today
  const changes = `/changes?since=${encodeURIComponent(today.since)}`
  return {
    title: 'Today',
    current: '/',
    body: (
      <>
        <div class="listhead">
          <h1>Today</h1>
          <p class="lead">
            <a href={changes}>
              Since <Moment at={today.since} now={now} />
            </a>
            {`: ${today.moved.map((each) => plain(movedText(each))).join(' ') || 'no award or recommendation moved.'}`}
          </p>
        </div>
        <Summary summary={summary} />
        <Table
          name="today"
          caption="RFQs that wait for a person, most urgent first"
          columns={rfqs.columns}
          rows={today.rfqs}
          total={summary.waiting}
          link={({ format }) => `/rfqs?waiting=true${format ? `&format=${format}` : ''}`}
          empty={
            <>
              No RFQ waits for a person. <a href="/rfqs">All RFQs</a>
            </>
          }
        />
        {summary.waiting > today.rfqs.length && (
          <p>
            <a href="/rfqs?waiting=true">{`All ${formatAmount(summary.waiting)} that wait`}</a>
          </p>
        )}
        <Matters title="Closings" matters={today.closings} />
        <Matters title="System" matters={today.system} />
      </>
    ),
  }
}

const Summary = ({ summary: { open, due, overdue, waiting, atStake } }: Pick<Today, 'summary'>) => (
  <dl class="stats">
    <div>
      <dt>Waiting for a person</dt>
      <dd>{formatAmount(waiting)}</dd>
    </div>
    <div>
      <dt>{`Due within ${DUE_WITHIN_DAYS} days`}</dt>
      <dd>
        {formatAmount(due)} {overdue > 0 && <small>{`and ${formatAmount(overdue)} overdue`}</small>}
      </dd>
    </div>
    <div>
      <dt>Open RFQs</dt>
      <dd>{formatAmount(open)}</dd>
    </div>
    {(['accepted', 'awarded', 'recommended'] as const).map((kind) => (
      <div key={kind} title="Of the RFQs that are open or undecided, each tonne once">
        <dt>{`At stake, ${kind}`}</dt>
        <dd>
          {atStake
            .filter((each) => each.kind === kind)
            .map(({ currency, total }) => plain(formatTotal(total, currency)))
            .join(' + ') || UNKNOWN}
        </dd>
      </div>
    ))}
  </dl>
)

const Matters = ({ title, matters }: { title: string; matters: readonly Matter[] }) =>
  matters.length > 0 && (
    <section>
      <h2>{title}</h2>
      <ul class="plain matters">
        {matters.map((matter) => (
          <li>
            <a href={matter.path} class={matter.isUrgent ? 'over' : undefined}>
              {plain(matterSubject(matter))}
            </a>{' '}
            {plain(matter.message)} {matter.command !== null && <Command text={matter.command} quiet />}
          </li>
        ))}
      </ul>
    </section>
  )
