import { formatCount } from '../../domain/comparison/number-format.js'
import { rfqPath } from '../../read-models/page-paths.js'
import { HttpError } from '../errors.js'
import type { ClosingPage } from '../page-queries.js'
import { downloadOf } from '../tables/table-file.js'
import { Badge, plain } from '../views/format.js'
import { TableView } from '../views/table-view.js'
import { DECISION_COLUMNS } from './decisions-page.js'
import { type PageContent, type PageRequest, pageOf } from './page.js'
import { addressOf } from './rfq-address.js'

/** `/rfqs/…/closing`: every decision about closing an RFQ, explained. */
export async function closingPage(page: PageRequest): Promise<PageContent> {
  const { path, queries, now, link } = page
  const found = await queries.closing({ ...addressOf(path), now })
  if ('notFound' in found) throw new HttpError(404, found.notFound)
  const { channel, name, decisions } = found
  const shown = pageOf(page, {
    name: 'decisions',
    caption: `Decisions about closing RFQ ${name}, newest first`,
    columns: DECISION_COLUMNS.filter(({ key }) => !['channel', 'rfq'].includes(key)),
    rows: decisions.map(({ record }) => record),
    empty: <>No closing round has evaluated this RFQ yet. {NEXT[found.autoClose]}</>,
  })
  return {
    title: `Closing of RFQ ${name}`,
    current: '/rfqs',
    live: 'notice',
    tables: [downloadOf(shown.table)],
    body: (
      <>
        <h1>{`Closing of RFQ ${name}`}</h1>
        <p class="lead">
          <a href={rfqPath(channel, name)}>{plain(found.title ?? `RFQ ${name}`)}</a>{' '}
          <Badge tone={found.state === 'open' ? 'good' : 'neutral'}>{plain(found.state)}</Badge> due{' '}
          {plain(found.dueDate)} in {found.timeZone}
          {found.graceHours > 0 && `, with ${formatCount(found.graceHours, 'hour')} of grace`}. {NEXT[found.autoClose]}
        </p>
        <TableView {...shown} link={link} />
        {decisions.map(({ record: { id }, explanation }, at) => (
          <details class="card" open={at === 0} key={id}>
            <summary>{`Why decision ${id} was made: everything that was evaluated, sent and read`}</summary>
            <pre>{explanation}</pre>
          </details>
        ))}
      </>
    ),
  }
}

const NEXT: Record<ClosingPage['autoClose'], string> = {
  on: 'The channel closes RFQs that are past due (autoClose: on).',
  'dry-run': 'The channel only records which RFQs it would close (autoClose: dry-run).',
  off: 'Nothing closes RFQs of this channel (autoClose: off).',
}
